#!/usr/bin/env bash
# Writes baseline and page anew from the rows, in the folder of the suite. Refreshing does it again when the branch has
# other versions of them.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

find_inputs
find_specs
find_reading
config=()
if [[ -n $PERF_CONFIG ]]; then config=(--config "$(path "$PERF_CONFIG")"); fi

if [[ $PERF_AGGREGATE == true ]]; then rows=(--aggregate); else rows=(); fi
# The baseline has all rows, whatever a pull request is compared by: another scope must not erase this one.
"$PERF_PROGRAMS/extract-perf-baseline" --input "${files[@]}" ${reading[@]+"${reading[@]}"} --output "$(path "$PERF_BASELINE")" --replace \
  ${config[@]+"${config[@]}"} ${specs[@]+"${specs[@]}"} ${rows[@]+"${rows[@]}"}

if [[ -z $PERF_DOCUMENT ]]; then exit 0; fi
page=()
if [[ -n $PERF_REGION ]]; then page+=("--region=$PERF_REGION"); fi
if [[ -n $PERF_PACKAGES ]]; then page+=(--packages "$(path "$PERF_PACKAGES")"); fi
if [[ -n $PERF_PLATFORM_SUBSTRING ]]; then page+=("--platform-substring=$PERF_PLATFORM_SUBSTRING"); fi
"$PERF_PROGRAMS/render-perf-doc" --input "${files[@]}" ${reading[@]+"${reading[@]}"} --doc "$(path "$PERF_DOCUMENT")" \
  ${config[@]+"${config[@]}"} ${specs[@]+"${specs[@]}"} ${page[@]+"${page[@]}"}
