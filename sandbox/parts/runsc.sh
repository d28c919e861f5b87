# shellcheck shell=bash
# runsc, from the best source that can be reached. Sourced by setup.

# install_runsc: $CYPHERFIX_HOME/bin/runsc and runsc.json; does nothing when a wanted version is there already.
install_runsc() {
  runsc_is_current && return 0
  mkdir -p "$CYPHERFIX_HOME/bin" "$CYPHERFIX_HOME/cache"
  local staging=$CYPHERFIX_HOME/cache/runsc
  rm -rf "$staging"
  mkdir -p "$staging"
  # A release's address may be out of reach, so the build starts at once; the download is preferred when both succeed.
  local download build released='' built='' patience=60
  set -m
  runsc_from_release "$staging/release" &
  download=$!
  runsc_from_module "$staging/module" &
  build=$!
  set +m
  # shellcheck disable=SC2064
  trap "end_lane $download; end_lane $build" EXIT
  while [[ -z $released || ($released -ne 0 && -z $built) ]]; do
    if [[ -z $released ]] && ! is_running "$download"; then released=0 && wait "$download" || released=1; fi
    if [[ -z $built ]] && ! is_running "$build"; then built=0 && wait "$build" || built=1; fi
    # A download that has not come half a minute after the build is too slow to wait for.
    if [[ $built == 0 && $((patience -= 1)) -le 0 ]]; then break; fi
    sleep 0.5
  done
  end_lane "$download"
  end_lane "$build"
  trap - EXIT
  if [[ $released == 0 ]]; then
    place_runsc "$staging/release" release "release-$RUNSC_RELEASE" systrap
  elif [[ $built == 0 ]]; then
    place_runsc "$staging/module" go-module "$RUNSC_GO_LABEL" systrap
  elif runsc_from_debian "$staging/debian"; then
    place_runsc "$staging/debian" debian "$("$staging/debian/runsc" --version | sed -n 's/^runsc version //p')" ptrace
    say "WARNING: runsc is Debian's old package with the ptrace platform: slower, and without years of gVisor's fixes"
  else
    fail 69 "runsc could be had from none of its sources: gVisor's release $RUNSC_RELEASE, its Go module, Debian's package runsc"
  fi
  rm -rf "$staging"
}

runsc_is_current() {
  local record=$CYPHERFIX_HOME/runsc.json
  [[ -x $CYPHERFIX_HOME/bin/runsc && -f $record ]] || return 1
  case $(json_field "$record" source) in
    release) [[ $(json_field "$record" version) == "release-$RUNSC_RELEASE" && -x $CYPHERFIX_HOME/bin/gvisor-bin/gvisor_sentry ]] ;;
    go-module) [[ $(json_field "$record" version) == "$RUNSC_GO_LABEL" ]] ;;
    *) return 1 ;;
  esac
}

json_field() { sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$1"; }

# Two addresses carry the same archive. A machine that reaches neither must not wait for them.
runsc_from_release() {
  local processor pin archive address
  processor=$(uname -m)
  pin=RUNSC_RELEASE_SHA256_$processor
  [[ -n ${!pin:-} ]] && command -v curl >/dev/null 2>&1 || return 1
  mkdir -p "$1"
  archive=$1/gvisor.tar.bz2
  for address in \
    "https://github.com/google/gvisor/releases/download/release-$RUNSC_RELEASE/gvisor-$processor.tar.bz2" \
    "https://storage.googleapis.com/gvisor/releases/release/$RUNSC_RELEASE/$processor/gvisor.tar.bz2"; do
    curl --fail --silent --location --proto '=https' --connect-timeout 5 --max-time 240 --speed-limit 100000 --speed-time 20 \
      --output "$archive" "$address" 2>/dev/null || continue
    if ! sha256sum --status --check - <<<"${!pin}  $archive"; then
      say "the archive from $address has another digest than the pinned one; not used"
      continue
    fi
    command -v bzip2 >/dev/null 2>&1 || return 1
    tar -xjf "$archive" -C "$1" --no-same-owner && rm -f "$archive"
    [[ -x $1/runsc && -x $1/gvisor-bin/gvisor_sentry ]] && return 0
    say "gVisor's release archive does not hold runsc and gvisor-bin/gvisor_sentry; not used"
    return 1
  done
  return 1
}

runsc_from_module() {
  local root
  command -v go >/dev/null 2>&1 || return 1
  mkdir -p "$1"
  root=$(runsc_toolchain) || return 1
  say "building runsc $RUNSC_GO_LABEL from its Go module"
  (build_go "$root" "$here/go/runsc" gvisor.dev/gvisor/runsc "$1/runsc" \
    "-X gvisor.dev/gvisor/runsc/version.version=$RUNSC_GO_LABEL") || return 1
}

runsc_from_debian() {
  (install_missing runsc=runsc) || return 1
  mkdir -p "$1"
  cp "$(command -v runsc)" "$1/runsc"
}

# place_runsc FOLDER SOURCE VERSION PLATFORM: a running container keeps the old file, since the new one is moved into place.
place_runsc() {
  local folder=$1 bin=$CYPHERFIX_HOME/bin
  [[ $("$folder/runsc" --version) == *"$3"* ]] || fail 70 "runsc from $2 calls itself $("$folder/runsc" --version | head -n 1), not $3"
  rm -rf "$bin/gvisor-bin"
  [[ ! -d $folder/gvisor-bin ]] || mv "$folder/gvisor-bin" "$bin/gvisor-bin"
  mv -f "$folder/runsc" "$bin/runsc"
  # runsc starts itself again as an unprivileged user, who must be able to read it.
  chmod -R a+rX "$bin"
  printf '{"source":"%s","version":"%s","platform":"%s","sha256":"%s"}\n' "$2" "$3" "$4" \
    "$(sha256sum "$bin/runsc" | cut -d ' ' -f 1)" >"$CYPHERFIX_HOME/runsc.json"
  say "runsc $3 from $2, platform $4"
}
