# shellcheck shell=bash
# shellcheck disable=SC2034
# Python projects: pip and venv, git, and a C compiler with Python's headers. Sourced by setup.

CLASS_PACKAGES=(ca-certificates git make gcc libc6-dev python3 python3-dev python3-pip python3-venv libstdc++6)
CLASS_INPUTS=(npm/node parts/project.sh)
CLASS_ENV=(PATH=/usr/local/bin:/usr/bin:/bin)

class_stage() { add_npm "$1"; }

class_check() {
  check_base_tools "$1"
  check_tool "$1" python "$(debian_version "$1" python3 upstream)" python3 -V
  check_tool "$1" pip "$(debian_version "$1" python3-pip upstream | cut -d + -f 1)" pip3 --version
}
