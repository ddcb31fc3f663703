# Every recipe that CI runs too calls `.ci/run`, which needs no just.

# Where git for Windows has it.
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

# Whether the outputs of the examples are current
generated:
    .ci/run generated

# Regenerate the outputs of the examples, and the generated parts of docs/reference
demo:
    .ci/run demo

# Run the tests and go through snapshots that differ (needs cargo-insta)
snap:
    cargo insta test --workspace --review

# How fast it is: the parts, then whole commands beside grep (ARGS go to the latter: --large, --check)
bench *ARGS:
    cargo bench --workspace --bench '*'
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench -- {{ ARGS }}

# The same as rows, which the workflow `Performance` compares with the baseline
bench-rows:
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench -- --rows

# How often the rules are wrong and what they find: on HISTORIES, by simulation, on this machine (--help tells more)
power *HISTORIES:
    cargo run --release --manifest-path tools/Cargo.toml -p calibrate-perf-gate -- power {{ HISTORIES }}

# How often the rules are wrong and what they find in a history (ARGS: --history FILE …)
calibrate *ARGS:
    cargo run --release --manifest-path tools/Cargo.toml -p calibrate-perf-gate -- {{ ARGS }}

# What pairs find on this machine: real programs with 0, 2, 5 and 10% more work, beside hyperfine (ARGS: --blocks N …)
measure-power *ARGS:
    cargo run --release -p measure-perf --example power -- {{ ARGS }}

# A release without publishing it: archives, installed by INSTALL.md from a local server (variables: TARGETS, PROFILE=dev)
release-dry-run:
    .github/release/dry-run

# init, its workflow and run in a public project of each ecosystem whose toolchain is installed (NAMES: go pip …)
ecosystems *NAMES:
    .ci/ecosystems {{ NAMES }}

# The workflows and action.yml, checked by zizmor, actionlint and shellcheck
workflows:
    .ci/run workflows

# Every call of GitHub's API, checked against GitHub's own description of it (needs Node.js)
contract:
    .ci/run contract

# The programs on mutated fixtures, within limits of time and memory (ARGS: --executions N, --seed N, --only N …)
torture *ARGS:
    cargo run --release --manifest-path tools/Cargo.toml -p perf-bench --bin torture -- {{ ARGS }}

# Search for inputs that break a reader, for so many seconds (needs cargo-fuzz and a nightly toolchain)
fuzz TARGET="readers" SECONDS="600":
    mkdir -p fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }}
    cargo +nightly fuzz run {{ TARGET }} fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }} -- -dict=fuzz/{{ if TARGET == "formats" { "readers" } else { TARGET } }}.dict -max_total_time={{ SECONDS }}
