#!/usr/bin/env bash
# Passes or fails, after everybody was told. A push is done already, so a refresh fails on nothing that it measured.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

report='the report is in the job summary'
if [[ -n $PERF_COMMENT_URL ]]; then report="the report: $PERF_COMMENT_URL"; fi

case $PERF_VERDICT in
  passed | regressed | nothing) ;;
  *) fail 'nothing was compared, as something is wrong with what there was to read' "$report" ;;
esac
if [[ $PERF_FAIL_ON == none || $PERF_MODE == refresh ]]; then exit 0; fi
case $PERF_VERDICT in
  regressed) fail 'performance regressed' "$report" ;;
  nothing) fail 'nothing could be compared, although there is a baseline' "$report" ;;
esac
if [[ $PERF_FAIL_ON == missing && ${PERF_MISSING:-0} != 0 ]]; then
  fail "scenarios of the baseline are missing: $PERF_MISSING" "$report"
fi
