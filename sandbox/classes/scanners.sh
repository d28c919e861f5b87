# shellcheck shell=bash
# shellcheck disable=SC2034
# The image in which the scanners run: third-party tools, and what runs them. Sourced by setup.

CLASS_PACKAGES=(python3 libstdc++6)
CLASS_INPUTS=(npm/scanners python go/gitleaks go/gosec)
CLASS_ENV=(PATH=/opt/tools/bin:/opt/go/bin:/usr/bin:/bin GOROOT=/opt/go GOTOOLCHAIN=local GOPROXY=off CGO_ENABLED=0 XDG_CONFIG_HOME=/opt/config)

# The Go lane: programs and the warm build cache go to $1 while Debian is being installed elsewhere.
class_go_lane() {
  local staging=$1 root version=$GITLEAKS_VERSION
  root=$(image_toolchain)
  mkdir -p "$staging/tools"
  say "building gosec"
  build_go "$root" "$here/go/gosec" . "$staging/tools/gosec"
  say "building gitleaks $version"
  # With this tag gitleaks takes the engine for its expressions that go.mod replaces by ours.
  GOFLAGS="$GOFLAGS -tags=gore2regex" build_go "$root" "$here/go/gitleaks" . "$staging/tools/gitleaks" \
    "-X github.com/zricethezav/gitleaks/v8/version.Version=$version"
  # gitleaks' own rules without its global allowlist, which hides files by name (lock files, vendor folders, images).
  awk '/^\[allowlist\]/ { skip = 1 } /^\[\[rules\]\]/ { skip = 0 } !skip' \
    "$GOMODCACHE/github.com/zricethezav/gitleaks/v8@v$version/config/gitleaks.toml" >"$staging/gitleaks.toml"
  grep -q '^\[\[rules\]\]' "$staging/gitleaks.toml" || fail 70 "gitleaks $version has no rules where they are expected"
  warm_standard_library "$root"
}

# gosec reads the types of the standard library from what its compiler exported. The table says where that is for each package;
# the cache is valid only for this Go at this very path.
warm_standard_library() {
  local kept=$CYPHERFIX_HOME/cache/go-std-$IMAGE_GO
  [[ -s $kept/opt/gocache/exports.tsv ]] && return 0
  say "compiling Go's standard library for the image"
  rm -rf "$kept"
  mkdir -p "$kept"/{dev,tmp,opt/gocache}
  mknod -m 666 "$kept/dev/null" c 1 3
  add_go "$kept" "$1"
  env -i HOME=/tmp PATH=/opt/go/bin GOROOT=/opt/go GOCACHE=/opt/gocache GOPATH=/tmp/go GOTOOLCHAIN=local CGO_ENABLED=0 GOPROXY=off GOFLAGS= \
    "$(command -v chroot)" "$kept" /opt/go/bin/go list -e -export -deps -f '{{.ImportPath}}{{"\t"}}{{.Export}}' std >"$kept/exports.tsv" 2>"$kept.log" ||
    { tail -n 5 "$kept.log" >&2; fail 70 "Go's standard library did not compile, see $kept.log"; }
  rm -rf "${kept:?}"/{dev,tmp}
  mv "$kept/exports.tsv" "$kept/opt/gocache/exports.tsv"
}

class_stage() {
  local root=$1 staging=$2 modules site npm
  npm=$(install_npm "$here/npm/scanners")
  modules=$npm/node_modules
  site=$(install_wheels)
  mkdir -p "$root"/opt/{tools/bin,bandit,eslint}
  add_node "$root" "$modules"
  install -m 755 "$modules/@ast-grep/cli-linux-$(node_arch)-gnu/ast-grep" "$site/bin/ruff" "$root/opt/tools/bin/"
  add_eslint "$root" "$npm"
  add_bandit "$root" "$site"
}

# class_finish ROOT STAGING: what needs the Go lane's results.
class_finish() {
  local root=$1 staging=$2 kept=$CYPHERFIX_HOME/cache/go-std-$IMAGE_GO
  install -m 755 "$staging"/tools/* "$root/opt/tools/bin/"
  install -m 644 "$staging/gitleaks.toml" "$root/opt/tools/gitleaks.toml"
  cp -a "$kept/opt/go" "$kept/opt/gocache" "$root/opt/"
  disable_go_telemetry "$root"
  chmod -R u+w,go-w,a+rX "$root/opt/gocache"
  # The tools' own source is read only when a tool is built.
  rm -rf "$root/opt/go/src/cmd" "$root/opt/go/bin/gofmt"
}

# Lints one file with the parser and both plugins, so that a bundle that lost one is noticed here.
ESLINT_PROBE='const x: string = eval(a); document.body.innerHTML = x;'
ESLINT_FOUND='detect-eval-with-expression.*no-unsanitized/property'

class_check() {
  local root=$1 lock=$here/npm/scanners/package-lock.json requirements=$here/python/requirements.txt
  check_tool "$root" python "$(chroot "$root" python3 -c "import platform; print(platform.python_version())")" python3 -V
  check_tool "$root" node "$(npm_version "$lock" "node-linux-$(node_arch)")" node --version
  check_tool "$root" go "$IMAGE_GO" go version
  check_tool "$root" ruff "$(pip_version "$requirements" ruff)" ruff --version
  check_tool "$root" bandit "$(pip_version "$requirements" bandit)" python3 -I -S -B /opt/bandit/run.py --version
  mkdir -p "$root/tmp/probe"
  echo "$ESLINT_PROBE" >"$root/tmp/probe/a.ts"
  check_tool "$root" eslint "$(npm_version "$lock" eslint)" sh -c "node /opt/eslint/lint.mjs /tmp/probe >/tmp/found && grep -q '$ESLINT_FOUND' /tmp/found &&
    echo 'import { Linter } from \"/opt/eslint/eslint.mjs\"; console.log(Linter.version);' >/tmp/probe.mjs && node /tmp/probe.mjs"
  check_tool "$root" eslint-snapshot "$(npm_version "$lock" eslint)" sh -c "blob='node --snapshot-blob /opt/eslint/eslint.blob'
    \$blob /tmp/probe >/tmp/found && grep -q '$ESLINT_FOUND' /tmp/found && \$blob version"
  check_tool "$root" ast-grep "$(npm_version "$lock" "@ast-grep/cli-linux-$(node_arch)-gnu")" ast-grep --version
  check_tool "$root" gitleaks "$GITLEAKS_VERSION" gitleaks version
  check_tool "$root" gosec "$(sed -n 's/.*securego\/gosec\/v2 v//p' "$here/go/gosec/go.mod")" gosec -version
}

# add_eslint ROOT NPM: the bundle to import, and a snapshot in which it is loaded already.
add_eslint() {
  local root=$1 npm=$2 folder=$1/opt/eslint
  say "bundling ESLint"
  node "$npm/bundle.mjs" "$folder" || fail 70 "ESLint could not be bundled: one of its packages has another shape than bundle.mjs expects"
  node "$npm/compare.mjs" "$folder/eslint.mjs" >"$CYPHERFIX_HOME/cache/compare-eslint.log" 2>&1 ||
    { tail -c 2000 "$CYPHERFIX_HOME/cache/compare-eslint.log" >&2; fail 70 "the bundle of ESLint finds something else than its packages do"; }
  chroot "$root" /usr/bin/node --no-warnings --snapshot-blob /opt/eslint/eslint.blob --build-snapshot /opt/eslint/snapshot.cjs ||
    fail 70 "the snapshot of ESLint could not be built"
  rm -f "$folder/snapshot.cjs"
  chmod 644 "$folder/eslint.blob"
}

# install_wheels: prints a folder with what requirements.txt pins, for the image's Python rather than the machine's.
install_wheels() {
  local target=$CYPHERFIX_HOME/cache/wheels log=$CYPHERFIX_HOME/cache/pip.log
  if ! cmp -s "$here/python/requirements.txt" "$target/installed.txt"; then
    say "Python wheels"
    rm -rf "$target"
    python3 -m pip install --quiet --disable-pip-version-check --target "$target" --no-deps --no-compile --require-hashes --only-binary=:all: \
      --implementation cp --python-version 3.13 --platform "manylinux_2_17_$(uname -m)" --platform "manylinux2014_$(uname -m)" \
      --platform "manylinux_2_28_$(uname -m)" --requirement "$here/python/requirements.txt" </dev/null >"$log" 2>&1 ||
      { tail -n 8 "$log" >&2; fail 69 "pip could not install the pinned wheels, see $log"; }
    cp "$here/python/requirements.txt" "$target/installed.txt"
  fi
  echo "$target"
}

add_bandit() {
  local root=$1 site=$2
  mkdir -p "$root"/tmp/{site,starter}
  cp -a "$site/bandit" "$site/yaml" "$site"/bandit-*.dist-info "$root/tmp/site/"
  cp "$here"/python/*.py "$root/tmp/starter/"
  install -m 644 "$here/python/run.py" "$root/opt/bandit/run.py"
  chroot "$root" python3 -I -B /tmp/starter/pack_bandit.py /tmp/site /tmp/starter /opt/bandit || fail 70 "bandit could not be packed"
  rm -rf "$root"/tmp/{site,starter}
}

pip_version() { sed -n "s/^$2==\([^ ]*\).*/\1/p" "$1"; }
