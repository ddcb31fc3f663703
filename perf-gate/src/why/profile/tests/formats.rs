//! Reading recorded and damaged profiles.

use std::fmt::Write;

use crate::why::profile::{
    Function, Profile, Role, Unit, callgrind, compare, flame, go, node, python, short,
};

const CALLGRIND: &str = include_str!("recorded/words.callgrind");
const GO: &str = include_str!("recorded/words.go");
const NODE: &str = include_str!("recorded/words.cpuprofile");
const PYTHON: &str = include_str!("recorded/words.json");

fn no_source(_: &str, _: u32) -> Option<String> {
    None
}

/// The most expensive functions: own and inclusive share, calls.
fn table(profile: &Profile) -> String {
    let mut functions: Vec<&Function> = profile.functions.iter().collect();
    functions.sort_by(|a, b| b.own.total_cmp(&a.own).then(a.name.cmp(&b.name)));
    let share = |cost: f64| 100.0 * cost / profile.total();
    let mut text = String::new();
    for function in functions.iter().take(4) {
        let (own, inclusive) = (share(function.own), share(function.inclusive));
        let name = short(&function.name);
        writeln!(
            text,
            "{own:.0} {inclusive:.0} {:?} {name} {:?}",
            function.calls, function.lines
        )
        .unwrap();
    }
    text
}

#[test]
fn callgrind_counts_instructions_and_calls() {
    let profile = callgrind(&[CALLGRIND], &no_source).unwrap();
    assert_eq!((profile.unit, profile.samples), (Unit::Instructions, None));
    assert!((profile.total() - 14_657_131.0).abs() < 0.5);
    insta::assert_snapshot!(table(&profile), @"
    72 72 Some(100000) parse Some((3, 3))
    28 100 Some(1) main Some((4, 5))
    0 200 Some(2) (below main) None
    0 100 None 0x000000000001ab70 None
    ");
}

#[test]
fn inlined_functions_have_separate_costs() {
    let enclosing = |file: &str, line| (file == "a.c" && line == 4).then(|| "twice".to_owned());
    let profile = callgrind(&[CALLGRIND], &enclosing).unwrap();
    assert!((profile.total() - 14_657_131.0).abs() < 0.5);
    let twice = profile
        .functions
        .iter()
        .find(|function| function.name == "twice (a.c)")
        .unwrap();
    assert!((twice.own - 2_157_117.0).abs() < 0.5 && twice.lines == Some((4, 4)));
}

#[test]
fn go_samples_have_inlined_frames() {
    insta::assert_snapshot!(table(&go(GO).unwrap()), @"
    84 91 None words.score Some((18, 19))
    6 6 None runtime.asyncPreempt Some((7, 7))
    3 3 None runtime.deductSweepCredit Some((843, 843))
    3 3 None runtime.heapBitsSetType Some((1297, 1297))
    ");
}

/// Mitata calls its own function `now` and the benchmark, which calls `parse`. `start` runs before mitata.
const MITATA: &str = r#"{"nodes": [
    {"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2, 6]},
    {"id": 2, "callFrame": {"functionName": "measure", "url": "file:///p/node_modules/mitata/lib.mjs", "lineNumber": 1},
     "hitCount": 50, "children": [3, 5]},
    {"id": 3, "callFrame": {"functionName": "", "url": "file:///p/bench.mjs", "lineNumber": 2}, "hitCount": 1, "children": [4]},
    {"id": 4, "callFrame": {"functionName": "parse", "url": "file:///p/parse.mjs", "lineNumber": 3}, "hitCount": 9},
    {"id": 5, "callFrame": {"functionName": "now", "url": "node:perf_hooks", "lineNumber": 4}, "hitCount": 30},
    {"id": 6, "callFrame": {"functionName": "start", "url": "file:///p/bench.mjs", "lineNumber": 5}, "hitCount": 70}]}"#;

#[test]
fn benchmark_tool_and_program_start_are_left_out() {
    let profile = node(&[MITATA]).unwrap();
    assert_eq!(profile.samples, Some(10));
    let own = |name: &str| {
        profile
            .functions
            .iter()
            .find(|function| function.name == name)
            .map_or(0.0, |function| function.own)
    };
    assert!((own("parse (parse.mjs)") - 9.0).abs() < 0.1 && own("start (bench.mjs)") < 0.1);
}

#[test]
fn node_samples_have_files() {
    insta::assert_snapshot!(table(&node(&[NODE]).unwrap()), @"
    70 70 None score (n.mjs) Some((1, 1))
    22 92 None next (n.mjs) Some((2, 2))
    5 5 None (garbage collector) None
    1 2 None consoleCall None
    ");
}

#[test]
fn python_times_have_calls() {
    let profile = python(&[PYTHON]).unwrap();
    let calls: Vec<_> = profile
        .functions
        .iter()
        .map(|function| (&*function.name, function.calls.unwrap()))
        .collect();
    assert!(
        calls.contains(&("score (words.py)", 200)) && calls.contains(&("sum", 200)),
        "{calls:?}"
    );
    assert!(calls.contains(&("str.split", 50)), "{calls:?}");
}

#[test]
fn truncated_profiles_are_errors() {
    let half = |text: &'static str| &text[..text.len() / 2];
    for (profile, expected) in [
        (
            callgrind(&[half(CALLGRIND)], &no_source),
            "the profile is truncated",
        ),
        (go(half(GO)), "the profile is truncated"),
        (node(&[half(NODE)]), "cannot read the profile: EOF"),
        (python(&[half(PYTHON)]), "cannot read the profile: EOF"),
    ] {
        let error = format!("{:#}", profile.unwrap_err());
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn invalid_profiles_are_errors() {
    for text in [
        "",
        "\0\u{fffd}",
        "{}",
        "[1]",
        "events: Ir\nfn=a\n1 99999999999999999999\n",
        "fn=\n1",
    ] {
        assert!(callgrind(&[text], &no_source).is_err(), "{text:?}");
        assert!(
            go(text).is_err() && node(&[text]).is_err() && python(&[text]).is_err(),
            "{text:?}"
        );
    }
    let circle = r#"{"nodes":[{"id":1,"hitCount":2,"children":[1],"callFrame":{"functionName":"a","url":"","lineNumber":0}}]}"#;
    assert!(node(&[circle]).is_ok());
    let missing = r#"[{"name":"a","file":"","first":0,"last":0,"calls":1,"own":1,"inclusive":1,"callees":[[7,1,1]]}]"#;
    assert!(python(&[missing]).is_err());
}

#[test]
fn flame_graph_has_no_scripts_and_two_themes() {
    let profile = go(GO).unwrap();
    let svg = flame("<b> & c", Some(&profile), &profile);
    assert!(svg.contains("uuid") || svg.contains("words.score"), "{svg}");
    assert!(svg.contains("&lt;b&gt; &amp; c") && svg.contains("prefers-color-scheme:dark"));
    assert!(!svg.contains("<script") && !svg.contains("href"));
}

#[test]
fn identical_profiles_have_no_causes() {
    let profiles = [
        callgrind(&[CALLGRIND], &no_source),
        go(GO),
        node(&[NODE]),
        python(&[PYTHON]),
    ];
    for profile in profiles {
        let profile = profile.unwrap();
        assert_eq!(compare(&profile, &profile, &|_| Role::Own).causes, []);
    }
}

#[test]
fn flame_graph_cuts_names_off_at_their_functions() {
    let text = "events: Ir\nfn=main\n1 880\ncfn=quill::Reader::parse_field\ncalls=1 1\n1 70\n\
                cfn=count_quoted_fields\ncalls=1 1\n1 50\n\nfn=quill::Reader::parse_field\n1 70\n\n\
                fn=count_quoted_fields\n1 50\n";
    let svg = flame("parse", None, &callgrind(&[text], &no_source).unwrap());
    let narrow =
        "width=\"60.0\" height=\"18\"><title>count_quoted_fields: 50 instructions (5.0%)</title>";
    assert!(svg.contains(narrow), "{svg}");
    assert!(svg.contains(">count_quoted_fields</text></svg>"), "{svg}");
    assert!(svg.contains("<title>Reader::parse_field: "), "{svg}");
    // Three rows, and a margin above and below.
    assert!(
        svg.contains(" width=\"1200\" height=\"110\" viewBox=\"0 -110 1200 110\""),
        "{svg}"
    );
}

#[test]
fn recursive_c_startup_does_not_reduce_cost_of_main() {
    // The C library's start code calls itself, at another recursion depth.
    let text = "events: Ir\nfn=_start\n9 5\ncfn=(below main)\ncalls=1 1\n9 1010\nfn=(below main)\n1 10\ncfn=start\ncalls=1 2\n1 1000\nfn=start\n2 1\n\
                cfn=atexit\ncalls=1 6\n2 1\nfn=atexit\n6 1\nfn=start\ncfn=(below main)'2\ncalls=1 1\n2 998\nfn=(below main)'2\n1 8\ncfn=main\ncalls=1 4\n1 990\nfn=main\n4 990\n";
    let svg = flame("a", None, &callgrind(&[text], &no_source).unwrap());
    assert!(
        svg.contains("<title>main: 990 instructions (97.5%)"),
        "{svg}"
    );
}
