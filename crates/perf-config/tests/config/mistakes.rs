//! Error messages for `perf-gate.toml`.

use perf_config::Config;

/// The error as it is printed.
pub fn mistake(text: &str) -> String {
    let error = Config::parse(text).unwrap_err();
    let hint = error
        .hint
        .as_ref()
        .map(|hint| format!("\nhint: {hint}"))
        .unwrap_or_default();
    format!("{error}{hint}")
}

/// The error without its hint, which another test checks.
pub fn problem(text: &str) -> String {
    Config::parse(text).unwrap_err().to_string()
}

/// The position and the kind of an empty name.
pub fn unnamed(text: &str) -> (usize, usize, String) {
    let error = Config::parse(text).unwrap_err();
    let kind = error.message.strip_prefix("the ").unwrap();
    let kind = kind.strip_suffix(" is empty").unwrap();
    assert!(error.hint.is_some(), "{error}");
    (error.line, error.column, kind.to_owned())
}

#[test]
fn unknown_key_is_reported_with_its_position_and_the_nearest_key() {
    insta::assert_snapshot!(mistake("[[scenarios]]\nkey = 'a'\nlabl = 'A'\n"), @"
    3:1: unknown key `labl`
    hint: did you mean `label`?
    ");
    insta::assert_snapshot!(mistake("[page]\nheading-levels = 3\n"), @"
    2:1: unknown key `heading-levels`
    hint: did you mean `heading-level`?
    ");
    insta::assert_snapshot!(mistake("zzz = 3\n"), @"
    1:1: unknown key `zzz`
    hint: known names: `$schema`, `primary`, `methodology`, `run`, `why`, `files`, `refresh`, `comment`, `rows`, `baseline`, `scopes`, `backends`, `metrics`, `scenarios`, `comparison`, `page`, `deltas`, `gates`, `required`, `harness`, `review`, `history`, `waivers`, `formats`, `protocol`, `measure`
    ");
    insta::assert_snapshot!(mistake("[metrics.a]\nbetter = 'smaller'\n"), @"
    2:10: unknown value `smaller`
    hint: known names: `lower`, `higher`, `unknown`
    ");
    insta::assert_snapshot!(mistake("[metrics.a]\nformat = { decimal = 2 }\n"), @"
    2:12: unknown key `decimal`
    hint: did you mean `decimals`?
    ");
}

#[test]
fn duplicates_are_errors() {
    insta::assert_snapshot!(mistake("scenarios = [\n  { key = 'é' }, { key = 'é' },\n]\n"), @"2:26: a second scenario has the key `é`");
    insta::assert_snapshot!(mistake("[[scopes]]\nname = 'A'\n[[scopes]]\nname = 'A'\n"), @"4:8: duplicate scope `A`");
    insta::assert_snapshot!(mistake("rows.layouts = [['a', 'a']]"), @"1:17: the layout lists `a` twice");
    insta::assert_snapshot!(mistake("rows.layouts = [['a', 'b'], ['c', 'd']]"), @"1:29: a second layout of 2 metrics: lines would be ambiguous");
    insta::assert_snapshot!(mistake("rows.layouts = [[]]"), @"1:17: a layout needs at least one metric");
}

#[test]
fn invalid_values_are_errors() {
    insta::assert_snapshot!(mistake("[[scopes]]\nname = 'A'\nplatform = '(A'\n"), @"3:12: bad pattern `(A`: found open group without closing ')'");
    insta::assert_snapshot!(mistake("[deltas]\ntolerance = -0.5\n"), @"
    2:13: `tolerance` must be a fraction of at least 0, not `-0.5`
    hint: 0.33 means 33%
    ");
    insta::assert_snapshot!(mistake("[deltas]\nlimit = nan\n"), @r#"
    2:9: `limit` must be a fraction of at least 0 and below 1, or a percentage, not `nan`
    hint: 0.33 means 33%; `"150%"` allows 2.5 times the baseline
    "#);
    insta::assert_snapshot!(mistake("[page]\nheading-level = 7\n"), @"2:17: headings have levels 1 to 6, not `7`");
    insta::assert_snapshot!(mistake("[metrics.a]\nformat = { divide = 0 }\n"), @"2:21: values cannot be divided by `0`");
    insta::assert_snapshot!(mistake("[metrics.a]\ndecimals = 18\n"), @"2:12: at most 17 decimals, not `18`");
    insta::assert_snapshot!(mistake("[metrics.a]\nformula = 'b * (2'\n[metrics.b]\n"), @"2:11: bad formula `b * (2`: `)` is missing, at character 7");
    insta::assert_snapshot!(mistake("[metrics.a]\nformula = 'a * 2'\n"), @"2:11: bad formula `a * 2`: it refers to itself");
    insta::assert_snapshot!(mistake("[comparison]\nprefix = ''\nsubject = 'A'\ntechnologies = [{ key = 'A' }]\nscenarios = []\n"), @"2:10: the comparison's prefix is empty");
}

#[test]
fn comparison_pattern_contains_each_placeholder_once() {
    for pattern in [
        "{work}",
        "{work}{library}",
        "{work}/{work}/x",
        "{library}/{library}/x",
        "{work}/{library}/{work}",
    ] {
        let comparison = format!("pattern = '{pattern}'\nsubject = 'A'\n");
        let lists = "technologies = [{ key = 'A' }]\nscenarios = []\n";
        assert_eq!(
            problem(&format!("[comparison]\n{comparison}{lists}")),
            format!(
                "2:11: `{pattern}` must contain `{{work}}` and `{{library}}` once each, with text between them"
            )
        );
    }
}

#[test]
fn unknown_names_are_errors() {
    insta::assert_snapshot!(mistake("primary = 'decodeMs'\n[metrics.decodeNs]\n"), @"
    1:11: no metric is called `decodeMs`
    hint: did you mean `decodeNs`?
    ");
    insta::assert_snapshot!(problem("[metrics.decodeNs]\n[[gates]]\nmetric = 'encodeNs'\nrule = 'exact'\n"), @"3:10: no metric is called `encodeNs`");
    insta::assert_snapshot!(
        mistake("[comparison]\nprefix = 'C_'\nsubject = 'ours'\ntechnologies = [{ key = 'Ours' }]\nscenarios = []\n"),
        @"
    3:11: the subject `ours` is not among the technologies
    hint: did you mean `Ours`?
    "
    );
}

#[test]
fn report_words_are_corrected_to_config_words() {
    // The name from `--regression-threshold` is also accepted.
    let earlier = "[deltas]\nthreshold = 0.2\n[[gates]]\nmetric = 'timeNs'\nrule = 'threshold'\nthreshold = 0.1\n";
    assert_eq!(
        Config::parse(earlier).unwrap().deltas.limit.to_string(),
        "0.2"
    );
    insta::assert_snapshot!(mistake("[[gates]]\nmetric = 'timeNs'\nrule = 'fixed'\n"), @"
    3:8: unknown value `fixed`
    hint: did you mean `limit`?
    ");
}

#[test]
fn invalid_toml_is_an_error() {
    insta::assert_snapshot!(mistake("[page\n"), @"1:6: unclosed table, expected `]`");
    insta::assert_snapshot!(mistake("primary = 'a'\n<<<<<<< HEAD\n=======\n>>>>>>> main\n"), @"2:1: unresolved merge conflict");
    let windows = "primary = 'a'\r\n# é\r\n# é\r\n<<<<<<< HEAD\r\n=======\r\n>>>>>>> main\r\n";
    insta::assert_snapshot!(mistake(windows), @"4:1: unresolved merge conflict");
    insta::assert_snapshot!(mistake("[page]\nregion = 3\n"), @"2:10: invalid type: integer `3`, expected a string");
    insta::assert_snapshot!(mistake("[[scenarios]]\nlabel = 'no key'\n"), @"1:1: missing key `key`");
}

#[test]
fn serde_messages_are_reworded() {
    for (text, words) in [
        (
            "[metrics.a]\ndecimals = -1\n",
            "a whole number from 0 to 255",
        ),
        (
            "[[scopes]]\nname = 'A'\nprecedence = 'first'\n",
            "a whole number from 0 to 4294967295",
        ),
        ("[deltas]\ntolerance = 'two percent'\n", "a number"),
        ("primary = 3\n", "a string"),
        ("rows.layouts = 'a'\n", "a list"),
        ("scopes = 3\n", "a list"),
        ("page = 3\n", "a table"),
        ("metrics = []\n", "a table"),
        (
            "[metrics.a]\nformat = { thousands = 1 }\n",
            "`true` or `false`",
        ),
        ("[metrics.a]\nunit = 3\n", "a string"),
    ] {
        let mistake = mistake(text);
        assert!(mistake.ends_with(&format!("expected {words}")), "{mistake}");
    }
    insta::assert_snapshot!(mistake("[[scenarios]]\nkey = 'a'\n[[scenarios]]\nlabel = 'no key'\n"), @"3:1: missing key `key`");
    insta::assert_snapshot!(mistake("\"page`s\" = 1\n"), @"
    1:1: unknown key `page`s`
    hint: did you mean `page`?
    ");
    insta::assert_snapshot!(mistake("[metrics.x]\nformula = 'éé $ x'\n"), @"2:11: bad formula `éé $ x`: `$` is not expected here, at character 4");
}

#[test]
fn names_that_cannot_occur_in_rows_are_errors() {
    insta::assert_snapshot!(mistake("scenarios = [{ key = '' }]\n"), @"
    1:22: the scenario is empty
    hint: set it, or leave it out
    ");
    insta::assert_snapshot!(mistake("scenarios = [{ key = ' parse' }]\n"), @"
    1:22: ` parse` begins or ends with white space
    hint: remove the white space: names in rows are read without it
    ");
    assert_eq!(unnamed("[metrics.'']\n"), (1, 10, "metric".to_owned()));
    assert_eq!(
        unnamed("[metrics.a]\naliases = ['']\n"),
        (2, 12, "alias".to_owned())
    );
    insta::assert_snapshot!(mistake("rows.layouts = [['a', 'commit']]\n"), @"1:17: `commit` is a row column that is not a metric");
    insta::assert_snapshot!(mistake("[metrics.'run_index']\n"), @"1:10: `run_index` is a row column that is not a metric");
    insta::assert_snapshot!(mistake("[metrics.a]\naliases = ['Machine Class']\n"), @"2:12: `Machine Class` is a row column that is not a metric");
    assert_eq!(
        unnamed("rows.layouts = [['a', '']]\n"),
        (1, 17, "metric".to_owned())
    );
    assert_eq!(
        unnamed("[[scopes]]\nname = ''\n"),
        (2, 8, "scope".to_owned())
    );
    assert_eq!(
        unnamed("[[backends]]\nname = ''\n"),
        (2, 8, "backend".to_owned())
    );
    insta::assert_snapshot!(mistake("backends = [{ name = 'A' }, { name = 'A', platform = 'B' }]\n"), @"
    1:38: duplicate backend `A`
    hint: one `platform` can match several: `a|b`
    ");
    let comparison = "[comparison]\nprefix = 'C_'\nsubject = 'A'\n";
    assert_eq!(
        unnamed(&format!(
            "{comparison}technologies = [{{ key = 'A' }}, {{ key = '' }}]\nscenarios = []\n"
        )),
        (4, 40, "technology".to_owned())
    );
    assert_eq!(
        unnamed(&format!(
            "{comparison}technologies = [{{ key = 'A' }}]\nscenarios = [{{ key = '' }}]\n"
        )),
        (5, 22, "comparison scenario".to_owned())
    );
}

#[test]
fn invalid_page_settings_are_errors() {
    insta::assert_snapshot!(mistake("[page]\nheading = 'Speed, {scpoe}'\n"), @"
    2:11: unknown placeholder `{scpoe}`
    hint: did you mean `scope`?
    ");
    insta::assert_snapshot!(mistake("[page]\nregion = 'a b --> c'\n"), @"
    2:10: invalid region name `a b --> c`
    hint: region names consist of letters, digits, `.`, `-` and `_`
    ");
    insta::assert_snapshot!(
        mistake("[comparison]\nprefix = 'C_'\nsubject = 'A'\ntechnologies = [{ key = 'A' }]\nscenarios = []\n\
                 matrices = [{ metric = 'x', heading = 'Speed {here}' }]\n"),
        @"
    6:39: unknown placeholder `{here}`
    hint: did you mean `where`?
    "
    );
    assert!(
        Config::parse("[page]\nheading = '{where}: {scope} {backend} {'\nregion = 'a.B-c_1'\n")
            .is_ok()
    );
}

#[test]
fn gates_that_never_fail_are_errors() {
    insta::assert_snapshot!(problem("[deltas]\nlimit = 33\n"), @r#"2:9: `limit` must be a fraction of at least 0 and below 1, or a percentage, not `33`"#);
    insta::assert_snapshot!(problem("gates = [{ metric = 'x', rule = 'limit', limit = 1.0 }]\n"), @r#"1:50: `limit` must be a fraction of at least 0 and below 1, or a percentage, not `1.0`"#);
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'exact', limit = 0.1 }]\n"), @r#"
    1:50: an exact gate has no limit
    hint: only `rule = "limit"` has a limit
    "#);
}

#[test]
fn circular_fallbacks_are_errors() {
    insta::assert_snapshot!(mistake("[metrics.a]\nformula = 'b + 1'\n[metrics.b]\nformula = 'a * 2'\n"), @"2:11: bad formula `b + 1`: `b` is itself computed");
    insta::assert_snapshot!(mistake("[metrics.a]\nfallback-for = 'a'\n"), @"2:16: `a` would be its own fallback");
    insta::assert_snapshot!(mistake("[metrics.a]\nfallback-for = 'b'\n[metrics.b]\nfallback-for = 'c'\n[metrics.c]\nfallback-for = 'b'\n"), @"4:16: `b` would be its own fallback");
    // The wall clock is a fallback for throughput by default.
    insta::assert_snapshot!(mistake("[metrics.emitsPerSecond]\nfallback-for = 'wallClockMs'\n"), @"2:16: `emitsPerSecond` would be its own fallback");
}

#[test]
fn ambiguous_aliases_are_errors() {
    insta::assert_snapshot!(mistake("[metrics.a]\naliases = ['b']\n[metrics.b]\n"), @"2:12: the alias `b` is itself a metric");
    insta::assert_snapshot!(mistake("[metrics.a]\naliases = ['x']\n[metrics.b]\naliases = ['x']\n"), @"4:12: the alias `x` already stands for `a`");
    insta::assert_snapshot!(mistake("[metrics.ops]\naliases = ['n']\n[rows]\nlayouts = [['ops', 'n']]\n"), @"4:12: the layout lists `ops` twice, here as `n`");
}

#[test]
fn layout_metrics_are_known() {
    assert!(
        Config::parse("gates = [{ metric = 'emitsPerSecond', rule = 'exact' }]\n[metrics.x]\n")
            .is_ok()
    );
    insta::assert_snapshot!(mistake("primary = 'z'\nrows.layouts = [['x', 'y'], ['x']]\n[metrics.x]\n"), @"
    1:11: no metric is called `z`
    hint: known names: `x`, `y`
    ");
}

#[test]
fn size_and_depth_are_limited() {
    insta::assert_snapshot!(mistake(&"#".repeat(4 * 1024 * 1024 + 1)), @"1:1: the config is larger than 4 MiB");
    let deep = 10_000;
    for text in [
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}1{}", "{a=".repeat(deep), "}".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
    ] {
        let why = mistake(&text);
        assert!(why.starts_with("1:") && why.contains("recurs"), "{why}");
    }
}
