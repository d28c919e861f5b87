# shellcheck shell=bash
# Debian and Ubuntu packages of the machine itself. Sourced by setup.

# install_missing PROGRAM=PACKAGE...: installs the packages whose program is not there; says so and fails with 69 when it cannot.
install_missing() {
  local wanted=() pair
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || wanted+=("${pair#*=}")
  done
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  command -v apt-get >/dev/null 2>&1 ||
    fail 69 "missing: ${wanted[*]}; this machine has no apt-get, so install them by hand"
  say "installing ${wanted[*]}"
  local log=$CYPHERFIX_HOME/cache/apt.log
  # A fresh machine has no package lists, and an old list names files that are gone: refresh them when the first try fails.
  if ! run_apt "${wanted[@]}" >"$log" 2>&1; then
    apt-get -q -o DPkg::Lock::Timeout=120 update >>"$log" 2>&1 || say "apt-get update reported errors, see $log"
    run_apt "${wanted[@]}" >>"$log" 2>&1 ||
      { tail -n 8 "$log" >&2; fail 69 "could not install ${wanted[*]}; run: apt-get update && apt-get install ${wanted[*]}"; }
  fi
}

# No service is started: ours is a private engine, and a system engine that was not there before is none of our business.
run_apt() {
  local policy=
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  local status=0
  DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@" </dev/null || status=$?
  [[ -z $policy ]] || rm -f "$policy"
  return "$status"
}

# debian_mirror: the address of Debian's main archive in the machine's own package sources; empty on another distribution.
debian_mirror() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "main" && $3 == "Debian" { sub("/$", "", $4); print $4; exit }'
}
