#!/usr/bin/env bash
# Times `checksums` on a few files and on many. Needs hyperfine.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
mkdir "$files/few" "$files/many"
for number in {1..5}; do seq "$number" 5000 >"$files/few/$number"; done
for number in {1..200}; do seq "$number" 300 >"$files/many/$number"; done

hyperfine --style none --shell none --warmup 3 --runs 20 --export-json "$1" \
  --command-name 'few files' "./checksums $files/few" \
  --command-name 'many files' "./checksums $files/many"
