//! The meaning of `perf-gate.toml`, and the effective config.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "config/gates.rs"]
mod gates;
#[path = "config/mistakes.rs"]
mod mistakes;
#[path = "config/names.rs"]
mod names;
#[path = "config/trust.rs"]
mod trust;

use perf_model::suite::Definitions;
use std::fmt::Write;

use perf_config::Config;
use perf_model::suite::Family;
use perf_readers::Collector;
use perf_readers::baseline;

use self::mistakes::mistake;

#[test]
fn metric_aliases_are_accepted_everywhere() {
    let config = Config::parse(
        "primary = 'ops'\nrows.layouts = [['ops', 'ms'], ['emitsPerSec']]\n\
         [metrics.opsPerSecond]\naliases = ['ops']\n[metrics.perOp]\nformula = '1000 / ops'\n",
    );
    let config = config.unwrap();
    assert_eq!(config.primary.as_deref(), Some("opsPerSecond"));
    assert_eq!(
        format!("{:?}", config.layouts),
        r#"[["opsPerSecond", "ms"], ["emitsPerSecond"]]"#
    );
    let formula = config.metric("perOp").formula.clone().unwrap();
    assert_eq!(
        formula.evaluate(&|name| (name == "opsPerSecond").then_some(10.0)),
        Some(100.0)
    );
    assert_eq!(config.metric_name("ops"), "opsPerSecond");
    // A config may also list the abbreviation itself as a metric.
    let own = Config::parse("[metrics.emitsPerSec]\n").unwrap();
    assert_eq!(own.metric_name("emitsPerSec"), "emitsPerSec");
    assert_eq!(
        Config::default().metric_name("emitsPerSec"),
        "emitsPerSecond"
    );
}

#[test]
fn listed_scenario_is_never_a_comparison_row() {
    const VS: &str = "[comparison]\nprefix = 'vs_'\nsubject = 'ours'\nscenarios = [{ key = 'send' }]\n\
                      technologies = [{ key = 'ours' }]\n[[scenarios]]\n";
    let config =
        Config::parse(&format!("{VS}key = 'vs_report_total'\nlabel = 'Report'\n")).unwrap();
    assert_eq!(config.family("vs_report_total"), Family::Own);
    assert_eq!(config.label("vs_report_total"), "Report");
    assert!(config.lists("vs_report_total") && !config.lists("vs_report_parts"));
    insta::assert_snapshot!(mistake(&format!("{VS}key = 'vs_ours_send'\n")), @"
    7:7: `vs_ours_send` already means `send` of `ours` in the comparison
    hint: list `send` in the scenarios of the comparison instead
    ");
}

#[test]
fn overlapping_scopes_are_selected_by_precedence_and_listed_in_headline_order() {
    let config = Config::parse(
        "[[scopes]]\nname = 'Editor'\nbackend = 'JIT'\n[[scopes]]\nname = 'Player'\nprecedence = 0\n\
         [[backends]]\nname = 'AOT'\n",
    );
    let config = config.unwrap();
    assert_eq!(config.scope_of("Editor x64"), Some((0, "Editor")));
    assert_eq!(config.scope_of("Player in Editor"), Some((1, "Player")));
    assert_eq!(config.scope_of("Player"), Some((1, "Player")));
    assert_eq!(config.scope_of("Players"), None);
    assert_eq!(config.backend_of("Editor x64"), Some("JIT"));
    assert_eq!(config.backend_of("Editor AOT"), Some("AOT"));
    assert_eq!(config.backend_of("Player"), None);
}

#[test]
fn explicit_precedence_wins_over_a_missing_one() {
    let scopes =
        "scopes = [{ name = 'A' }, { name = 'B' }, { name = 'C', precedence = 4294967295 }]\n";
    let config = Config::parse(scopes).unwrap();
    assert_eq!(config.scope_of("A B C"), Some((2, "C")));
    assert_eq!(config.scope_of("B A"), Some((0, "A")));
}

#[test]
fn comparison_row_is_split_at_the_longest_listed_technology() {
    let config = Config::parse(
        "[comparison]\nprefix = 'Vs_'\nsubject = 'Ours'\nscenarios = [{ key = 'Send', label = 'Sending' }]\n\
         technologies = [{ key = 'Ours' }, { key = 'Ours_Fast' }]\n",
    );
    let config = config.unwrap();
    let compared = |technology, work| Family::Comparison { technology, work };
    assert_eq!(config.family("Vs_Ours_Send"), compared("Ours", "Send"));
    assert_eq!(
        config.family("Vs_Ours_Fast_Send"),
        compared("Ours_Fast", "Send")
    );
    assert_eq!(
        config.family("Vs_New_Send_Twice"),
        compared("New", "Send_Twice")
    );
    assert_eq!(config.family("Vs_"), Family::Own);
    assert_eq!(config.label("Vs_Ours_Send"), "Sending");
    assert!(config.lists("Vs_Ours_Send") && !config.lists("Vs_New_Send"));
}

/// Describes the effect of a config: the baseline it writes, the metrics of each scenario, and all other settings.
fn behaviour(config: &Config) -> String {
    const ROWS: &str = "scenario,platform,decodeNs,x,gcAllocations,wallClockMs,ops\n\
                        A,linux x64,120,1,2,10.0001,\nB,mac,7.25,,0,3,5\n";
    const LINES: &str =
        "C,linux x64,0123abcd,-1,1250.5\nD,mac,0123abcd,-1,1250.5,3,1000.00049,96\n";
    let mut collector = Collector::new(config);
    collector.read("rows.csv", &mut ROWS.as_bytes()).unwrap();
    collector.read("run.log", &mut LINES.as_bytes()).unwrap();
    let rows = collector.finish().rows;
    let mut described = baseline::write(&rows, &[], config).unwrap();
    for row in &rows {
        let (scenario, platform) = (&*row.scenario, &*row.platform);
        let place = (config.scope_of(platform), config.backend_of(platform));
        let scenario = (
            config.label(scenario),
            config.lists(scenario),
            config.primary_of(scenario),
        );
        let metrics: Vec<_> = row
            .metrics
            .iter()
            .map(|(name, _)| config.metric(name))
            .collect();
        writeln!(described, "{place:?} {scenario:?} {metrics:?}").unwrap();
    }
    let Config {
        comparison,
        page,
        deltas,
        gates,
        harness,
        history,
        waivers,
        ..
    } = config;
    let listed: Vec<_> = config.listed_metrics().collect();
    let page = toml::to_string(page).unwrap();
    writeln!(described, "{harness:?} {history:?} {waivers:?}").unwrap();
    writeln!(
        described,
        "{listed:?} {comparison:?} {page:?} {deltas:?} {gates:?}"
    )
    .unwrap();
    described
}

#[test]
fn effective_config_has_the_same_behaviour() {
    for text in [
        "",
        include_str!("perf-gate.toml"),
        include_str!("config/trust.toml"),
        "primary = 'decodeNs'\n",
        "gates = [{ metric = 'x', rule = 'exact' }]\n",
        "rows.layouts = [['wallClockMs']]\n",
        "rows.layouts = [['wallClockMs']]\n[metrics.wallClockMs]\n",
        "primary = 'ops'\n[metrics.opsPerSecond]\naliases = ['ops']\n",
        "deltas.limit = 0.33\n",
        "deltas.fail-on = []\n[history]\nsuspects = 'fail'\n",
        "gates = [{ metric = '*Ns', rule = 'count', warn = 0.1, floor = '5 ns', relative-to = 'A' }]\n",
        "gates = [{ metric = 'p99Ns', rule = 'limit', values = 'ops' }]\n",
        "waivers = [{ scenario = '*', reason = 'it is new', by = 'us', until = 2026-12-31 }]\n",
        "harness.paths = ['bench/']\n",
        "scopes = [{ name = 'linux' }, { name = 'x64', precedence = 0 }]\n[metrics.decodeNs]\ndecimals = 1\n",
    ] {
        let config = Config::parse(text).unwrap();
        let effective = config.effective().unwrap();
        let printed = Config::parse(&effective).unwrap();
        assert_eq!(printed.effective().unwrap(), effective);
        assert_eq!(behaviour(&printed), behaviour(&config), "{text}");
    }
}

#[test]
fn known_settings_are_in_comments() {
    insta::assert_snapshot!(Config::default().effective().unwrap(), @r#"
    scopes = []
    backends = []
    scenarios = []
    required = []
    waivers = []
    formats = []
    measure = []

    [run]
    as-is = false
    measure = "median"
    compare = "pairs"

    [why]
    enabled = true

    [files]
    confirm = []
    aggregate = false

    [refresh]
    affects = []

    [comment]
    mention = []
    page = false

    [rows]
    unlisted = "keep"
    ignore-columns = []
    strict = false

    [rows.renamed]

    [baseline]
    samples = 30
    digits = "noise"
    refresh = "all"

    [metrics]

    [page]
    heading-level = 3
    heading = "{where}"
    scenario-label = "Scenario"

    [deltas]
    tolerance = 0.02
    plus = "larger"
    paired = false

    [harness]
    paths = []
    toolchain = []
    from = "each"

    [review]
    paths = []

    [protocol]
    warm-up = 10000
    window = 5.0
    cold = 32

    # In effect without being set:
    #
    # [rows]
    # layouts = [["emitsPerSecond", "gcAllocations", "wallClockMs", "gcAllocatedBytes"], ["emitsPerSecond", "allocatedBytesDelta", "wallClockMs"]]
    #
    # [deltas]
    # limit = 0.33
    #
    # [history]
    # last = 30
    # least = 10
    # suspects = "inconclusive"
    "#);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one snapshot of the whole config")]
fn defaults_are_filled_in() {
    let effective = Config::parse(include_str!("perf-gate.toml"))
        .unwrap()
        .effective()
        .unwrap();
    insta::assert_snapshot!(effective.split("\n[history]").next().unwrap(), @r#"
    primary = "opsPerSecond"
    required = []
    waivers = []
    formats = []
    measure = []

    [run]
    as-is = false
    measure = "median"
    compare = "pairs"

    [why]
    enabled = true

    [files]
    confirm = []
    aggregate = false

    [refresh]
    affects = []

    [comment]
    mention = []
    page = false

    [rows]
    unlisted = "drop"
    layouts = [[
        "opsPerSecond",
        "allocations",
        "coldMs",
    ]]
    ignore-columns = ["note"]
    strict = false

    [rows.renamed]

    [baseline]
    samples = 30
    digits = "noise"
    refresh = "all"

    [[scopes]]
    name = "Server"
    platform = '\bServer GC\b'
    backend = "JIT"

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
    label = "Allocations"
    unit = "count"
    better = "lower"
    exact = true
    aliases = []
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
    aliases = []
    fallback-for = "opsPerSecond"

    [metrics.allocationsPerOp]
    label = "allocationsPerOp"
    unit = "count"
    better = "lower"
    exact = true
    aliases = []
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
    plus = "larger"
    also = ["allocations"]
    paired = false

    [[gates]]
    metric = "opsPerSecond"
    rule = "limit"
    only = false
    limit = 0.2
    rows = "all"
    scenarios = ["par*"]
    requires = "opsPerSecond"

    [harness]
    paths = []
    toolchain = []
    from = "each"

    [review]
    paths = []

    [protocol]
    warm-up = 10000
    window = 5.0
    cold = 32

    # In effect without being set:
    #
    # [deltas]
    # limit = 0.33
    #
    # [history]
    # last = 30
    # least = 10
    # suspects = "inconclusive"
    "#);
}
