//! Gates and failures, and how the headline reports changes that no gate covers.

use end_to_end::{Outcome, Project};

const LINE: &str = "render-perf-deltas --input now.csv --baseline-csv base.csv --exit-code";

fn project(config: &str, header: &str, before: &str, now: &str) -> Project {
    let rows = |commit: &str, values: &str| {
        let rows = values.split(' ').map(|row| {
            let (name, values) = row.split_once(':').unwrap();
            format!("{name},linux,{commit},-1,{values}\n")
        });
        format!(
            "scenario,platform,commit,runIndex,{header}\n{}",
            rows.collect::<String>()
        )
    };
    Project::empty()
        .with("perf-gate.toml", config)
        .with("base.csv", rows("0123abcd", before))
        .with("now.csv", rows("4567cdef", now))
}

/// The headline, after the exit code and `changed`.
fn headline(outcome: &Outcome) -> String {
    let last = outcome.stderr.lines().last().unwrap_or_default();
    let [code, changed] = [
        outcome.code.unwrap_or(-1).to_string(),
        outcome.out().lines().next().unwrap().into(),
    ];
    format!("{code} {changed} {}", last.trim_start_matches("note: "))
}

#[test]
fn headline_lists_changes_that_no_gate_covers() {
    let only = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nonly = true\n";
    let said = [
        ("", "score,timeNs", "a:1,5", "a:10,5"),
        ("", "score", "a:1", "a:10"),
        (only, "timeNs,memoryBytes", "a:5,500", "a:5,9000"),
        (only, "timeNs,memoryBytes", "a:5,0", "a:5,9000"),
        (only, "timeNs,memoryBytes", "a:5,500", "a:6.5,9000"),
        (only, "timeNs,memoryBytes", "a:5,500", "a:5,600"),
        ("gates = []", "timeNs,memoryBytes", "a:5,500", "a:5,9000"),
        ("", "opsPerSecond", "a:1000 b:9", "a:20000000 b:9"),
        ("", "timeNs", "a:1000 b:9", "a:0 b:9"),
        ("", "timeNs,memoryBytes", "a:5,704", "a:5,0"),
        ("required = ['b']", "timeNs", "a:5", "a:5"),
        (
            "[[gates]]\nmetric = 'allocations'\nrule = 'exact'\n",
            "timeNs",
            "a:5",
            "a:5",
        ),
    ]
    .map(|(config, header, before, now)| headline(&project(config, header, before, now).run(LINE)));
    insta::assert_snapshot!(said.join("\n").replace('\u{a0}', " "), @"
    0 changed=true 1 metric changed in an unknown direction (up to 10×; set better in [metrics])
    0 changed=true 1 metric changed in an unknown direction (up to 10×; set better in [metrics]) · nothing is gated
    0 changed=true Not gated: a Memory +1,700% worse
    0 changed=true Not gated: a Memory 0 KiB → 8.79 KiB
    0 changed=true Not gated: a Memory +1,700% worse
    0 changed=true 1 benchmark within limits
    0 changed=true Not gated: a Memory +1,700% worse · nothing is gated
    0 changed=true 1 benchmark probably stopped working (a 20,000× faster)
    0 changed=true 1 benchmark probably stopped working (a fell to 0)
    0 changed=true 1 benchmark within limits · 1 improved
    1 changed=false 1 required benchmark not measured: b
    0 changed=false 1 benchmark within limits
    ");
}

#[test]
fn gate_on_unknown_benchmarks_lists_those_in_the_run() {
    let config = "[[gates]]\nmetric = 'timeNs'\nlimit = 0.1\nscenarios = ['nope*']\n";
    let outcome = project(config, "timeNs", "a:5", "a:5").run(LINE);
    let warning =
        "the gate on `timeNs` has no effect: no benchmark that matches `nope*` has the metric";
    assert!(
        outcome.mentions(&[warning, "known names: `a`"]),
        "{outcome}"
    );
    assert!(!outcome.mentions(&["leave it out"]), "{outcome}");

    let of_any_metric = config.replace("metric = 'timeNs'\n", "");
    let outcome = project(&of_any_metric, "timeNs", "a:5", "a:5").run(LINE);
    let warning = "the gate on `*` has no effect: no benchmark matches `nope*`";
    assert!(
        outcome.mentions(&[warning, "known names: `a`"]),
        "{outcome}"
    );
}

#[test]
fn gate_keeps_the_default_rules_for_other_metrics() {
    for (config, code) in [
        ("", 1),
        (
            "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = 0.1\n",
            1,
        ),
        ("deltas.also = ['timeNs']\n", 1),
        (
            "deltas.also = []\n[[gates]]\nmetric = 'timeNs'\nmax = '1 s'\n",
            1,
        ),
        (
            "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nonly = true\n",
            0,
        ),
        ("[[gates]]\nmetric = 'allocs'\nrule = 'none'\n", 0),
    ] {
        let outcome = project(config, "timeNs,allocs", "a:5,2", "a:5,8").run(LINE);
        assert_eq!(outcome.code, Some(code), "{config}: {outcome}");
    }
}

#[test]
fn unknown_names_are_rejected_at_their_position() {
    for (config, place) in [
        ("[deltas]\nalso = ['alocs']\n", "perf-gate.toml:2:9"),
        (
            "[[gates]]\nmetric = 'alocs'\nrule = 'exact'\n",
            "perf-gate.toml:2:10",
        ),
        ("required = ['parze']\n", "perf-gate.toml:1:13"),
        (
            "[[gates]]\nmetric = 'latencyMaxMs'\nrule = 'limit'\n",
            "perf-gate.toml:2:10",
        ),
    ] {
        let outcome = project(config, "timeNs,allocs", "parse:5,2", "parse:5,2").run(LINE);
        outcome.assert_refused(place, &[]);
    }
    // A metric or benchmark that only the baseline contains is known.
    let gone = project(
        "required = ['parse']\ndeltas.also = ['work']\n",
        "work",
        "parse:5",
        "other:5",
    )
    .run(LINE);
    assert_eq!(gone.code, Some(1), "{gone}");
}

#[test]
fn run_is_not_compared_with_itself_or_with_a_later_baseline() {
    let project = project(
        "",
        "timeNs,measuredAt",
        "a:5,2026-01-02T00:00:00Z",
        "a:5.1,2026-01-02T00:00:00Z",
    );
    assert_eq!(project.run(LINE).warnings(), [""; 0]);
    project.edit("base.csv", "2026-01-02", "2026-01-03");
    assert!(
        project
            .run(LINE)
            .mentions(&["warning: the baseline was measured on 2026-01-03, after this run"])
    );
    project.edit("base.csv", "2026-01-03", "2026-01-01");
    project.edit(
        "base.csv",
        "0123abcd",
        "4567cdef0123456789012345678901234567abcd",
    );
    assert!(project.run(LINE).mentions(&["compared with itself"]));
}

#[test]
fn url_is_rejected_as_a_baseline() {
    let project = project("", "timeNs", "a:5", "a:5");
    for line in [
        "render-perf-deltas --input now.csv --baseline-csv https://example.org/base.csv",
        "extract-perf-baseline --input now.csv --output s3://bucket/base.csv",
        "render-perf-doc --input now.csv --doc https://example.org/page.md",
        "perf-gate compare --input http://example.org/now.csv --baseline-csv base.csv",
    ] {
        project
            .run(line)
            .assert_refused("", &["is a URL, not a file", "hint: download it first"]);
    }
    project.write(
        "perf-gate.toml",
        "[files]\nbaseline = 'https://example.org/base.csv'\n",
    );
    project
        .run(LINE)
        .assert_refused("perf-gate.toml:2:13", &["is a URL, not a file"]);
}

#[test]
fn compared_libraries_may_be_named_like_criterion_groups() {
    let config = |shape: &str| {
        format!(
            "[comparison]\n{shape}\nsubject = 'flume'\ntechnologies = [{{ key = 'flume' }}, {{ key = 'kanal' }}]\n\
             scenarios = [{{ key = 'send' }}]\n"
        )
    };
    let run = |shape: &str, now: &str| {
        project(
            &config(shape),
            "timeNs",
            "send/flume:10 send/kanal:20 parse/small:10",
            now,
        )
        .run(LINE)
    };
    let pattern = "pattern = '{work}/{library}'";
    assert_eq!(
        run(pattern, "send/flume:10 send/kanal:80 parse/small:10").code,
        Some(0)
    );
    assert_eq!(
        run(pattern, "send/flume:40 send/kanal:20 parse/small:10").code,
        Some(1)
    );
    assert_eq!(
        run(pattern, "send/flume:10 send/kanal:20 parse/small:40").code,
        Some(1),
        "the project's own"
    );
    let unmatched = run(
        "prefix = 'vs_'",
        "send/flume:10 send/kanal:80 parse/small:10",
    );
    assert!(
        unmatched.mentions(&["`[comparison]` matches nothing", "`vs_{library}_{work}`"]),
        "{unmatched}"
    );
}
