#!/usr/bin/env bash
# Looks at every input before anything is done, and decides what the run is: which mode, which pull request, and
# which commit it is compared with.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=action/git.sh
source "${BASH_SOURCE[0]%/*}/git.sh"

event=${GITHUB_EVENT_NAME:-}

check_words() {
  one_of mode "$PERF_MODE" auto pull-request refresh report
  one_of baseline-from "$PERF_BASELINE_FROM" base head
  one_of config-from "$PERF_CONFIG_FROM" base head
  one_of strict "$PERF_STRICT" true false
  one_of aggregate "$PERF_AGGREGATE" true false
  one_of paired "$PERF_PAIRED" true false
  one_of comment "$PERF_COMMENT" always changed regressed never
  one_of comment-mode "$PERF_COMMENT_MODE" update recreate append
  one_of annotate "$PERF_ANNOTATE" error warning none
  one_of protected-branch "$PERF_PROTECTED_BRANCH" pull-request none
}

# What fails, as the program takes it: empty for what the catalogue says.
choose_failures() {
  local word rest
  case $PERF_FAIL_ON in
    # As earlier versions took it.
    regression) fail_on=regressed ;;
    missing) fail_on=regressed,missing ;;
    '' | none) fail_on=$PERF_FAIL_ON ;;
    *)
      fail_on=${PERF_FAIL_ON//[[:space:]]/} rest=$fail_on,
      while [[ -n $rest ]]; do
        word=${rest%%,*} rest=${rest#*,}
        one_of fail-on "$word" regressed missing inconclusive not-comparable unmeasured new moved improved none
      done
      if [[ ,$fail_on, == *,none,* ]]; then fail "the input \`fail-on\` is \`$PERF_FAIL_ON\`" '`none` stands alone'; fi
      ;;
  esac
}

check_names() {
  if [[ ! $PERF_COMMENT_KEY =~ ^[A-Za-z0-9._-]{1,64}$ ]]; then
    fail "the input \`comment-key\` is \`$PERF_COMMENT_KEY\`" 'up to 64 letters, digits, dots, dashes and underscores'
  fi
  if [[ ! $PERF_PULL_REQUEST =~ ^([1-9][0-9]{0,9})?$ ]]; then
    fail "the input \`pull-request\` is \`$PERF_PULL_REQUEST\`" 'it is the number of a pull request'
  fi
  if [[ ! $PERF_HISTORY =~ ^([1-9][0-9]{0,2}|1000)?$ ]]; then
    fail "the input \`history\` is \`$PERF_HISTORY\`" 'it is how many versions of the baseline are looked at, such as 30'
  fi
  if [[ -n $PERF_BASE ]] && ! is_commit "$PERF_BASE"; then
    fail "the input \`base\` is \`$PERF_BASE\`" 'it is the full id of a commit: 40 hexadecimal digits'
  fi
  if [[ -z $PERF_BASELINE || $PERF_BASELINE =~ ^(/|[A-Za-z]:) || /$PERF_BASELINE/ == */../* ]]; then
    fail "the input \`baseline\` is \`$PERF_BASELINE\`" 'it is the path of a CSV below `working-directory`'
  fi
}

choose_mode() {
  mode=$PERF_MODE
  if [[ $mode == auto ]]; then
    mode=report
    case $event in
      pull_request | pull_request_target) mode=pull-request ;;
      push) if [[ ${GITHUB_REF:-} == "refs/heads/${PERF_DEFAULT_BRANCH:?}" ]]; then mode=refresh; fi ;;
    esac
  fi
  # After `workflow_run`, the tip of the branch is no longer what was measured.
  if [[ $mode == refresh && ($event == pull_request* || $event == workflow_run) ]]; then
    fail "the mode \`refresh\` is not for the event \`$event\`" 'refresh on a push to the default branch'
  fi
  if [[ $mode == pull-request && -z $PERF_PULL_REQUEST ]]; then
    fail "the event \`$event\` is about no pull request" 'give its number by the input `pull-request`'
  fi
}

# The commit to compare with, and the one that has what the pull request proposes. For the trial merge that GitHub
# makes of a pull request, those are its first parent and itself; for a checkout of the head, what the event says.
choose_commits() {
  base=${PERF_BASE:-$PERF_BASE_OF_EVENT} head=$PERF_HEAD_OF_EVENT
  if [[ $event == pull_request && -z $PERF_BASE ]] && has_commit "$GITHUB_SHA"; then
    local both
    both=$(parents "$GITHUB_SHA")
    if [[ $both == *$'\n'"$head" ]]; then base=${both%%$'\n'*} head=$GITHUB_SHA; fi
  fi
  if [[ $event == merge_group ]]; then head=$GITHUB_SHA; fi
  if [[ $mode == pull-request && -z $base ]]; then
    fail "the event \`$event\` does not tell the base of the pull request" 'give its commit by the input `base`'
  fi
}

# `pull_request_target` and `workflow_run` have the rights of the base, which nothing of the head must get hold of.
refuse_head() {
  local here
  case $event:$PERF_EVENT_BEFORE in
    pull_request_target:* | workflow_run:pull_request*) ;;
    *) return ;;
  esac
  if [[ -z $checkout || -z $PERF_HEAD_OF_EVENT ]]; then return; fi
  here=$(repository rev-parse --verify --quiet HEAD) || return 0
  if [[ $here == "$PERF_HEAD_OF_EVENT" || $(parents "$here") == *"$PERF_HEAD_OF_EVENT"* ]]; then
    fail "the head of the pull request is checked out in \`$event\`, where it can do what the token can" \
      'measure in `pull_request`, and comment in `workflow_run`: see docs/forks.md of perf-gate'
  fi
}

check_words
choose_failures
check_names
choose_mode
enter
refuse_head
choose_commits
output mode "$mode"
output pull-request "$PERF_PULL_REQUEST"
output base "$base"
output head "$head"
output fail-on "$fail_on"
output folder "$(mktemp -d "$(temporary)/perf-gate.XXXXXX")"
