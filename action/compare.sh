#!/usr/bin/env bash
# Compares the rows with the baseline, and writes the report. Whatever comes of it is a `verdict` for the steps that
# tell and decide: passed, regressed, nothing (was compared), or broken (input).
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=action/git.sh
source "${BASH_SOURCE[0]%/*}/git.sh"

report=$PERF_FOLDER/report.md
json=$PERF_FOLDER/report.json
notes=$PERF_FOLDER/notes.md
: >"$notes"

# A sentence for the top of the report.
note() { printf '> %s\n>\n' "$1" >>"$notes"; }

# A path as code.
code() { printf '`%s`' "$(printf '%s' "$1" | tr -d '`\r\n')"; }

# Says that what a pull request does to a file has no say.
note_change() { # PATH BASE-OBJECT HEAD-OBJECT
  local file base
  file=$(code "$1") base=$(code "${PERF_BASE:0:7}")
  if [[ $2 == "$3" ]]; then return; fi
  if [[ -z $2 ]]; then
    note "**This pull request adds $file.** It counts from the merge on, as the base $base does not have it."
  elif [[ -z $3 ]]; then
    note "**This pull request does not have $file.** That of the base $base counts."
  else
    note "**In this pull request, $file is another than in the base $base.** That of the base counts."
  fi
}

# Takes a file from the base, if it is there, and says how the head differs. Leaves its object in `object`.
take() { # PATH DESTINATION
  local proposed
  object=$(object_of "$PERF_BASE" "$1") || exit 2
  if [[ -n $PERF_HEAD ]] && has_commit "$PERF_HEAD"; then
    proposed=$(object_of "$PERF_HEAD" "$1") || exit 2
    note_change "$1" "$object" "$proposed"
  fi
  if [[ -n $object ]]; then write_object "$object" "$2"; fi
}

choose_baseline() {
  baseline=$(path "$PERF_BASELINE")
  if [[ -z $PERF_BASE || $PERF_BASELINE_FROM == head ]]; then return; fi
  baseline=$PERF_FOLDER/base/$PERF_BASELINE
  mkdir -p -- "${baseline%/*}"
  take "$PERF_BASELINE" "$baseline"
}

# Until there is a baseline there are no limits to protect, and the catalogue of the head is read as it is.
choose_config() {
  config=()
  if [[ -n $PERF_CONFIG ]]; then config=(--config "$(path "$PERF_CONFIG")"); fi
  if [[ -z $PERF_BASE || $PERF_CONFIG_FROM == head || ! -f $baseline ]]; then return; fi
  local candidate object=
  # An empty catalogue is that of a base without one.
  mkdir -p "$PERF_FOLDER/base-config"
  local catalogue="$PERF_FOLDER/base-config/perf-gate.toml"
  : >"$catalogue"
  config=(--config "$catalogue")
  if [[ -n $PERF_CONFIG ]]; then
    take "$PERF_CONFIG" "$catalogue"
    return
  fi
  for candidate in perf-gate.toml .github/perf-gate.toml; do
    take "$candidate" "$catalogue"
    if [[ -n $object ]]; then return; fi
  done
}

compare() {
  local options=()
  if [[ -n $PERF_SCOPE ]]; then options+=("--scope=$PERF_SCOPE"); fi
  if [[ -n $PERF_PLATFORM_SUBSTRING ]]; then options+=("--platform-substring=$PERF_PLATFORM_SUBSTRING"); fi
  if [[ -n $PERF_TOLERANCE ]]; then options+=("--tolerance=$PERF_TOLERANCE"); fi
  if [[ -n $PERF_REGRESSION_THRESHOLD ]]; then options+=("--regression-threshold=$PERF_REGRESSION_THRESHOLD"); fi
  "$PERF_PROGRAMS/render-perf-deltas" --input "${files[@]}" --baseline-csv "$baseline" --exit-code \
    --output "$report" --json "$json" ${config[@]+"${config[@]}"} ${specs[@]+"${specs[@]}"} \
    ${options[@]+"${options[@]}"} >"$PERF_FOLDER/lines" 2>"$PERF_FOLDER/talk"
}

# The report of a run that came to nothing. Nothing within indented code can end it.
write_broken() {
  rm -f "$json"
  {
    printf '**Nothing was compared**, as something is wrong with what there was to read.\n\n'
    tr -d '\r' <"$PERF_FOLDER/talk" | sed -n -e '/./s/^/    /p'
  } >"$report"
}

# Names the files of the base as the repository does, in what is said of them when there is nothing else to say.
name_files() {
  local text folder
  text=$(<"$report")
  # As it is, and as Markdown writes it.
  for folder in "$PERF_FOLDER" "${PERF_FOLDER//_/\\_}"; do
    text=${text//"$folder/base/"/}
    text=${text//"$folder/base-config/"/}
  done
  printf '%s\n' "$text" >"$report"
}

# Hands on the lines that say how many scenarios did what; their keys and values are of a few forms.
hand_on() {
  local line
  while IFS= read -r line; do
    line=${line%$'\r'}
    if [[ $line =~ ^(changed|regressed|compared|improved|missing|new)=(true|false|[0-9]+)$ ]]; then
      output "${line%%=*}" "${line#*=}"
    fi
  done <"$PERF_FOLDER/lines"
}

judge() { # EXIT-CODE
  case $1 in
    0) verdict=passed ;;
    1) if grep -q '^regressed=true' "$PERF_FOLDER/lines"; then verdict=regressed; else verdict=nothing; fi ;;
    *) verdict=broken ;;
  esac
}

enter
find_inputs
find_specs
if [[ -n $PERF_BASE ]]; then
  need_commit "$PERF_BASE"
  # Only to say what the pull request changes: after `workflow_run`, the checkout does not have it.
  if [[ -n $PERF_HEAD ]]; then has_commit "$PERF_HEAD" || fetch_commit "$PERF_HEAD" || :; fi
fi
choose_baseline
choose_config
status=0
compare || status=$?
guarded cat "$PERF_FOLDER/talk"
judge "$status"
if [[ $verdict == broken ]]; then write_broken; else output report-json "$json"; fi
if [[ $verdict == broken || ! -f $baseline ]]; then name_files; fi
hand_on
{
  # Without the last line, which would join the notes with what follows.
  sed '$d' "$notes"
  if [[ -s $notes ]]; then echo; fi
  cat "$report"
} >"$report.whole"
mv "$report.whole" "$report"
output report "$report"
output verdict "$verdict"
