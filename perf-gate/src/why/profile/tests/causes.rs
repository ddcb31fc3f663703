//! Finding the functions that explain a difference.

use std::fmt::Write;

use crate::why::profile::build::Builder;
use crate::why::profile::{Function, Profile, Role, callgrind, compare};

/// A program in which `main` calls `reader`, which calls `parse` several times, which calls `copy` in a library.
fn program(parses: u64, own_of_parse: u64, copies: u64, cost_of_copy: u64) -> Profile {
    let copy = parses * copies * cost_of_copy;
    let parse = parses * own_of_parse + copy;
    let text = format!(
        "events: Ir\nfl=app.c\nfn=main\n1 10\ncfn=reader\ncalls=1 5\n2 {}\nfn=reader\n5 100\ncfn=parse\ncalls={parses} 9\n6 \
         {parse}\nfn=parse\n9 {}\ncfi=lib.c\ncfn=copy\ncalls={} 1\n10 {copy}\nfl=lib.c\nfn=copy\n1 {copy}\n",
        parse + 100,
        parses * own_of_parse,
        parses * copies,
    );
    callgrind(&[&text], &|_, _| None).unwrap()
}

fn role(function: &Function) -> Role {
    if function.file.as_deref() == Some("app.c") {
        Role::Own
    } else {
        Role::Library
    }
}

/// The causes, one per line.
fn causes(base: &Profile, current: &Profile) -> String {
    let comparison = compare(base, current, &role);
    let mut text = String::new();
    for cause in &comparison.causes {
        writeln!(
            text,
            "{} {:+.0} {:.0}% {:?}",
            cause.function,
            cause.change,
            100.0 * cause.share,
            cause.reason
        )
        .unwrap();
    }
    for (word, functions) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        for (name, cost) in functions {
            writeln!(text, "{word} {name} {cost:.0}").unwrap();
        }
    }
    text
}

#[test]
fn more_calls_are_attributed_to_caller() {
    let found = causes(&program(100, 50, 1, 20), &program(200, 50, 1, 20));
    insta::assert_snapshot!(found, @r#"reader +7000 100% Calls("parse", 2.0)"#);
}

#[test]
fn higher_own_cost_is_attributed_to_function() {
    insta::assert_snapshot!(causes(&program(100, 50, 1, 20), &program(100, 90, 1, 20)), @"parse +4000 100% Own(1.8)");
}

#[test]
fn library_cost_is_attributed_to_its_caller() {
    insta::assert_snapshot!(causes(&program(100, 50, 1, 20), &program(100, 50, 3, 20)), @r#"parse +4000 100% Calls("copy", 3.0)"#);
    insta::assert_snapshot!(causes(&program(100, 50, 1, 20), &program(100, 50, 1, 80)), @r#"parse +6000 100% Within("copy")"#);
}

#[test]
fn decrease_has_causes() {
    insta::assert_snapshot!(causes(&program(100, 90, 1, 20), &program(100, 50, 1, 20)), @"parse -4000 100% Own(0.5555555555555556)");
}

/// A program with goroutines. The profiler counts the cost of `parse` a second time for `park`, which the scheduler calls.
fn switched(own_of_parse: u64, parks: u64) -> Profile {
    let parse = 100 * own_of_parse;
    let text = format!(
        "events: Ir\nfl=app.c\nfn=main\n1 10\ncfn=parse\ncalls=100 9\n2 {parse}\ncfi=lib.c\ncfn=schedule\n\
         calls=1 1\n3 {}\nfn=parse\n9 {parse}\nfl=lib.c\nfn=schedule\n1 50\ncfn=park\ncalls={parks} 1\n2 {}\nfn=park\n1 {}\n",
        parks * parse,
        parks * parse,
        parks * 3,
    );
    callgrind(&[&text], &|_, _| None).unwrap()
}

#[test]
fn inconsistent_call_costs_are_not_used() {
    insta::assert_snapshot!(causes(&switched(50, 2), &switched(56, 7)), @"parse +600 98% Own(1.12)");
}

/// Stacks, each with its number of samples, outermost function first.
fn stacks(counted: &[(&[&str], usize)]) -> Profile {
    let mut builder = Builder::default();
    for (names, count) in counted {
        for _ in 0..*count {
            let frames = names.iter().map(|name| builder.function(name, None));
            let frames = frames.collect();
            builder.stack(frames, 1.0);
        }
    }
    builder.of_stacks().unwrap()
}

/// Samples of two functions.
fn samples(first: usize, second: usize) -> Profile {
    stacks(&[(&["main", "first"], first), (&["main", "second"], second)])
}

#[test]
fn sampled_calls_to_new_function_are_attributed_to_caller() {
    let profile = |sorts: usize, extra: usize| {
        stacks(&[
            (&["main", "work"], 500),
            (&["main", "sort"], sorts),
            (&["main", "extra", "sort"], extra),
        ])
    };
    insta::assert_snapshot!(causes(&profile(500, 0), &profile(500, 600)), @r#"
    main +0 67% NowCalls("extra")
    sort +0 33% Own(1.375)
    new extra 0
    "#);
}

#[test]
fn changes_within_sampling_error_are_not_causes() {
    assert_eq!(causes(&samples(50, 50), &samples(58, 42)), "");
    insta::assert_snapshot!(causes(&samples(500, 500), &samples(800, 200)), @"first +0 100% Own(1.6)");
}

#[test]
fn shares_are_compared_if_times_are_noisy() {
    let [base, current] = [
        samples(50, 50).per_operation(10.0, 0.9),
        samples(90, 10).per_operation(11.0, 0.9),
    ];
    assert!(causes(&base, &current).starts_with("first "));
}

#[test]
fn change_spread_over_many_functions_has_no_causes() {
    let program = |cost: usize| {
        let mut text = "events: Ir\n".to_owned();
        for number in 0..20 {
            writeln!(text, "fn=step_{number}\n1 {}", cost + number).unwrap();
        }
        callgrind(&[&text], &|_, _| None).unwrap()
    };
    assert_eq!(causes(&program(1000), &program(1300)), "");
}

/// A function with two inlined functions, `lookup` and `hash`.
fn inlined(own: u64, lookup: u64, hash: u64) -> Profile {
    let text = format!(
        "events: Ir\nfl=bench.c\nfn=bench\n1 {own}\nfi=app.c\n1 {lookup}\n9 {hash}\nfe=bench.c\n2 5\n"
    );
    let enclosing = |file: &str, line: u32| {
        let name = if line == 1 { "lookup" } else { "hash" };
        (file == "app.c").then(|| name.to_owned())
    };
    callgrind(&[&text], &enclosing).unwrap()
}

#[test]
fn inlined_function_cost_is_attributed_to_changed_inlined_function() {
    let first = |changed: &str| {
        let is_changed = |function: &Function| function.name.starts_with(changed);
        let role = |function: &Function| {
            if is_changed(function) {
                Role::Changed
            } else {
                Role::Own
            }
        };
        let comparison = compare(&inlined(100, 50, 200), &inlined(100, 60, 400), &role);
        comparison
            .causes
            .into_iter()
            .map(|cause| (cause.function, cause.reason))
            .collect::<Vec<_>>()
    };
    let within = |name: &str| crate::why::profile::Reason::Within(format!("{name} (app.c)"));
    assert_eq!(
        first("lookup"),
        [("lookup (app.c)".to_owned(), within("hash"))]
    );
    let own: Vec<String> = first("hash").into_iter().map(|(name, _)| name).collect();
    assert_eq!(own, ["hash (app.c)"]);
}
