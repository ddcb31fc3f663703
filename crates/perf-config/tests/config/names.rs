//! Names that can only be checked against rows, and gates that can never fail.

use perf_config::{Config, NamesOfRows};

use crate::mistakes::mistake;

/// The error for a config and rows with these metrics and benchmarks, in the scope `linux`.
fn misspelt(text: &str, metrics: &[&str], benchmarks: &[&str]) -> String {
    let rows = NamesOfRows {
        metrics: metrics.iter().copied().collect(),
        benchmarks: benchmarks.iter().copied().collect(),
        scopes: ["linux"].into_iter().collect(),
    };
    let found = Config::parse(text).unwrap().check_names(&rows);
    found.err().map_or_else(String::new, |error| {
        format!(
            "{error}{}",
            error
                .hint
                .as_ref()
                .map(|hint| format!(" ({hint})"))
                .unwrap_or_default()
        )
    })
}

#[test]
fn unknown_metric_is_an_error() {
    let waiver = "reason = 'x', by = 'me', until = 2026-12-31 }]";
    for text in [
        "deltas.also = ['alocs']",
        "primary = 'alocs'",
        "scenarios = [{ key = 'a', primary = 'alocs' }]",
        "gates = [{ metric = 'alocs', rule = 'exact' }]",
        "gates = [{ metric = 'alocs', rule = 'none' }]",
        "gates = [{ metric = 'timeNs', max = 1, requires = 'alocs' }]",
        "gates = [{ metric = 'latencyP99Ms', rule = 'limit', values = 'alocs' }]",
        &format!("waivers = [{{ scenario = '*', metric = 'alocs', {waiver}"),
        "comparison = { pattern = '{work}/{library}', subject = 'us', technologies = [{ key = 'us' }], \
         scenarios = [], matrices = [{ metric = 'alocs' }] }",
    ] {
        let said = misspelt(text, &["timeNs", "allocs"], &["a"]);
        let expected = "no metric is called `alocs`, neither in the config nor in any row (did you mean `allocs`?)";
        assert!(
            said.starts_with("1:") && said.ends_with(expected),
            "{text}: {said}"
        );
    }
    let text = "deltas.also = ['alocs']";
    assert_eq!(misspelt(text, &["alocs"], &[]), "");
    assert_eq!(
        misspelt(
            "deltas.also = ['allocations', 'latencyP99Ms']",
            &["timeNs"],
            &[]
        ),
        "",
        "known"
    );
    assert_eq!(
        misspelt(
            "gates = [{ metric = 'alo*', rule = 'exact' }]",
            &["timeNs"],
            &[]
        ),
        "",
        "a pattern"
    );
    insta::assert_snapshot!(misspelt(text, &["timeNs"], &[]), @"1:16: no metric is called `alocs`, neither in the config nor in any row (known names: `timeNs`)");
}

#[test]
fn benchmark_similar_to_another_is_an_error() {
    let waiver = "reason = 'x', by = 'me', until = 2026-12-31 }]";
    let gate = "gates = [{ metric = 'timeNs', rule = 'limit'";
    for text in [
        format!("waivers = [{{ scenario = 'decod_small', {waiver}"),
        format!("{gate}, scenarios = ['decod_small'] }}]"),
        format!("{gate}, relative-to = 'decod_small' }}]"),
        format!("{gate}, minus = 'decod_small' }}]"),
        "required = ['decod_small']".to_owned(),
        "required = [{ benchmark = 'decod_small', scope = 'linux' }]".to_owned(),
    ] {
        let said = misspelt(&text, &["timeNs"], &["decode_small", "encode"]);
        assert!(
            said.ends_with("nor in any row (did you mean `decode_small`?)"),
            "{text}: {said}"
        );
        assert_eq!(
            misspelt(&text, &["timeNs"], &["encode"]),
            "",
            "gone: {text}"
        );
    }
    let said = misspelt("required = [{ scope = 'linus' }]", &["timeNs"], &["a"]);
    assert!(said.contains("no scope is called `linus`"), "{said}");
    let numbered = "required = ['size_10']";
    assert_eq!(
        misspelt(numbered, &["timeNs"], &["size_100"]),
        "",
        "digits are meant to differ"
    );
}

#[test]
fn library_similar_to_another_is_an_error() {
    let text = |keys: &str| {
        format!(
            "[comparison]\nprefix = 'vs_'\nsubject = 'flume'\ntechnologies = [{{ key = 'flume' }}, {keys}]\n\
             scenarios = [{{ key = 'send' }}]\n"
        )
    };
    let rows = ["vs_flume_send", "vs_crossbeam_send"];
    assert_eq!(
        misspelt(&text("{ key = 'crossbeam' }"), &["timeNs"], &rows),
        ""
    );
    assert_eq!(misspelt(&text("{ key = 'kanal' }"), &["timeNs"], &rows), "");
    let pattern =
        text("{ key = 'crosbeam' }").replace("prefix = 'vs_'", "pattern = '{work}/{library}'");
    let said = misspelt(&pattern, &["timeNs"], &["send/flume", "send/crossbeam"]);
    assert!(said.ends_with("(did you mean `crossbeam`?)"), "{said}");
    insta::assert_snapshot!(misspelt(&text("{ key = 'crosbeam' }"), &["timeNs"], &rows), @"4:44: no library is called `crosbeam`, neither in the config nor in any row (did you mean `crossbeam`?)");
}

#[test]
fn gates_that_can_never_fail_are_errors() {
    let gate = |entry: &str| mistake(&format!("gates = [{{ {entry} }}]\n"));
    insta::assert_snapshot!(gate("metric = 'maxMs', rule = 'limit'"), @"
    1:21: this gate can never fail: `maxMs` is a maximum, which varies too much to compare
    hint: limit it with `max`, or gate a percentile such as `latencyP99Ms`
    ");
    insta::assert_snapshot!(gate("metric = 'timeNs', rule = 'limit', scenarios = []"), @"
    1:21: `scenarios` is empty: this gate covers no benchmark
    hint: leave it out for all benchmarks
    ");
    insta::assert_snapshot!(gate("metric = 'timeNs', rule = 'limit', rows = 'comparison'"), @"
    1:21: `rows` needs a `[comparison]`
    hint: leave `rows` out for all benchmarks
    ");
    let twice = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\n[[gates]]\nmetric = 'timeNs'\nrule = 'exact'\n";
    insta::assert_snapshot!(mistake(twice), @"
    5:10: this gate is never used: the gate on line 2 covers all benchmarks of `timeNs`
    hint: put the gate with `scenarios` first, or remove one of the two gates
    ");
    for fine in [
        "metric = 'maxMs', max = 5",
        "metric = 'maxMs', rule = 'none'",
        "metric = 'maxMs', rule = 'equal'",
        "metric = 'peakMaxBytes', rule = 'limit'",
    ] {
        Config::parse(&format!("gates = [{{ {fine} }}]\n")).unwrap();
    }
    let score = "gates = [{ metric = 'score', rule = 'limit' }]";
    insta::assert_snapshot!(misspelt(score, &["score"], &[]), @r#"1:21: this gate can never fail: the better direction of `score` is unknown (set `better` in `[metrics.score]`, or use `rule = "equal"`)"#);
    let declared = format!("{score}\nmetrics.score.better = 'higher'");
    assert_eq!(misspelt(&declared, &["score"], &[]), "");
    assert_eq!(
        misspelt(
            "gates = [{ metric = 'score', rule = 'equal' }]",
            &["score"],
            &[]
        ),
        ""
    );
}
