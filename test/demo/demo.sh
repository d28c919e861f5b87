#!/usr/bin/env bash
# `npm run demo`: makes a real repository with a real change from the files beside this script, reviews it in the real
# sandbox and prints the review. The change holds faults for every scanner, and configuration that would silence them.
# Exit status 0: the review found what it had to, and nothing of the repository was executed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

bash "$root/sandbox/setup"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=$work/orders
marker=$work/executed
git -c init.defaultBranch=main init --quiet "$repo"

# Commits what lies in one folder of the demo; placeholders become what must not stand in our own repository.
commit() {
  cp -R "$here/files/$1/." "$repo/"
  # Looks like a key and is none; put together here, so that no secret scanner stops at our own repository.
  sed -i "s|@AWS_KEY@|AKIA$(printf 'Q3EGRPXL')$(printf 'Z7VN4TKD')|; s|@MARKER@|$marker|" "$repo"/api/*.py "$repo"/*.js 2>/dev/null || true
  git -C "$repo" add --all
  git -C "$repo" -c user.name=demo -c user.email=demo@example.test commit --quiet --message "$2"
}
commit base 'Start the orders service'
commit change 'Add exports, lookups and a greeting'

printf '\nReviewing %s (main~1..main)\n\n' "$repo" >&2
status=0
node "$root/dist/index.js" review --repo "$repo" --base HEAD~1 --output "$work/review.txt" || status=$?
cat "$work/review.txt" 2>/dev/null || true

if [ -e "$marker" ]; then
  echo "demo: the repository's own code was executed: $(cat "$marker")" >&2
  exit 1
fi
# The change is full of faults, so the gate must trip; anything else means that the review did not work.
if [ "$status" -ne 1 ]; then
  echo "demo: expected exit status 1 (gate tripped), got $status" >&2
  exit 1
fi
echo 'demo: the gate tripped as it should; nothing of the repository was executed' >&2
