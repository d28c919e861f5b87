# shellcheck shell=bash
# shellcheck disable=SC2034
# Go projects: the pinned toolchain, git, and a C compiler for cgo. Sourced by setup.

CLASS_PACKAGES=(ca-certificates git make gcc libc6-dev libstdc++6)
CLASS_INPUTS=(npm/node parts/project.sh)
CLASS_ENV=(PATH=/opt/go/bin:/usr/local/bin:/usr/bin:/bin GOROOT=/opt/go GOTOOLCHAIN=local XDG_CONFIG_HOME=/opt/config)

class_stage() { add_npm "$1"; }

class_finish() {
  add_go "$1" "$(image_toolchain)"
  disable_go_telemetry "$1"
}

class_check() {
  check_base_tools "$1"
  check_tool "$1" go "$IMAGE_GO" go version
}
