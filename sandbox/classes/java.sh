# shellcheck shell=bash
# shellcheck disable=SC2034
# Java projects: Debian's JDK and Maven, git, and a C compiler. Sourced by setup.

CLASS_PACKAGES=(ca-certificates git make gcc libc6-dev default-jdk-headless maven libstdc++6)
CLASS_INPUTS=(npm/node parts/project.sh)
CLASS_ENV=(PATH=/usr/local/bin:/usr/bin:/bin)

class_stage() { add_npm "$1"; }

class_check() {
  local major java=/usr/lib/jvm/default-java
  major=$(debian_version "$1" default-jdk-headless upstream)
  check_base_tools "$1"
  # The tree has no /proc, from which the linker would learn where Java's own libraries are.
  local origin
  origin=LD_ORIGIN_PATH=$(chroot "$1" readlink -f "$java")/bin
  check_tool "$1" java "$(debian_version "$1" "openjdk-${major#1.}-jdk-headless" upstream | cut -d + -f 1)" env "$origin" java -version
  check_tool "$1" maven "$(debian_version "$1" maven upstream)" env "$origin" "JAVA_HOME=$java" mvn --version
}
