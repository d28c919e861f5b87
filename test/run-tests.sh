#!/usr/bin/env bash
# `npm test`: sets up what is missing, starts the sandbox engine, runs every test, stops what it started. The graph tests
# start a Neo4j of their own.
# `--ci` also runs the checks (types, lint, architecture, dist) and the demo, and counts each as one test.
# The last line is `N passed, N failed`; the exit status is 0 only when nothing failed and something ran.
set -uo pipefail
cd "$(dirname "$0")/.."

ci=false
[ "${1:-}" = --ci ] && ci=true && shift

passed=0
failed=0
started=$SECONDS
log() { printf '\n== %s (%d s)\n' "$*" "$((SECONDS - started))"; }

# Counts one command as one test; its output is shown as it comes.
step() {
  local name=$1
  shift
  log "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '!! %s failed\n' "$name"
  fi
}

finish() {
  if [ "$engine_started" = true ]; then bash sandbox/engine stop || true; fi
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

engine_started=false
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# npm writes this file last, so it is newer than the lock exactly when the installation is complete and current.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  log 'installing packages'
  npm ci --no-audit --no-fund || { failed=1; finish; exit 1; }
fi

# Beside the scanners' image those in which tests of a repository run.
log 'setting up the sandbox'
if ! bash sandbox/setup --class scanners --class node --class python --class go; then
  echo '!! the sandbox could not be set up, so nothing that needs it can be tested'
  failed=$((failed + 1))
  finish
  exit 1
fi

log 'setting up the graph database'
if ! bash test/graph/server/setup 5.26.30 >/dev/null; then
  echo '!! no Neo4j can be started, so nothing that needs it can be tested'
  failed=$((failed + 1))
  finish
  exit 1
fi

if [ "$(bash sandbox/engine start)" = started ]; then engine_started=true; fi

# The Go programs of the images, with the caches that the set-up filled.
go_tests() {
  local cache=${CYPHERFIX_HOME:-/var/lib/cypherfix}/cache
  if [ -n "$(gofmt -l "sandbox/go/$1")" ]; then echo "gofmt -w sandbox/go/$1 would change files" && return 1; fi
  (cd "sandbox/go/$1" && GOMODCACHE=$cache/go-mod GOCACHE=$cache/go-build GOFLAGS=-mod=mod CGO_ENABLED=0 go test "${@:2}" ./...)
}

step 'the first process of every container' go_tests guest
step "gitleaks' engine for expressions" go_tests gitleaks/regexp
step "gitleaks' search for words" go_tests gitleaks/words
step "the image's gitleaks" go_tests gitleaks -tags=gore2regex
if $ci; then
  step 'checks' npm run --silent check
  step "the image's gosec" go_tests gosec
  step 'recorded pairs of the score model' npm run --silent conformance
fi

log 'tests'
npx --no-install vitest run --config test/vitest.config.ts --reporter=default --reporter=json --outputFile.json="$results" "$@"
status=$?
if [ -s "$results" ]; then
  read -r p f < <(node -e '
    const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    // A file that could not be loaded has no tests to count, yet it failed.
    const broken = r.testResults.filter(t => t.status === "failed" && t.assertionResults.length === 0).length;
    console.log(r.numPassedTests, r.numFailedTests + broken);
  ' "$results")
  passed=$((passed + p))
  failed=$((failed + f))
fi
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi

if $ci; then
  step 'demo' npm run --silent demo
fi

finish
