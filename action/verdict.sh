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
if [[ $PERF_MODE == refresh ]]; then exit 0; fi
if [[ $PERF_VERDICT == passed && ${PERF_COMPARED:-0} == 0 ]]; then
  if [[ $PERF_HAS_BASELINE == true ]]; then
    annotate warning 'nothing was compared, as the baseline was measured on another kind of machine' "$report"
  else
    annotate warning 'nothing was compared, as there is no baseline' \
      'a push to the default branch writes it; if there should be one, look at `baseline` and `working-directory`'
  fi
fi
if [[ $PERF_FAIL_ON == none ]]; then exit 0; fi
case $PERF_VERDICT in
  regressed) fail 'performance regressed' "$report" ;;
  nothing) fail 'nothing could be compared, although there is a baseline' "$report" ;;
esac
if [[ $PERF_FAIL_ON == missing && ${PERF_MISSING:-0} != 0 ]]; then
  fail "scenarios of the baseline are missing: $PERF_MISSING" "$report"
fi
if [[ $PERF_FAIL_ON == missing && ${PERF_UNMEASURED:-0} != 0 ]]; then
  fail "metrics of the baseline were not measured: $PERF_UNMEASURED" "$report"
fi
