#!/usr/bin/env bash
# Passes or fails, after everybody was told. A push is done already, so a refresh fails on nothing that it measured.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

report='the report is in the job summary'
if [[ -n $PERF_COMMENT_URL ]]; then report="the report: $PERF_COMMENT_URL"; fi

# What the data cannot tell, in `doubt`, and what helps, in `help`. Why it is so, the report says of each scenario.
say_doubt() {
  local these="$PERF_INCONCLUSIVE scenarios" look=look times="$PERF_CONFIRM more times"
  case $PERF_INCONCLUSIVE in
    # A scenario counts once, as the gravest of its metrics.
    0) these='other metrics of what regressed' ;;
    1) these='1 scenario' look=looks ;;
  esac
  if ((PERF_CONFIRM == 1)); then times='once more'; fi
  if ((PERF_CONFIRM > 0)); then
    doubt="$these $look slower, and no further run has confirmed it"
    help="measure $times, and name what is printed by the input \`confirm\`, as in docs/action.md; $report"
  else
    doubt="$these cannot be judged"
    help="where everything moved at once it is the machine: measure again, or look at the runner; $report"
  fi
}

# One annotation for each reason.
tell() { annotate error "$1" "$report"; }

tell_why() { # POLICY
  case $1 in
    regressed) tell 'performance regressed' ;;
    nothing-compared) tell 'nothing could be compared, although there is a baseline' ;;
    missing) tell "scenarios or gated metrics of the baseline are missing: $((PERF_MISSING + PERF_UNMEASURED))" ;;
    unmeasured) tell "gated metrics of the baseline were not measured: $PERF_UNMEASURED" ;;
    inconclusive)
      say_doubt
      annotate error "$doubt" "$help"
      ;;
    not-comparable) tell 'something was measured in another way than the baseline' ;;
    new) tell 'there are scenarios that the baseline has not' ;;
    moved) tell 'a number moved further than its tolerance' ;;
    improved) tell 'something improved, so the baseline is out of date' ;;
    *) tell 'the comparison failed' ;;
  esac
}

case $PERF_VERDICT in
  passed | regressed | nothing | failed) ;;
  *) fail 'nothing was compared, as something is wrong with what there was to read' "$report" ;;
esac
if [[ $PERF_MODE == refresh ]]; then exit 0; fi
if [[ -z $PERF_FAILED ]]; then
  # Green does not say that all is well.
  if ((PERF_INCONCLUSIVE > 0)); then
    say_doubt
    annotate warning "$doubt" "$help"
  fi
  if ((PERF_COMPARED > 0)); then exit 0; fi
  if [[ $PERF_HAS_BASELINE == true ]]; then
    annotate warning 'nothing was compared, although there is a baseline' "$report"
  else
    annotate warning 'nothing was compared, as there is no baseline' \
      'a push to the default branch writes it; if there should be one, look at `baseline` and `working-directory`'
  fi
  exit 0
fi
rest=$PERF_FAILED,
while [[ -n $rest ]]; do
  tell_why "${rest%%,*}"
  rest=${rest#*,}
done
exit 2
