#!/usr/bin/env bash
set -euo pipefail

# Keeps the newest five backups of a database.
readonly KEEP=5
readonly FOLDER=${1:?folder}
