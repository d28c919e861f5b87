# shellcheck shell=bash
# What the images for a project's own commands (tests, setup, linters) have in common. Sourced by setup.

# add_npm ROOT: Node and npm in every class that runs a project's own commands; projects in other languages often use them too.
add_npm() {
  local modules
  modules=$(install_npm "$here/npm/node")/node_modules
  add_node "$1" "$modules"
  mkdir -p "$1/usr/local/lib/node_modules" "$1/usr/local/bin"
  cp -a "$modules/npm" "$1/usr/local/lib/node_modules/"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
  ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"
}

# check_base_tools ROOT: what every class but the scanners' has.
check_base_tools() {
  check_tool "$1" node "$(npm_version "$here/npm/node/package-lock.json" "node-linux-$(node_arch)")" node --version
  check_tool "$1" git "$(debian_version "$1" git upstream)" git --version
  check_tool "$1" cc "$(chroot "$1" cc -dumpfullversion)" cc --version
}

# debian_version ROOT PACKAGE [upstream]: of an installed package; upstream = without epoch and Debian's revision.
debian_version() {
  local version
  # shellcheck disable=SC2016
  version=$(chroot "$1" dpkg-query -W -f '${Version}' "$2")
  if [[ ${3:-} == upstream ]]; then
    version=${version#*:}
    version=${version%-*}
  fi
  echo "$version"
}
