#!/usr/bin/env bash
# Writes the job summary, the annotations and the comment on the pull request.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

lines=${PERF_REPORT%/*}/comment
arguments=(--key "$PERF_COMMENT_KEY" --body-file "$PERF_REPORT")

is_wanted() {
  case $PERF_COMMENT:$PERF_VERDICT:$PERF_CHANGED in
    always:* | changed:*:true | regressed:regressed:*) ;;
    # What went wrong is told whenever anything would be.
    never:*) return 1 ;;
    *:broken:* | *:nothing:* | *:failed:*) ;;
    *) return 1 ;;
  esac
}

if [[ $PERF_MODE == pull-request ]]; then
  arguments+=(--pr "$PERF_PULL_REQUEST")
  if is_wanted; then arguments+=(--mode "$PERF_COMMENT_MODE"); else arguments+=(--mode delete); fi
else
  # No other event than that of a pull request is about one; so the summary is all that is written.
  export GITHUB_EVENT_NAME=$PERF_MODE
  arguments+=(--mode delete)
fi
if [[ $PERF_ANNOTATE != none && -n $PERF_REPORT_JSON ]]; then
  arguments+=(--annotate "$PERF_ANNOTATE" --report "$PERF_REPORT_JSON")
fi

status=0
"$PERF_PROGRAMS/upsert-pr-comment" "${arguments[@]}" >"$lines" || status=$?
# The program's own commands are obeyed; that there is no pull request is no news in other modes.
if [[ $PERF_MODE == pull-request ]]; then grep '^::' "$lines" || :; else grep -e '^::error' -e '^::warning' "$lines" || :; fi
output comment-url "$(sed -n 's/^comment-url=//p' "$lines" | tr -d '\r')"
exit "$status"
