#!/usr/bin/env bash
# `npm run check`: types, lint and format, architecture, workflows, generated files, dist. Every part runs even when an
# earlier one failed; the exit status is 1 when any did.
set -uo pipefail
cd "$(dirname "$0")/.."

ACTIONLINT=v1.7.12
ZIZMOR=1.32.0
tools=${XDG_CACHE_HOME:-$HOME/.cache}/cypherfix-check
bad=0

part() {
  local name=$1
  shift
  if output=$("$@" 2>&1); then
    printf 'ok    %s\n' "$name"
  else
    bad=1
    printf 'FAIL  %s\n%s\n' "$name" "$output"
  fi
}

# Both linters are pinned and installed once, outside the repository.
install_linters() {
  if [ ! -x "$tools/actionlint-$ACTIONLINT/actionlint" ]; then
    GOBIN="$tools/actionlint-$ACTIONLINT" go install "github.com/rhysd/actionlint/cmd/actionlint@$ACTIONLINT"
  fi
  if [ ! -x "$tools/zizmor-$ZIZMOR/bin/zizmor" ]; then
    python3 -m venv "$tools/zizmor-$ZIZMOR" && "$tools/zizmor-$ZIZMOR/bin/pip" install --quiet "zizmor==$ZIZMOR"
  fi
}

part 'types' npm run --silent types
part 'lint and format' npm run --silent lint
part 'architecture' npx --no-install vitest run --config test/vitest.config.ts --project unit test/architecture.test.ts
part 'linters of workflows' install_linters
part 'workflows (actionlint)' "$tools/actionlint-$ACTIONLINT/actionlint"
part 'workflows and action (zizmor)' "$tools/zizmor-$ZIZMOR/bin/zizmor" --offline --no-progress --persona pedantic .
part 'generated files' node .github/generate.mjs --check
part 'dist is what src builds' node ncc.config.js --check
exit "$bad"
