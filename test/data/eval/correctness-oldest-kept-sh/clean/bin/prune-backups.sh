#!/usr/bin/env bash
set -euo pipefail

# Keeps the newest five backups of a database.
readonly KEEP=5
readonly FOLDER=${1:?folder}

# Newest first.
mapfile -t backups < <(ls -1t -- "$FOLDER"/*.dump)
for backup in "${backups[@]:KEEP}"; do
  rm -- "$backup"
done
