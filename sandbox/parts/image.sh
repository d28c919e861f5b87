# shellcheck shell=bash
# The root file system of an image: Debian by debootstrap, then what the class adds. Sourced by setup.

# build_base ROOT PACKAGE...: a minimal Debian with these packages, from the machine's own package source.
build_base() {
  local root=$1 mirror log=$CYPHERFIX_HOME/cache/debootstrap.log source=()
  shift
  mirror=$(debian_mirror)
  [[ -z $mirror ]] || source=("$mirror")
  say "debootstrap $DEBIAN_SUITE"
  mkdir -p "$CYPHERFIX_HOME/cache/debs" "$(dirname "$root")"
  local names
  names=$(IFS=,; echo "$*")
  # The tree is packed and thrown away, so nothing in it needs to survive a power cut.
  DPKG_FORCE=unsafe-io debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg --include="$names" \
    --cache-dir="$CYPHERFIX_HOME/cache/debs" "$DEBIAN_SUITE" "$root" "${source[@]}" >"$log" 2>&1 ||
    { tail -n 8 "$log" >&2; fail 69 "debootstrap of $DEBIAN_SUITE from ${mirror:-its built-in source} failed, see $log"; }
  record_packages "$root" >"$root.debian.json"
}

# record_packages ROOT: name, version and sha256 of each package file, as JSON.
record_packages() {
  local root=$1 name version architecture file separator=
  printf '['
  # shellcheck disable=SC2016
  while IFS=$'\t' read -r name version architecture; do
    file=$CYPHERFIX_HOME/cache/debs/${name}_${version//:/%3a}_$architecture.deb
    [[ -f $file ]] || fail 70 "the package file $file is not in the cache"
    printf '%s\n{"name":"%s","version":"%s","sha256":"%s"}' "$separator" "$name" "$version" "$(sha256sum "$file" | cut -d ' ' -f 1)"
    separator=,
  done < <(chroot "$root" dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\n' | LC_ALL=C sort)
  printf '\n]\n'
}

# add_user ROOT: the user that every job runs as, and the mount points of its file systems.
add_user() {
  echo 'cypherfix:x:65532:65532::/work:/usr/sbin/nologin' >>"$1/etc/passwd"
  echo 'cypherfix:x:65532:' >>"$1/etc/group"
  install -d -m 700 -o 65532 -g 65532 "$1/work" "$1/out"
  chmod 1777 "$1/tmp"
}

# strip_base ROOT: leaves out what no job needs, what differs from run to run, and set-user-id bits.
strip_base() {
  local root=$1
  rm -rf "$root"/usr/share/{doc,man,info,locale,lintian,bug,bash-completion} "$root"/var/lib/apt/lists "$root"/var/cache/{apt,debconf,ldconfig} \
    "$root"/var/log "$root"/tmp/* "$root"/etc/machine-id "$root"/etc/{passwd,group,shadow,gshadow}- "$root"/usr/lib/python3*/test \
    "$root"/etc/apt/sources.list "$root"/etc/resolv.conf "$root"/etc/hostname
  mkdir -p "$root"/var/{log,cache} "$root"/var/lib/apt/lists
  find "$root/usr/share/i18n" "$root/usr/lib/locale" -mindepth 1 -delete 2>/dev/null || true
  find "$root" -xdev -type f -perm /6000 -exec chmod a-s {} +
  find "$root/dev" "$root/proc" "$root/sys" -mindepth 1 -xdev -delete
}

# compile_python ROOT: byte code must not depend on times, since the archive sets all of them to zero.
compile_python() {
  local root=$1 library
  for library in "$root"/usr/lib/python3.[0-9]*; do
    find "$library" -name __pycache__ -prune -exec rm -rf {} +
    chroot "$root" /usr/bin/env PYTHONHASHSEED=0 python3 -I -m compileall -q -j 2 --invalidation-mode unchecked-hash "${library#"$root"}" >/dev/null ||
      fail 70 "the byte-compilation of $library failed"
  done
}

# add_go ROOT GOROOT: the toolchain without its tests and sources of the tools, which no build reads.
add_go() {
  mkdir -p "$1/opt/go/pkg"
  cp -a "$2/bin" "$2/src" "$2/go.env" "$2/VERSION" "$1/opt/go/"
  cp -a "$2/pkg/tool" "$2/pkg/include" "$1/opt/go/pkg/"
  find "$1/opt/go/src" \( -name testdata -type d -prune -o -name '*_test.go' -type f \) -exec rm -rf {} +
  chown -R 0:0 "$1/opt/go"
  chmod -R u+w,go-w,a+rX "$1/opt/go"
}

# install_npm FOLDER: prints a folder with the node_modules that FOLDER's lock file pins.
install_npm() {
  local name target log
  name=$(basename "$1")
  target=$CYPHERFIX_HOME/cache/npm-$name
  log=$target.log
  if cmp -s "$1/package-lock.json" "$target/installed.json"; then
    find "$1" -maxdepth 1 -type f -exec cp {} "$target/" \;
  else
    say "npm packages of $name"
    rm -rf "$target"
    mkdir -p "$target"
    cp -a "$1/." "$target/"
    (cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) </dev/null >"$log" 2>&1 ||
      { tail -n 8 "$log" >&2; fail 69 "npm ci of $1 failed, see $log"; }
    cp "$1/package-lock.json" "$target/installed.json"
  fi
  echo "$target"
}

node_arch() { case $(uname -m) in x86_64) echo x64 ;; aarch64) echo arm64 ;; esac; }

# add_node ROOT NODE_MODULES
add_node() { install -D -m 755 "$2/node-linux-$(node_arch)/bin/node" "$1/usr/bin/node"; }

# check_tool ROOT NAME VERSION COMMAND...: runs the tool inside ROOT, and records it only when it tells that version.
check_tool() {
  local root=$1 name=$2 version=$3 told
  shift 3
  told=$(chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/opt/tools/bin:/opt/go/bin HOME=/tmp GOROOT=/opt/go "$@" 2>&1 </dev/null) ||
    fail 70 "$name does not run in the image: $(tail -c 400 <<<"$told")"
  [[ $told == *"$version"* ]] || fail 70 "$name in the image is not $version: $(tail -c 400 <<<"$told")"
  printf '%s %s\n' "$name" "$version" >>"$root.tools"
}

# The go command starts a second process for telemetry each time unless its configuration says no.
disable_go_telemetry() {
  install -d "$1/opt/config/go/telemetry"
  echo off >"$1/opt/config/go/telemetry/mode"
}

# npm_version LOCKFILE PACKAGE: the version that a package-lock.json pins.
npm_version() {
  # shellcheck disable=SC2016
  node -e 'const [file, name] = process.argv.slice(1);
    console.log(JSON.parse(require("fs").readFileSync(file, "utf8")).packages[`node_modules/${name}`].version);' "$1" "$2"
}
