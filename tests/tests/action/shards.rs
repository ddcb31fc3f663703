//! A suite that is divided among matrix jobs.

use end_to_end::action::{ActionReport, ActionRun, Workspace};
use fake_github::Fake;
use fake_github::account::{ACTIONS, Permission, Token};
use serde_json::json;

use super::scene::{Pull, configure, empty, github_of, pull_request_to};

/// Imitates Google Benchmark with the times in the file `times`, and supports its filter.
const BENCH: &str = r#"#!/bin/sh
filter=. repetitions=1
for option; do
  case $option in
    --benchmark_filter=*) filter=${option#*=} ;;
    --benchmark_repetitions=*) repetitions=${option#*=} ;;
  esac
done
echo "$filter" >>"$HOME/filters"
echo '{"context": {"num_cpus": 4, "library_build_type": "release"}, "benchmarks": ['
joint=
while read -r name time; do
  echo "$name" | grep -Eq "$filter" || continue
  for index in $(seq 0 $((repetitions - 1))); do
    printf '%s{"name": "%s", "run_name": "%s", "run_type": "iteration", "repetitions": %s, "repetition_index": %s, "threads": 1, "iterations": 10, "real_time": %s, "cpu_time": %s, "time_unit": "ns"}\n' \
      "$joint" "$name" "$name" "$repetitions" "$index" "$time" "$time"
    joint=,
  done
done <times
echo ']}'
"#;

/// A pull request that changes the times of four benchmarks; three of them have recorded times.
pub(super) fn divided_suite(after: &str) -> Pull {
    let workspace = empty();
    configure(&workspace, "[run]\nformat = \"google-benchmark\"\n");
    workspace.write("bench.sh", BENCH);
    workspace.write("src/bench.cpp", "BENCHMARK(parse);\nBENCHMARK(sort);\n");
    workspace.write(
        "perf-baseline.csv",
        "scenario,platform,commit,runIndex,timeS\nparse,,1111111,-1,5\nprint,,1111111,-1,2\nsort,,1111111,-1,2\n",
    );
    workspace.write("times", "parse 100\nprint 100\nsort 100\n");
    workspace.push("main", "Begin");
    pull_request_to(workspace, "", |workspace| workspace.write("times", after))
}

const WORKS: &str = "ghs_shards";

fn with_checks(pull: &Pull) -> Fake {
    let fake = github_of(pull);
    let writes = [Permission::PullRequests, Permission::Checks].into();
    let token = Token {
        writes,
        bypasses: false,
        ..Token::new(ACTIONS)
    };
    fake.with(|world| world.tokens.insert(WORKS.to_owned(), token));
    fake
}

fn job<'p>(
    pull: &'p Pull,
    fake: &Fake,
    (values, shard): (&str, &str),
    jobs: usize,
) -> ActionRun<'p> {
    let run = pull
        .run()
        .input("results", "")
        .input("run", "./bench.sh")
        .input("build", "chmod +x bench.sh");
    run.input("shard", shard)
        .matrix(json!({ "shard": values }), jobs)
        .api(fake.url(), WORKS)
}

fn body(fake: &Fake) -> String {
    let comments = fake.comments(5);
    assert_eq!(comments.len(), 1);
    comments[0].body.clone()
}

pub(super) fn filters(workspace: &Workspace) -> Vec<String> {
    let text = std::fs::read_to_string(workspace.root().join("filters")).unwrap();
    std::fs::remove_file(workspace.root().join("filters")).unwrap();
    let mut filters: Vec<String> = text.lines().map(str::to_owned).collect();
    filters.sort();
    filters.dedup();
    filters
}

#[test]
fn shards_measure_every_benchmark_once_and_report_in_one_comment() {
    let pull = divided_suite("parse 100\nprint 100\nsort 200\nnew 100\n");
    let fake = with_checks(&pull);
    let first: ActionReport = job(&pull, &fake, ("1", "1/2"), 2).run();
    assert!(first.passed(), "{}", first.log);
    // The benchmark with the longest recorded time gets a shard of its own.
    assert_eq!(filters(&pull.workspace), [".", "^(parse)$"]);
    assert_eq!(
        (
            first.output("compared"),
            first.output("missing"),
            first.output("new")
        ),
        ("1", "0", "0")
    );
    let text = body(&fake);
    assert!(
        text.contains("\n### ⏳ 1 of 2 jobs passed · still to report: 1: shard 2 of 2\n"),
        "{text}"
    );
    let second = job(&pull, &fake, ("2", "2/2"), 2).run();
    assert_eq!(second.output("failed"), "regressed", "{}", second.log);
    // Benchmarks that are undecided after the interim analyses are measured separately.
    assert_eq!(filters(&pull.workspace)[..2], [".", "^(new|print|sort)$"]);
    assert_eq!(
        (
            second.output("compared"),
            second.output("missing"),
            second.output("new")
        ),
        ("2", "0", "1")
    );
    let text = body(&fake);
    assert!(
        text.contains("\n### ❌ 1 of 2 jobs failed: `perf (2)`\n"),
        "{text}"
    );
    assert!(
        text.contains("This run covers shard 2 of 2: 3 of 4 benchmarks."),
        "{text}"
    );
}

#[test]
fn missing_or_duplicate_shard_is_an_error() {
    let pull = divided_suite("parse 100\nprint 100\nsort 100\n");
    let fake = with_checks(&pull);
    for (shard, jobs) in [("1/2", 3), ("1/2", 1), ("3/2", 2), ("1", 2)] {
        let report = job(&pull, &fake, ("1", shard), jobs).run();
        assert_eq!(
            report.failed(),
            Some("Plan"),
            "{shard} of {jobs}: {}",
            report.log
        );
    }
    assert!(job(&pull, &fake, ("1", "1/2"), 2).run().passed());
    let twice = job(&pull, &fake, ("1/2", "1/2"), 2).run();
    assert_eq!(twice.failed(), Some("Publish"), "{}", twice.log);
    let text = body(&fake);
    assert!(
        text.contains("\n### ❌ shard 1 of 2 reported twice · "),
        "{text}"
    );
}

#[test]
fn job_after_all_shards_reports_the_missing_one() {
    let pull = divided_suite("parse 100\nprint 100\nsort 100\n");
    let fake = with_checks(&pull);
    let complete = |result: &str| {
        let needs = json!({ "perf": { "result": result, "outputs": {} } }).to_string();
        pull.run()
            .input("results", "")
            .input("complete", &needs)
            .api(fake.url(), WORKS)
            .run()
    };
    for shard in ["1", "3"] {
        assert!(
            job(&pull, &fake, (shard, &format!("{shard}/3")), 3)
                .run()
                .passed()
        );
    }
    for result in ["failure", "success"] {
        let report = complete(result);
        assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
        let told = report
            .annotations("error")
            .iter()
            .any(|text| text.contains("shard 2 of 3 has not reported"));
        assert!(told, "{}", report.log);
        let text = body(&fake);
        assert!(
            text.contains("\n### ❌ shard 2 of 3 has not reported · 2 of 3 jobs passed\n"),
            "{text}"
        );
        assert!(
            text.contains("\nA job that ended without a report compared nothing: "),
            "{text}"
        );
    }
    let again = job(&pull, &fake, ("2", "2/3"), 3)
        .env("GITHUB_RUN_ATTEMPT", "2")
        .run();
    assert!(again.passed(), "{}", again.log);
    assert!(complete("success").passed());
    assert!(
        body(&fake).contains("\n### ✅ 3 of 3 jobs passed\n"),
        "{}",
        body(&fake)
    );
    assert!(!complete("cancelled").passed());
}

#[test]
fn benchmark_that_the_pull_request_removes_is_missing_in_its_shard() {
    let pull = divided_suite("parse 100\nprint 100\n");
    let fake = with_checks(&pull);
    let first = job(&pull, &fake, ("1", "1/2"), 2).run();
    assert_eq!(first.output("missing"), "0", "{}", first.log);
    filters(&pull.workspace);
    let second = job(&pull, &fake, ("2", "2/2"), 2).run();
    assert_eq!(second.output("failed"), "missing", "{}", second.log);
    // Only the base runs the removed benchmark, and base and head run in one folder.
    assert_eq!(
        filters(&pull.workspace)[..3],
        [".", "^(print)$", "^(print|sort)$"]
    );
    let text = body(&fake);
    assert!(text.contains("sort"), "{text}");
}

#[test]
fn shard_without_a_benchmark_and_tool_without_a_filter_are_errors() {
    let pull = divided_suite("parse 100\n");
    let fake = with_checks(&pull);
    let report = job(&pull, &fake, ("4", "4/4"), 4).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        body(&fake).contains("found no benchmark for shard 4/4"),
        "{}",
        body(&fake)
    );
    let shell = job(&pull, &fake, ("1", "1/2"), 2)
        .input("run", "sh -c './bench.sh | cat'")
        .run();
    assert_eq!(shell.failed(), Some("Publish"), "{}", shell.log);
    assert!(
        shell.log.contains("cannot select benchmarks: "),
        "{}",
        shell.log
    );
}
