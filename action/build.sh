#!/usr/bin/env bash
# Builds the programs from the action's own source, away from the caller's toolchain files and cargo configuration.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

programs=(extract-perf-baseline render-perf-doc render-perf-deltas collect-machine-specs upsert-pr-comment
  publish-perf-refresh)

cd "$(slashes "$GITHUB_ACTION_PATH")"
unset RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER
export CARGO_TARGET_DIR=$PERF_PROGRAMS-target
arguments=()
for program in "${programs[@]}"; do arguments+=(--bin "$program"); done
guarded cargo build --locked --release "${arguments[@]}" ||
  fail 'the programs cannot be built' 'the toolchain may be older than `rust-version` in Cargo.toml'

mkdir -p "$PERF_PROGRAMS"
for program in "${programs[@]}"; do
  for built in "$CARGO_TARGET_DIR/release/$program" "$CARGO_TARGET_DIR/release/$program.exe"; do
    if [[ -f $built ]]; then cp "$built" "$PERF_PROGRAMS/"; fi
  done
  if [[ ! -f $PERF_PROGRAMS/$program && ! -f $PERF_PROGRAMS/$program.exe ]]; then
    fail "the build left no \`$program\`" 'a configuration of cargo on this runner may say where else it is'
  fi
done
