//! What `perf-gate.toml` means, and how a mistake in it is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_rows::catalogue::{Catalogue, Family};

/// The mistake as people see it.
fn mistake(text: &str) -> String {
    let error = Catalogue::parse(text).unwrap_err();
    let hint = error.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    format!("{error}{hint}")
}

#[test]
fn an_unknown_key_is_told_with_its_place_and_the_nearest_one() {
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
    hint: known here: `$schema`, `primary`, `rows`, `scopes`, `backends`, `metrics`, `scenarios`, `comparison`, `page`, `deltas`, `gates`
    ");
    insta::assert_snapshot!(mistake("[metrics.a]\nbetter = 'smaller'\n"), @"
    2:10: unknown variant `smaller`
    hint: known here: `lower`, `higher`, `unknown`
    ");
    insta::assert_snapshot!(mistake("[metrics.a]\nformat = { decimal = 2 }\n"), @"
    2:12: unknown key `decimal`
    hint: did you mean `decimals`?
    ");
}

#[test]
fn what_is_there_twice_is_told() {
    insta::assert_snapshot!(mistake("scenarios = [\n  { key = 'é' }, { key = 'é' },\n]\n"), @"2:26: a second scenario has the key `é`");
    insta::assert_snapshot!(mistake("[[scopes]]\nname = 'A'\n[[scopes]]\nname = 'A'\n"), @"4:8: a second scope is called `A`");
    insta::assert_snapshot!(mistake("rows.layouts = [['a', 'a']]"), @"1:17: the layout names `a` twice");
    insta::assert_snapshot!(mistake("rows.layouts = [['a', 'b'], ['c', 'd']]"), @"1:29: a second layout of 2 metrics: lines could not be told apart");
    insta::assert_snapshot!(mistake("rows.layouts = [[]]"), @"1:17: a layout needs at least one metric");
}

#[test]
fn what_cannot_work_is_told() {
    insta::assert_snapshot!(mistake("[[scopes]]\nname = 'A'\nplatform = '(A'\n"), @"3:12: bad pattern `(A`: unclosed group");
    insta::assert_snapshot!(mistake("[deltas]\ntolerance = -0.5\n"), @"
    2:13: `tolerance` must be a fraction from 0 up, not `-0.5`
    hint: 0.33 stands for 33 %
    ");
    insta::assert_snapshot!(mistake("[deltas]\nthreshold = nan\n"), @"
    2:13: `threshold` must be a fraction from 0 up, not `NaN`
    hint: 0.33 stands for 33 %
    ");
    insta::assert_snapshot!(mistake("[page]\nheading-level = 7\n"), @"2:17: headings have levels 1 to 6, not `7`");
    insta::assert_snapshot!(mistake("[metrics.a]\nformat = { divide = 0 }\n"), @"2:21: values cannot be divided by `0`");
    insta::assert_snapshot!(mistake("[metrics.a]\ndecimals = 18\n"), @"2:12: at most 17 decimals, not `18`");
    insta::assert_snapshot!(mistake("[metrics.a]\nformula = 'b * (2'\n[metrics.b]\n"), @"2:11: bad formula `b * (2`: `)` is missing, at character 7");
    insta::assert_snapshot!(mistake("[metrics.a]\nformula = 'a * 2'\n"), @"2:11: bad formula `a * 2`: it needs itself");
    insta::assert_snapshot!(mistake("[comparison]\nprefix = ''\nsubject = 'A'\ntechnologies = [{ key = 'A' }]\nscenarios = []\n"), @"2:10: the comparison's prefix is empty");
}

#[test]
fn a_name_that_nothing_has_is_told() {
    insta::assert_snapshot!(mistake("primary = 'decodeMs'\n[metrics.decodeNs]\n"), @"
    1:11: no metric is called `decodeMs`
    hint: did you mean `decodeNs`?
    ");
    insta::assert_snapshot!(mistake("[metrics.decodeNs]\n[[gates]]\nmetric = 'encodeNs'\nrule = 'exact'\n"), @"
    3:10: no metric is called `encodeNs`
    hint: did you mean `decodeNs`?
    ");
    insta::assert_snapshot!(
        mistake("[comparison]\nprefix = 'C_'\nsubject = 'ours'\ntechnologies = [{ key = 'Ours' }]\nscenarios = []\n"),
        @"
    3:11: the subject `ours` is not among the technologies
    hint: did you mean `Ours`?
    "
    );
}

#[test]
fn what_is_no_toml_is_told() {
    insta::assert_snapshot!(mistake("[page\n"), @"1:6: unclosed table, expected `]`");
    insta::assert_snapshot!(mistake("[page]\nregion = 3\n"), @"2:10: invalid type: integer `3`, expected a string");
    insta::assert_snapshot!(mistake("[[scenarios]]\nlabel = 'no key'\n"), @"1:1: missing field `key`");
}

#[test]
fn overlapping_scopes_are_told_apart_by_precedence_and_listed_in_headline_order() {
    let catalogue = Catalogue::parse(
        "[[scopes]]\nname = 'Editor'\nbackend = 'JIT'\n[[scopes]]\nname = 'Player'\nprecedence = 0\n\
         [[backends]]\nname = 'AOT'\n",
    );
    let catalogue = catalogue.unwrap();
    assert_eq!(catalogue.scope_of("Editor x64"), Some((0, "Editor")));
    // Both have precedence 0: the first in the list wins.
    assert_eq!(catalogue.scope_of("Player in Editor"), Some((0, "Editor")));
    assert_eq!(catalogue.scope_of("Player"), Some((1, "Player")));
    assert_eq!(catalogue.scope_of("Players"), None);
    assert_eq!(catalogue.backend_of("Editor x64"), Some("JIT"));
    assert_eq!(catalogue.backend_of("Editor AOT"), Some("AOT"));
    assert_eq!(catalogue.backend_of("Player"), None);
}

#[test]
fn a_comparison_row_is_split_at_the_longest_listed_technology() {
    let catalogue = Catalogue::parse(
        "[comparison]\nprefix = 'Vs_'\nsubject = 'Ours'\nscenarios = [{ key = 'Send', label = 'Sending' }]\n\
         technologies = [{ key = 'Ours' }, { key = 'Ours_Fast' }]\n",
    );
    let catalogue = catalogue.unwrap();
    let compared = |technology, work| Family::Comparison { technology, work };
    assert_eq!(catalogue.family("Vs_Ours_Send"), compared("Ours", "Send"));
    assert_eq!(catalogue.family("Vs_Ours_Fast_Send"), compared("Ours_Fast", "Send"));
    assert_eq!(catalogue.family("Vs_New_Send_Twice"), compared("New", "Send_Twice"));
    assert_eq!(catalogue.family("Vs_"), Family::Own);
    assert_eq!(catalogue.label("Vs_Ours_Send"), "Sending");
    assert!(catalogue.lists("Vs_Ours_Send") && !catalogue.lists("Vs_New_Send"));
}

#[test]
fn what_is_in_force_is_a_catalogue_that_says_the_same() {
    for text in ["", include_str!("catalogue.toml")] {
        let effective = Catalogue::parse(text).unwrap().effective();
        assert_eq!(Catalogue::parse(&effective).unwrap().effective(), effective);
    }
    insta::assert_snapshot!(Catalogue::parse(include_str!("catalogue.toml")).unwrap().effective(), @r#"
    primary = "opsPerSecond"

    [rows]
    unlisted = "drop"
    layouts = [[
        "opsPerSecond",
        "allocations",
        "coldMs",
    ]]
    ignore-columns = ["note"]

    [[scopes]]
    name = "Server"
    platform = '\bServer GC\b'
    backend = "JIT"
    precedence = 0

    [[backends]]
    name = "AOT"

    [metrics.opsPerSecond]
    label = "Throughput"
    unit = "per-second"
    better = "higher"
    exact = false
    aliases = ["ops"]
    decimals = 3

    [metrics.opsPerSecond.format]
    divide = 1000000.0
    decimals = 2
    thousands = false
    suffix = " M ops/s"

    [metrics.allocations]
    label = "allocations"
    unit = "count"
    better = "lower"
    exact = true
    noun = "allocs"

    [metrics.allocations.format]
    divide = 1.0
    decimals = 0
    thousands = true
    suffix = ""

    [metrics.coldMs]
    label = "coldMs"
    unit = "ms"
    better = "lower"
    exact = false
    fallback-for = "opsPerSecond"

    [metrics.allocationsPerOp]
    label = "allocationsPerOp"
    unit = "count"
    better = "lower"
    exact = true
    formula = "allocations / opsPerSecond"

    [[scenarios]]
    key = "parse"
    label = "Parse a message"

    [[scenarios]]
    key = "start"
    primary = "coldMs"

    [comparison]
    prefix = "vs/"
    separator = "/"
    subject = "ours"
    label = "Technology"

    [[comparison.technologies]]
    key = "ours"

    [[comparison.technologies]]
    key = "theirs"
    label = "Their library"

    [[comparison.scenarios]]
    key = "parse"

    [[comparison.matrices]]
    metric = "opsPerSecond"
    bold-winner = true

    [page]
    region = "PERFORMANCE"
    heading-level = 3
    heading = "{where}"
    scenario-label = "Scenario"

    [[page.columns]]
    label = "Result"
    metric = "primary"
    always = false

    [[page.columns]]
    label = "Allocs"
    metric = "allocations"
    always = true

    [deltas]
    tolerance = 0.02
    threshold = 0.33
    plus = "larger"
    also = ["allocations"]

    [[gates]]
    metric = "opsPerSecond"
    rule = "threshold"
    threshold = 0.2
    rows = "all"
    scenarios = ["par*"]
    requires = "opsPerSecond"
    "#);
}
