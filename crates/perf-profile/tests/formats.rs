//! Recorded files of each profiler: what is read of them, and what is said of damaged ones.

#![expect(clippy::unwrap_used, reason = "a test that cannot do its work has failed")]

use std::fmt::Write;

use perf_profile::{
    Function, Profile, Role, Unit, Unreadable, callgrind, compare, flame, go, jvm, node, perf, python, short,
};

const CALLGRIND: &str = include_str!("recorded/words.callgrind");
const GO: &str = include_str!("recorded/words.go");
const JVM: &str = include_str!("recorded/words.jfr.json");
const NODE: &str = include_str!("recorded/words.cpuprofile");
const PERF: &str = include_str!("recorded/words.perf");
const PYTHON: &str = include_str!("recorded/words.json");

fn no_source(_: &str, _: u32) -> Option<String> {
    None
}

/// The costliest functions: own and inclusive share, calls.
fn table(profile: &Profile) -> String {
    let mut functions: Vec<&Function> = profile.functions.iter().collect();
    functions.sort_by(|a, b| b.own.total_cmp(&a.own).then(a.name.cmp(&b.name)));
    let share = |cost: f64| 100.0 * cost / profile.total();
    let mut text = String::new();
    for function in functions.iter().take(4) {
        let (own, inclusive) = (share(function.own), share(function.inclusive));
        let name = short(&function.name);
        writeln!(text, "{own:.0} {inclusive:.0} {:?} {name} {:?}", function.calls, function.lines).unwrap();
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
fn inlined_functions_have_costs_of_their_own() {
    let enclosing = |file: &str, line| (file == "a.c" && line == 4).then(|| "twice".to_owned());
    let profile = callgrind(&[CALLGRIND], &enclosing).unwrap();
    assert!((profile.total() - 14_657_131.0).abs() < 0.5);
    let twice = profile.functions.iter().find(|function| function.name == "twice (a.c)").unwrap();
    assert!((twice.own - 2_157_117.0).abs() < 0.5 && twice.lines == Some((4, 4)));
}

#[test]
fn samples_of_go_have_inlined_frames() {
    insta::assert_snapshot!(table(&go(GO).unwrap()), @"
    84 91 None words.score Some((18, 19))
    6 6 None runtime.asyncPreempt Some((7, 7))
    3 3 None runtime.deductSweepCredit Some((843, 843))
    3 3 None runtime.heapBitsSetType Some((1297, 1297))
    ");
}

#[test]
fn samples_of_the_jvm_have_lines() {
    insta::assert_snapshot!(table(&jvm(&[JVM]).unwrap()), @"
    58 58 None java.lang.Integer.getChars Some((516, 516))
    25 42 None W.score Some((1, 1))
    17 17 None java.lang.StringLatin1.toChars Some((74, 74))
    0 42 None W$R.next Some((2, 2))
    ");
}

#[test]
fn samples_of_node_have_files() {
    insta::assert_snapshot!(table(&node(&[NODE]).unwrap()), @"
    70 70 None score (n.mjs) Some((1, 1))
    22 92 None next (n.mjs) Some((2, 2))
    5 5 None (garbage collector) None
    1 2 None consoleCall None
    ");
}

#[test]
fn samples_of_perf_have_stacks() {
    insta::assert_snapshot!(table(&perf(PERF).unwrap()), @"
    33 33 None _PyObject_Free None
    28 28 None _PyObject_Malloc None
    17 17 None _PyEval_EvalFrameDefault None
    11 11 None _PyLong_Multiply None
    ");
}

#[test]
fn times_of_python_have_calls() {
    let profile = python(&[PYTHON]).unwrap();
    let calls: Vec<_> =
        profile.functions.iter().map(|function| (&*function.name, function.calls.unwrap())).collect();
    assert!(calls.contains(&("score (words.py)", 200)) && calls.contains(&("sum", 200)), "{calls:?}");
    assert!(calls.contains(&("str.split", 50)), "{calls:?}");
}

#[test]
fn cut_off_profiles_are_errors() {
    let half = |text: &'static str| &text[..text.len() / 2];
    assert_eq!(callgrind(&[half(CALLGRIND)], &no_source), Err(Unreadable::Cut("callgrind")));
    assert_eq!(go(half(GO)), Err(Unreadable::Cut("Go")));
    assert_eq!(jvm(&[half(JVM)]), Err(Unreadable::Cut("the JVM")));
    assert_eq!(node(&[half(NODE)]), Err(Unreadable::Cut("Node.js")));
    assert_eq!(python(&[half(PYTHON)]), Err(Unreadable::Cut("Python")));
}

#[test]
fn other_texts_are_errors() {
    for text in ["", "\0\u{fffd}", "{}", "[1]", "events: Ir\nfn=a\n1 99999999999999999999\n", "fn=\n1"] {
        assert!(callgrind(&[text], &no_source).is_err(), "{text:?}");
        assert!(go(text).is_err() && jvm(&[text]).is_err() && node(&[text]).is_err(), "{text:?}");
        assert!(perf(text).is_err() && python(&[text]).is_err(), "{text:?}");
    }
    let circle = r#"{"nodes":[{"id":1,"hitCount":2,"children":[1],"callFrame":{"functionName":"a","url":"","lineNumber":0}}]}"#;
    assert!(node(&[circle]).is_ok());
    let missing =
        r#"[{"name":"a","file":"","first":0,"last":0,"calls":1,"own":1,"inclusive":1,"callees":[[7,1,1]]}]"#;
    assert!(python(&[missing]).is_err());
}

#[test]
fn a_flame_graph_has_no_scripts_and_two_themes() {
    let profile = go(GO).unwrap();
    let svg = flame("<b> & c", Some(&profile), &profile, &|cost| format!("{cost:.2}"));
    assert!(svg.contains("uuid") || svg.contains("words.score"), "{svg}");
    assert!(svg.contains("&lt;b&gt; &amp; c") && svg.contains("prefers-color-scheme:dark"));
    assert!(!svg.contains("<script") && !svg.contains("href"));
}

#[test]
fn a_profile_explains_no_difference_to_itself() {
    let profiles = [
        callgrind(&[CALLGRIND], &no_source),
        go(GO),
        jvm(&[JVM]),
        node(&[NODE]),
        perf(PERF),
        python(&[PYTHON]),
    ];
    for profile in profiles {
        let profile = profile.unwrap();
        assert_eq!(compare(&profile, &profile, &|_| Role::Own).causes, []);
    }
}
