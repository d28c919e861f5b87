# shellcheck shell=bash
# shellcheck disable=SC2034
# Node projects: npm, git, and what native modules are compiled with. Sourced by setup.

CLASS_PACKAGES=(ca-certificates git make g++ python3 libstdc++6)
CLASS_INPUTS=(npm/node parts/project.sh)
CLASS_ENV=(PATH=/usr/local/bin:/usr/bin:/bin)

class_stage() { add_npm "$1"; }

class_check() {
  check_base_tools "$1"
  check_tool "$1" npm "$(npm_version "$here/npm/node/package-lock.json" npm)" npm --version
}
