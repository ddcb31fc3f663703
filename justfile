# Every recipe that CI also runs calls `.ci/run`, which does not need just.

# The path in Git for Windows.
set windows-shell := ["bash", "-cu"]

[private]
default:
    @just --list

# Everything that a change must pass
ci:
    .ci/run

# All tests
test:
    .ci/run test

# Formatting, clippy and rustdoc, with warnings denied
lint:
    .ci/run fmt clippy doc

# Check that the outputs of the examples are current
generated:
    .ci/run generated

# Regenerate the outputs of the examples, and the generated parts of docs/reference
demo:
    .ci/run demo

# Run the tests and review changed snapshots (needs cargo-insta)
snap:
    cargo insta test --workspace --review

# Benchmarks: parts, then whole commands compared with grep (ARGS for the latter: --large, --check)
bench *ARGS:
    cargo bench --workspace --bench '*'
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench -- {{ ARGS }}

# The same as rows, which the workflow `Performance` compares with the baseline
bench-rows:
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench -- --rows

# False alarms and detected slowdowns: in HISTORIES, in simulations, on this machine (details: --help)
power *HISTORIES:
    cargo run --release --manifest-path tools/Cargo.toml -p calibrate-perf-gate -- power {{ HISTORIES }}

# False alarms and detected slowdowns in a history (ARGS: --history FILE …)
calibrate *ARGS:
    cargo run --release --manifest-path tools/Cargo.toml -p calibrate-perf-gate -- {{ ARGS }}

# Slowdowns that pairs detect on this machine: real programs with 0, 2, 5 and 10% more work, compared with hyperfine (ARGS: --blocks N …)
measure-power *ARGS:
    cargo run --release --manifest-path tools/Cargo.toml --bin pairs-power -- {{ ARGS }}

# Build a release without publishing it, and install it by INSTALL.md from a local server (variables: TARGETS, PROFILE=dev)
release-dry-run:
    .github/release/dry-run

# init, its workflow and run in a public project of each ecosystem whose toolchain is installed (NAMES: go pip …)
ecosystems *NAMES:
    .ci/ecosystems {{ NAMES }}

# Check the workflows and action.yml with zizmor, actionlint and shellcheck
workflows:
    .ci/run workflows

# Check every call of GitHub's API against its description (needs Node.js)
contract:
    .ci/run contract

# Run the programs on mutated fixtures with limits on time and memory (ARGS: --executions N, --seed N, --only N …)
torture *ARGS:
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench --bin torture -- {{ ARGS }}

# Search for inputs that break a reader, for SECONDS (needs cargo-fuzz and a nightly toolchain)
fuzz TARGET="readers" SECONDS="600":
    mkdir -p fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }}
    cargo +nightly fuzz run {{ TARGET }} fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }} -- -dict=fuzz/{{ if TARGET == "formats" { "readers" } else { TARGET } }}.dict -max_total_time={{ SECONDS }}
