# What the scripts of the action share. It is sourced, never run.
#
# bash 3.2 is enough, which macOS has, and no tool is asked for what only GNU's can do. Inputs arrive as `PERF_…`
# variables and are words of a command only as elements of an array or behind a `=`.
# shellcheck shell=bash
set -euo pipefail

# Text in a command of the workflow, such as `::error::`.
escaped() { # TEXT
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

# An annotation, with advice on a line of its own.
annotate() { # error|warning|notice MESSAGE [HINT]
  printf '::%s title=perf-gate::%s%s\n' "$1" "$(escaped "$2")" "${3:+%0Ahint: $(escaped "$3")}"
}

# Ends the step; from within `$(…)`, too, which is why this is no output. Where `trouble` names a file, the message is
# there, too, as a program would have said it.
fail() { # MESSAGE [HINT]
  annotate error "$@" >&2
  if [[ -n ${trouble:-} ]]; then printf 'error: %s\n%s' "$1" "${2:+hint: $2$'\n'}" >"$trouble"; fi
  exit 2
}

# 128 bits that nobody can guess, in hexadecimal digits.
random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Writes an output of the step, whatever the value is.
output() { # NAME VALUE
  local end
  end=perf-gate-$(random)
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Runs a command whose output may repeat what a stranger wrote: the workflow obeys none of it.
guarded() { # COMMAND…
  local status=0 token
  token=$(random)
  printf '::stop-commands::%s\n' "$token"
  "$@" 2>&1 || status=$?
  # On a line of its own, however the output ended.
  printf '\n::%s::\n' "$token"
  return "$status"
}

# A path with `/` on Windows, too, where both are understood.
slashes() { # PATH
  if [[ ${RUNNER_OS:-} == Windows ]]; then printf '%s' "${1//\\//}"; else printf '%s' "$1"; fi
}

# Without the spaces at both ends, of which the carriage return of a line from Windows is one.
trimmed() { # TEXT
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# A path that no program takes for an option, or for standard input.
path() { # PATH
  if [[ $1 == -* ]]; then printf './%s' "$1"; else printf '%s' "$1"; fi
}

# Fails unless the value is one of those that an input can have.
one_of() { # INPUT VALUE ALLOWED…
  local input=$1 value=$2 allowed
  shift 2
  for allowed in "$@"; do
    if [[ $value == "$allowed" ]]; then return; fi
  done
  fail "the input \`$input\` is \`$value\`" "it can be one of: $*"
}

# Where temporary files go, for this job.
temporary() { slashes "${RUNNER_TEMP:-${TMPDIR:-/tmp}}"; }

# A path without `.`, `..` and empty parts, whatever is on the disk. It fails for one that leads out of where it begins.
plain() { # PATH
  local rest=$1/ part all=
  while [[ -n $rest ]]; do
    part=${rest%%/*} rest=${rest#*/}
    case $part in
      '' | .) ;;
      ..) if [[ -z $all ]]; then return 1; else all=${all%/*}; fi ;;
      *) all+=/$part ;;
    esac
  done
  printf '%s' "${all#/}"
}

# Goes to the folder of the suite. Leaves the checkout that it belongs to in `checkout` (empty when there is none), and
# its path therein in `suite`. A pull request must not be able to make another folder of it, or another repository's.
# shellcheck disable=SC2034
enter() {
  local workspace folder rest
  workspace=$(slashes "${GITHUB_WORKSPACE:?}") folder=$(slashes "$PERF_DIRECTORY")
  workspace=${workspace%/}
  if [[ $folder == "$workspace" ]]; then folder=.; fi
  folder=${folder#"$workspace"/}
  if [[ $folder =~ ^(/|[A-Za-z]:) ]] || ! rest=$(plain "$folder"); then
    fail "the input \`working-directory\` is \`$PERF_DIRECTORY\`" 'it is the path of a folder below the workspace'
  fi
  checkout='' suite='' folder=$workspace
  while :; do
    if [[ -n $checkout ]]; then
      if [[ -e $folder/.git ]]; then
        fail "\`$PERF_DIRECTORY\` is in a submodule, or in another repository than that of the workspace" \
          "the action compares with commits of the checkout in \`${checkout##*/}\`"
      fi
      suite=${folder#"$checkout"}
    elif [[ -e $folder/.git ]]; then
      checkout=$folder
    fi
    if [[ -z $rest ]]; then break; fi
    folder+=/${rest%%/*}
    if [[ $rest == */* ]]; then rest=${rest#*/}; else rest=; fi
    if [[ -L $folder ]]; then
      fail "\`$PERF_DIRECTORY\` leads through a link" 'give the path that the folder has in the repository itself'
    fi
  done
  suite=${suite#/}
  cd -- "$folder" || fail "there is no folder \`$PERF_DIRECTORY\`" "see the input \`working-directory\`"
}

# Puts the files that the lines of `input` name into the array `files`.
find_inputs() {
  find_files input "$PERF_INPUT"
  if ((${#files[@]} == 0)); then fail "the input \`input\` names no file"; fi
}

# Puts the files that lines of paths and patterns name into the array `files`.
find_files() { # INPUT LINES
  local line pattern found file IFS=
  files=()
  shopt -s nullglob
  while read -r line || [[ -n $line ]]; do
    pattern=$(trimmed "$line")
    if [[ -z $pattern ]]; then continue; fi
    pattern=$(path "$pattern")
    if [[ -e $pattern ]]; then
      files+=("$pattern")
      continue
    fi
    if [[ $pattern == *'**'* ]]; then
      fail "\`$line\` has a \`**\`, which not every runner's bash knows" "name each folder, with one \`*\` in its place"
    fi
    # With an empty IFS, this expands the pattern and splits nothing.
    # shellcheck disable=SC2206
    found=($pattern)
    if ((${#found[@]} == 0)); then
      fail "no file matches \`$(trimmed "$line")\`" "did the benchmark run, and write there? see the input \`$1\`"
    fi
    for file in "${found[@]}"; do files+=("$(path "$file")"); done
  done <<<"$2"
  shopt -u nullglob
}

# Puts how the inputs are read into the array `reading`: options, or nothing.
find_reading() {
  reading=()
  if [[ -n $PERF_FORMAT ]]; then reading+=("--format=$PERF_FORMAT"); fi
  if [[ $PERF_STRICT == true ]]; then reading+=(--strict); fi
}

# Puts what tells the machine into the array `specs`: nothing, or an option with the description's path. A runner
# that cannot be described has said why.
# shellcheck disable=SC2034
find_specs() {
  specs=()
  case $PERF_MACHINE_SPECS in
    false) ;;
    true)
      "$PERF_PROGRAMS/collect-machine-specs" --quiet --output-json "$PERF_FOLDER/machine-specs.json" >&2 ||
        fail 'this runner cannot be described' '`machine-specs: "false"` does without'
      specs=(--machine-specs "$PERF_FOLDER/machine-specs.json")
      ;;
    *)
      if [[ ! -f $(path "$PERF_MACHINE_SPECS") ]]; then
        fail "there is no machine description \`$PERF_MACHINE_SPECS\`" "\`machine-specs\` is \`true\`, \`false\` or a file"
      fi
      specs=(--machine-specs "$(path "$PERF_MACHINE_SPECS")")
      ;;
  esac
}
