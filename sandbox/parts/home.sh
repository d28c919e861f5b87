# shellcheck shell=bash
# Where the local state lives, and how the scripts speak. Sourced by engine and setup.

# An ordinary user's PATH often lacks the folders of dockerd and chroot, and that of a hand-installed Go.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/go/bin

# Names of variables that say how the network and the package registries are reached.
NETWORK_SETTINGS='(https?|HTTPS?|no|NO|all|ALL)_(proxy|PROXY)|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GO(PROXY|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE)|(PIP|pip|npm_config|NPM_CONFIG)_[A-Za-z_]+'

resolve_home() {
  if [[ -z ${CYPHERFIX_HOME:-} ]]; then
    if [[ $(id -u) -eq 0 ]]; then
      CYPHERFIX_HOME=/var/lib/cypherfix
    else
      CYPHERFIX_HOME=${XDG_STATE_HOME:-$HOME/.local/state}/cypherfix
    fi
  fi
  [[ $CYPHERFIX_HOME == /* ]] || fail 64 "CYPHERFIX_HOME must be an absolute path, not '$CYPHERFIX_HOME'"
  # A unix socket's address holds at most 107 bytes; the longest one below is the containerd debug socket.
  [[ ${#CYPHERFIX_HOME} -le 70 ]] || fail 64 "CYPHERFIX_HOME is longer than 70 characters: unix sockets below it would not work"
  export CYPHERFIX_HOME
}

# Progress goes to standard error with the seconds since the script began.
say() { printf '%4ds  %s\n' "$SECONDS" "$*" >&2; }

# fail STATUS MESSAGE...: 64 = wrong usage, 69 = something needed is missing, 70 = a step broke.
fail() {
  local status=$1
  shift
  printf 'error: %s\n' "$@" >&2
  exit "$status"
}

# become_root NAME ARG...: starts the script again through sudo when that needs no password.
become_root() {
  [[ $(id -u) -eq 0 ]] && return 0
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    local settings=() name
    # sudo clears the environment; without these, a machine behind a proxy reaches nothing.
    while read -r name; do settings+=("$name=${!name}"); done < <(compgen -e | grep -xE "$NETWORK_SETTINGS")
    exec sudo -n env "${settings[@]}" "PATH=$PATH" "CYPHERFIX_HOME=$CYPHERFIX_HOME" "CYPHERFIX_GROUP=$(id -g)" bash "$@"
  fi
  local command=$1
  shift
  printf 'error: this needs root (Docker Engine, debootstrap and chroot do). Run:\n' >&2
  printf '  sudo CYPHERFIX_HOME=%q CYPHERFIX_GROUP=%q bash %q' "$CYPHERFIX_HOME" "$(id -g)" "$command" >&2
  [[ $# -gt 0 ]] && printf ' %q' "$@" >&2
  printf '\n' >&2
  exit 69
}

# with_lock FILE SECONDS: holds FILE on descriptor 9 until the script ends; children that outlive it close it with 9>&-.
with_lock() {
  exec 9>"$1"
  flock -n 9 && return 0
  say "another run holds $1, waiting"
  flock -w "$2" 9 || fail 69 "another run has held $1 for $2 s; try again when it has ended"
}

# start_lane COMMAND...: runs it beside the script as a process group of its own, in LANE; the group ends with the script.
start_lane() {
  set -m
  "$@" </dev/null &
  LANE=$!
  set +m
  trap 'end_lane "$LANE"' EXIT
  trap 'exit 130' INT TERM
}

end_lane() { [[ -z ${1:-} ]] || kill -TERM -- "-$1" 2>/dev/null || true; }

is_running() { kill -0 "$1" 2>/dev/null; }
