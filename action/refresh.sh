#!/usr/bin/env bash
# Writes baseline and page anew, and commits them.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
lines=$PERF_FOLDER/refresh

# One at a time, as they follow one option.
measured_paths() {
  local line
  affects=()
  while IFS= read -r line || [[ -n $line ]]; do
    line=$(trimmed "$line")
    if [[ -n $line ]]; then affects+=("--affects=$line"); fi
  done <<<"$PERF_MEASURED_PATHS"
}

enter
measured_paths
published=(--file "$(path "$PERF_BASELINE")")
if [[ -n $PERF_DOCUMENT ]]; then published+=(--file "$(path "$PERF_DOCUMENT")"); fi
# What reads the rows gets no token, neither here nor when it is done again.
GITHUB_TOKEN='' guarded bash "$here/render.sh" || fail 'baseline and page cannot be written from the rows' 'the lines above say why'

status=0
"$PERF_PROGRAMS/publish-perf-refresh" "${published[@]}" "--message=$PERF_COMMIT_MESSAGE" \
  --fallback "$PERF_PROTECTED_BRANCH" ${affects[@]+"${affects[@]}"} -- "$BASH" "$here/render.sh" >"$lines" || status=$?
# The program's own commands are obeyed.
grep '^::' "$lines" || :
output refresh "$(sed -n 's/^refresh=//p' "$lines" | tr -d '\r')"
exit "$status"
