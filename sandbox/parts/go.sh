# shellcheck shell=bash
# Go: the pinned toolchains come as modules of the Go proxy, and every program is built from a go.sum of ours. Sourced by setup.

go_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) fail 69 "no pins for the processor $(uname -m)" ;; esac; }

# One module cache and one build cache serve all builds; the user's own flags and workspace must not leak in.
go_environment() {
  export GOMODCACHE=$CYPHERFIX_HOME/cache/go-mod GOCACHE=$CYPHERFIX_HOME/cache/go-build
  export GOPATH=$CYPHERFIX_HOME/cache/go GOWORK=off GOFLAGS=-buildvcs=false GOTOOLCHAIN=local CGO_ENABLED=0 GO111MODULE=on
  mkdir -p "$GOMODCACHE" "$GOCACHE" "$GOPATH"
}

# fetch_toolchain VERSION SUM: prints the folder of that Go release, verified against SUM.
fetch_toolchain() {
  local version=$1 sum=$2 arch module answer folder
  arch=$(go_arch)
  module=golang.org/toolchain@v0.0.1-go$version.linux-$arch
  folder=$GOMODCACHE/$module
  if [[ -x $folder/bin/go && -f $folder.proved ]]; then
    echo "$folder"
    return 0
  fi
  command -v go >/dev/null 2>&1 || fail 69 "no Go on this machine to fetch Go $version with; run: apt-get install golang-go"
  say "fetching Go $version"
  local nowhere
  nowhere=$(mktemp -d)
  answer=$(cd "$nowhere" && GOFLAGS=-mod=mod go mod download -json "$module" 2>&1) ||
    fail 69 "Go $version could not be fetched through the Go proxy ($(go env GOPROXY)):" "$answer"
  rmdir "$nowhere"
  [[ $answer == *"\"Sum\": \"$sum\""* ]] || fail 70 "Go $version from the proxy has another sum than the pinned $sum:" "$answer"
  # A toolchain that the go command did not fetch for itself comes without execute bits.
  chmod -R u+w "$folder"
  find "$folder/bin" "$folder/pkg/tool" -type f -exec chmod 755 {} +
  : >"$folder.proved"
  echo "$folder"
}

runsc_toolchain() {
  local arch
  arch=$(go_arch)
  # The machine's own Go of the very same release gives the same binary, and saves the download.
  if [[ $(go version 2>/dev/null) == *" go$RUNSC_GO "* ]]; then go env GOROOT && return 0; fi
  local pin=RUNSC_GO_SUM_$arch
  fetch_toolchain "$RUNSC_GO" "${!pin}"
}

image_toolchain() {
  local arch
  arch=$(go_arch)
  local pin=IMAGE_GO_SUM_$arch
  fetch_toolchain "$IMAGE_GO" "${!pin}"
}

# build_guest STAGING: the first process of every image's containers.
build_guest() {
  local root
  root=$(image_toolchain)
  mkdir -p "$1"
  build_go "$root" "$here/go/guest" . "$1/guest" "-X main.version=$("$here/guest-version" "$here/go/guest")"
}

# build_go GOROOT FOLDER PACKAGE OUTPUT [LDFLAGS]: builds in a folder whose go.mod and go.sum pin everything.
build_go() {
  local log
  log=$CYPHERFIX_HOME/cache/build-$(basename "$4").log
  (cd "$2" && "$1/bin/go" build -trimpath -ldflags "-s -w ${5:-}" -o "$4.new" "$3") >"$log" 2>&1 ||
    { tail -n 15 "$log" >&2; fail 69 "building $(basename "$4") failed, see $log"; }
  mv "$4.new" "$4"
}
