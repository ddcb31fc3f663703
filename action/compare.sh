#!/usr/bin/env bash
# Compares the rows with the baseline, and writes the report. Whatever comes of it is a `verdict` for the steps that
# tell and decide: passed, regressed, nothing (was compared), failed (otherwise), or broken (input).
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=action/git.sh
source "${BASH_SOURCE[0]%/*}/git.sh"

report=$PERF_FOLDER/report.md
json=$PERF_FOLDER/report.json
notes=$PERF_FOLDER/notes.md
# What is said when nothing can be compared: by a program, or by a script that fails.
trouble=$PERF_FOLDER/talk
: >"$notes"
: >"$trouble"
: >"$PERF_FOLDER/lines"

# A sentence for the top of the report.
note() { printf '> %s\n>\n' "$1" >>"$notes"; }

# A path as code.
code() { printf '`%s`' "$(printf '%s' "$1" | tr -d '`\r\n')"; }

# The object that a file was when the pull request left the base, in `before`; fails where that cannot be known, as in
# a checkout without history.
find_before() { # PATH
  local origin
  origin=$(parents "$PERF_HEAD")
  origin=${origin%%$'\n'*}
  # The trial merge of the pull request has the base in it.
  if [[ $origin != "$PERF_BASE" ]]; then
    origin=$(repository merge-base "$PERF_BASE" "$PERF_HEAD" 2>/dev/null) || return 1
  fi
  before=$(object_of "$origin" "$1") || exit 2
}

# Says that what a pull request does to a file has no say.
note_change() { # PATH BASE-OBJECT HEAD-OBJECT
  local file base before='' known=true
  file=$(code "$1") base=$(code "${PERF_BASE:0:7}")
  if [[ $2 == "$3" ]]; then return; fi
  find_before "$1" || known=false
  # The branch is behind the base, and has not touched the file.
  if [[ $known == true && $before == "$3" ]]; then return; fi
  if [[ -z $2 ]]; then
    note "**This pull request adds $file.** It counts from the merge on, as the base $base does not have it."
  elif [[ -z $3 ]]; then
    note "**This pull request does not have $file.** That of the base $base counts."
  elif [[ $known == true ]]; then
    note "**In this pull request, $file is another than in the base $base.** That of the base counts."
  else
    note "**Here, $file is another than in the base $base**, by an edit or as the branch is behind. The base's counts."
  fi
}

# Takes a file from the base, if it is there, and says how the head differs. Leaves what the two have in `object` and
# `proposed`.
take() { # PATH DESTINATION
  proposed=
  refuse_links "$PERF_BASE" "$1"
  object=$(object_of "$PERF_BASE" "$1") || exit 2
  if [[ -n $PERF_HEAD ]] && has_commit "$PERF_HEAD"; then
    proposed=$(object_of "$PERF_HEAD" "$1") || exit 2
    note_change "$1" "$object" "$proposed"
  fi
  if [[ -n $object ]]; then write_object "$PERF_BASE" "$object" "$2"; fi
}

# A base without a baseline is one where nothing can fail, so it must not be for another reason.
refuse_stray_baseline() {
  local here
  if [[ ! -e $(path "$PERF_BASELINE") ]]; then return; fi
  here=$(object_of HEAD "$PERF_BASELINE") || exit 2
  if [[ -z $proposed$here ]]; then
    fail "\`$PERF_BASELINE\` is in the workspace, but in no commit" \
      'commit it to the base, or take the one of the workspace with `baseline-from: head`'
  fi
}

# Leaves the options that name the baseline in `sides`: the file, or what the base commit has, whose history is then
# that of the base.
choose_baseline() {
  baseline=$(path "$PERF_BASELINE")
  sides=(--baseline-csv "$baseline")
  if [[ -z $PERF_BASE || $PERF_BASELINE_FROM == head ]]; then
    store=
    return
  fi
  baseline=$PERF_FOLDER/base/$PERF_BASELINE
  mkdir -p -- "${baseline%/*}"
  take "$PERF_BASELINE" "$baseline"
  sides=(--baseline-csv "$baseline")
  if [[ -z $object ]]; then
    refuse_stray_baseline
  else
    sides=(--baseline-git "$PERF_BASE:$(in_repository "$PERF_BASELINE")")
  fi
}

# Until there is a baseline there are no limits to protect, and the catalogue of the head is read as it is.
choose_config() {
  config=()
  if [[ -n $PERF_CONFIG ]]; then config=(--config "$(path "$PERF_CONFIG")"); fi
  if [[ -z $PERF_BASE || $PERF_CONFIG_FROM == head || ! -f $baseline ]]; then return; fi
  local candidate object='' proposed=''
  # An empty catalogue is that of a base without one.
  mkdir -p "$PERF_FOLDER/base-config"
  local catalogue="$PERF_FOLDER/base-config/perf-gate.toml"
  : >"$catalogue"
  config=(--config "$catalogue")
  if [[ -n $PERF_CONFIG ]]; then
    take "$PERF_CONFIG" "$catalogue"
    if [[ -z $object$proposed ]]; then
      fail "the base \`${PERF_BASE:0:7}\` has no catalogue \`$PERF_CONFIG\`" \
        'give the path of one that is committed, or take the one of the workspace with `config-from: head`'
    fi
    return
  fi
  for candidate in perf-gate.toml .github/perf-gate.toml; do
    take "$candidate" "$catalogue"
    if [[ -n $object ]]; then return; fi
  done
}

# Puts what is known besides one run and one baseline into the array `sides`, too.
choose_evidence() {
  local inputs=("${files[@]}")
  if [[ -n $PERF_HISTORY ]]; then sides+=(--history-git "$PERF_HISTORY"); fi
  # No misspelling of `PERF_CONFIG`.
  # shellcheck disable=SC2153
  find_files confirm "$PERF_CONFIRM"
  if ((${#files[@]} > 0)); then sides+=(--confirm "${files[@]}"); fi
  if [[ $PERF_PAIRED == true ]]; then sides+=(--paired); fi
  files=("${inputs[@]}")
}

compare() {
  local options=()
  if [[ -n $PERF_SCOPE ]]; then options+=("--scope=$PERF_SCOPE"); fi
  if [[ -n $PERF_PLATFORM_SUBSTRING ]]; then options+=("--platform-substring=$PERF_PLATFORM_SUBSTRING"); fi
  if [[ -n $PERF_TOLERANCE ]]; then options+=("--tolerance=$PERF_TOLERANCE"); fi
  if [[ -n $PERF_REGRESSION_THRESHOLD ]]; then options+=("--regression-threshold=$PERF_REGRESSION_THRESHOLD"); fi
  if [[ -n $PERF_FAIL_ON ]]; then options+=("--fail-on=$PERF_FAIL_ON"); fi
  in_store "$PERF_PROGRAMS/render-perf-deltas" --input "${files[@]}" ${reading[@]+"${reading[@]}"} "${sides[@]}" --exit-code \
    --output "$report" --json "$json" ${config[@]+"${config[@]}"} ${specs[@]+"${specs[@]}"} \
    ${options[@]+"${options[@]}"} >"$PERF_FOLDER/lines" 2>"$trouble"
}

# The report of a run that came to nothing. Nothing within indented code can end it. What a comment could not hold is
# left out.
write_broken() {
  rm -f "$json"
  {
    printf '**Nothing was compared**, as something is wrong with what there was to read.\n\n'
    tr -d '\r' <"$trouble" | awk '
      /./ && ++lines <= 200 { print "    " $0 }
      END { if (lines > 200) print "\nThe log has " lines - 200 " more lines." }'
  } >"$report"
}

# Names the files of the base as the repository does, in what is said of them.
name_files() {
  local text folder
  text=$(<"$report")
  # As it is, and as Markdown writes it.
  for folder in "$PERF_FOLDER" "${PERF_FOLDER//_/\\_}"; do
    text=${text//"$folder/base/"/}
    text=${text//"$folder/base-config/"/}
    text=${text//"$folder/"/}
  done
  printf '%s\n' "$text" >"$report"
}

# Hands on the lines that say how many scenarios did what; their keys and values are of a few forms.
hand_on() {
  local line keys='(changed|regressed|improved|inconclusive|missing|new|not-comparable|compared|unmeasured|waived|confirm)'
  while IFS= read -r line; do
    line=${line%$'\r'}
    if [[ $line =~ ^$keys=(true|false|[0-9]+)$ || $line =~ ^failed=[a-z,-]*$ ]]; then
      output "${line%%=*}" "${line#*=}"
    fi
  done <"$PERF_FOLDER/lines"
}

judge() { # EXIT-CODE
  case $1 in
    0) verdict=passed ;;
    1) verdict=failed ;;
    *) verdict=broken ;;
  esac
  # Whatever fails, it is said where people want to hear of it.
  if [[ $verdict != broken ]] && grep -q '^regressed=true' "$PERF_FOLDER/lines"; then
    verdict=regressed
  elif grep -q '^failed=nothing-compared' "$PERF_FOLDER/lines"; then
    verdict=nothing
  fi
}

# Leaves the report and the outputs.
conclude() { # EXIT-CODE
  judge "$1"
  if [[ $verdict == broken ]]; then write_broken; else output report-json "$json"; fi
  name_files
  hand_on
  {
    # Without the last line, which would join the notes with what follows.
    sed '$d' "$notes"
    if [[ -s $notes ]]; then echo; fi
    cat "$report"
  } >"$report.whole"
  mv "$report.whole" "$report"
  if [[ -f $baseline ]]; then output has-baseline true; else output has-baseline false; fi
  output report "$report"
  output verdict "$verdict"
}

# What fails on the way is told as what a program says is, and the last step fails.
break_off() {
  trap - EXIT
  if [[ ! -s $trouble ]]; then echo 'error: the comparison cannot be prepared' >"$trouble"; fi
  conclude 2
  exit 0
}

baseline=
trap break_off EXIT
enter
find_inputs
find_specs
find_reading
if [[ -n $PERF_BASE ]]; then
  need_commit "$PERF_BASE"
  choose_store
  # Only to say what the pull request changes: after `workflow_run`, the checkout does not have it.
  if [[ -n $PERF_HEAD ]]; then has_commit "$PERF_HEAD" || fetch_commit "$PERF_HEAD" || :; fi
fi
choose_baseline
choose_evidence
choose_config
trap - EXIT
status=0
compare || status=$?
guarded cat "$trouble"
conclude "$status"
