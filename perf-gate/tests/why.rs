//! `why` on a small program, if valgrind and a C compiler are installed.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "\
static int __attribute__((noinline)) parse(const char *s) {
  int n = 0;
  for (; *s; s++) n = n * 31 + *s;
  return n;
}
static int __attribute__((noinline)) count(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += parse(\"hello world\");
  return sum;
}
int main(void) { return count(2000) == 1; }
";

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.output().unwrap()
}

fn commit(folder: &Path, program: &str) {
    fs::write(folder.join("bench.c"), program).unwrap();
    run(folder, &["git", "add", "."]);
    let user = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let done = run(
        folder,
        &[&["git"], &user[..], &["commit", "-qm", "work"]].concat(),
    );
    assert!(done.status.success());
}

/// Creates a repository whose last commit makes `count` call `parse` three times as often.
fn project() -> Option<tempfile::TempDir> {
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !is_there("valgrind") || !is_there("cc") {
        println!("skipped: valgrind or a C compiler is not installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["git", "init", "-q"]);
    fs::write(folder.path().join(".gitignore"), "bench\n").unwrap();
    commit(folder.path(), PROGRAM);
    commit(folder.path(), &PROGRAM.replace("i < n;", "i < 3 * n;"));
    Some(folder)
}

fn why(folder: &Path, options: &[&str]) -> Output {
    let command = ["--", "./bench"];
    let build = ["--build", "cc -g -O1 bench.c -o bench"];
    run(
        folder,
        &[
            &[env!("CARGO_BIN_EXE_perf-gate"), "why", "bench"],
            options,
            &build[..],
            &command[..],
        ]
        .concat(),
    )
}

#[test]
fn first_line_shows_changed_function() {
    let Some(folder) = project() else { return };
    let output = why(
        folder.path(),
        &["--base-ref", "HEAD~1", "--output", "why.svg"],
    );
    let (text, errors) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{errors}");
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("`count` +") && first.ends_with("; changed here"),
        "{text}"
    );
    assert!(first.contains("calls `parse` 3.0× as often"), "{text}");
    assert!(text.lines().count() <= 5, "{text}");
    let svg = fs::read_to_string(folder.path().join("why.svg")).unwrap();
    assert!(svg.contains("<title>parse: "), "{svg}");
}

#[test]
fn unignored_program_may_be_build_output() {
    let Some(folder) = project() else { return };
    fs::remove_file(folder.path().join(".gitignore")).unwrap();
    fs::write(folder.path().join("bench"), "an earlier build").unwrap();
    let output = why(folder.path(), &["--base-ref", "HEAD~1"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.stdout.starts_with(b"`count` +"), "{errors}");
}

#[test]
fn missing_source_lines_cause_a_hint() {
    let Some(folder) = project() else { return };
    let of = |build: &str| {
        let words = [
            "why",
            "bench",
            "--base-ref",
            "HEAD~1",
            "--build",
            build,
            "--",
            "./bench",
        ];
        let output = run(
            folder.path(),
            &[&[env!("CARGO_BIN_EXE_perf-gate")], &words[..]].concat(),
        );
        assert!(output.stdout.starts_with(b"`count` +"));
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("hint: no function has source lines: build with `-g`")
    };
    assert_eq!(
        [
            of("cc -O1 bench.c -o bench"),
            of("cc -g -O1 bench.c -o bench")
        ],
        [true, false]
    );
}

#[test]
fn first_line_shows_slower_of_two_changed_functions() {
    let Some(folder) = project() else { return };
    let both = PROGRAM.replace(
        "n * 31 + *s",
        "(n * 31 + *s) ^ (n << 3) ^ (n >> 5) ^ (n % 7)",
    );
    commit(
        folder.path(),
        &both.replace("int sum = 0;", "int sum = 1 - 1 + (n & 0);"),
    );
    let output = why(folder.path(), &["--base-ref", "HEAD~2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("`parse` +"), "{text}");
}

#[test]
#[ignore = "runs Go in valgrind: `.ci/run slow`"]
fn small_go_change_is_counted() {
    let is_there = |program: &str, option: &str| {
        Command::new(program)
            .arg(option)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !is_there("go", "version") || !is_there("valgrind", "--version") {
        println!("skipped: Go or valgrind is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["git", "init", "-q"]);
    let source = "package small\nimport \"testing\"\nvar Sum int\n//go:noinline\nfunc mix(n int) int { return n*3 + 1 }\n//go:noinline\n\
        func parse(s string) int {\n\tn := 0\n\tfor i := range s {\n\t\tn += mix(int(s[i]))\n\t}\n\treturn n\n}\n\
        func BenchmarkParse(b *testing.B) {\n\tfor i := 0; i < 2000*b.N; i++ {\n\t\tSum += parse(\"hello world, again\")\n\t}\n}\n";
    let module = folder.path().join("small");
    fs::create_dir(&module).unwrap();
    fs::write(module.join("go.mod"), "module small\n").unwrap();
    for text in [
        source.to_owned(),
        source.replace("\t\tn += mix", "\t\tn ^= i\n\t\tn += mix"),
    ] {
        fs::write(module.join("small_test.go"), text).unwrap();
        commit(folder.path(), PROGRAM);
    }
    let words = [
        "why",
        "BenchmarkParse",
        "--base-ref",
        "HEAD~1",
        "--",
        "go",
        "test",
        "-bench",
        ".",
    ];
    let output = run(
        &module,
        &[&[env!("CARGO_BIN_EXE_perf-gate")], &words[..]].concat(),
    );
    let (text, errors) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr),
    );
    let first = text.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("`small.parse` +") && first.contains("changed here"),
        "{text}{errors}"
    );
    // If valgrind fails, the benchmark is sampled.
    assert!(
        text.contains("by callgrind") || text.contains("by the Go profiler"),
        "{text}{errors}"
    );
}

/// Imitates `go`: runs the benchmark through `-exec`, with the iterations in `-benchtime`.
const GO: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in -exec=*) runner=${1#*=} ;; -benchtime=*x) iterations=${1#*=} iterations=${iterations%x} ;; esac
  shift
done
[ -z "$runner" ] || ITERATIONS=$iterations $runner small.test && printf 'pkg: small\nBenchmarkParse-2 %s 100 ns/op\nPASS\n' "${iterations:-1}"
"#;
/// Imitates `valgrind`: counts 100 instructions per iteration and step in the source, and 7,000 for the start.
const VALGRIND: &str = r#"#!/bin/sh
for word; do case $word in --callgrind-out-file=*) output=${word#*=} ;; esac; done
steps=$(grep -c step small.go) && [ -n "$output" ] || exit 0
printf 'events: Ir\nfl=runtime.go\nfn=main\n1 7000\nfl=small.go\nfn=small.parse\n2 %s\n' \
  $((100 * steps * ITERATIONS)) >"$output"
"#;

/// Runs `why` with a JSON request, and with these programs first in the `PATH`.
fn why_with(
    folder: &Path,
    programs: &[(&str, &str)],
    words: &[&str],
    request: &str,
) -> (String, String) {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in programs {
        fs::write(place.path().join(name), text).unwrap();
        run(place.path(), &["chmod", "+x", name]);
    }
    fs::write(place.path().join("request.json"), request).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
    let path = format!(
        "{}:{}",
        place.path().display(),
        std::env::var("PATH").unwrap()
    );
    command
        .arg("why")
        .args(words)
        .current_dir(folder)
        .env("PATH", path);
    let output = command
        .stdin(fs::File::open(place.path().join("request.json")).unwrap())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn go_instructions_are_counted_by_valgrind() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["git", "init", "-q"]);
    for steps in [4, 5] {
        let source = format!(
            "package small\nfunc parse() {{\n{}}}\n",
            "\tstep()\n".repeat(steps)
        );
        fs::write(folder.path().join("small.go"), source).unwrap();
        commit(folder.path(), PROGRAM);
    }
    let words = [
        "BenchmarkParse",
        "--base-ref",
        "HEAD~1",
        "--",
        "go",
        "test",
        "-bench",
        ".",
    ];
    let (text, errors) = why_with(
        folder.path(),
        &[("go", GO), ("valgrind", VALGRIND)],
        &words,
        "",
    );
    let lines: Vec<&str> = text.lines().collect();
    let cause = "`small.parse` +100 instructions (100% of the growth): its own code costs +25%; changed here";
    assert_eq!(lines.first(), Some(&cause), "{text}{errors}");
    let whole =
        "BenchmarkParse: 400 instructions → 500 instructions per iteration (+25.0%) against ";
    assert!(
        lines[1].starts_with(whole) && lines[1].ends_with(", by callgrind"),
        "{text}{errors}"
    );
}

#[test]
fn no_base_prints_table_of_functions() {
    let Some(folder) = project() else { return };
    let output = why(folder.path(), &["--no-base"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text.lines().nth(1).unwrap();
    assert!(
        row.ends_with("  parse") && text.contains(" instructions in total"),
        "{text}"
    );
}

#[test]
fn unchanged_code_executes_same_instructions() {
    let Some(folder) = project() else { return };
    let output = why(folder.path(), &["--base-ref", "HEAD"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("base and head execute the same number of instructions: "),
        "{text}"
    );
}

/// Asks for the cause of the difference between two Python programs.
fn why_python(programs: [&str; 2]) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: Python is not installed");
        return None;
    }
    run(folder.path(), &["git", "init", "-q"]);
    for program in programs {
        fs::write(folder.path().join("bench.py"), program).unwrap();
        commit(folder.path(), PROGRAM);
    }
    let words = [
        "why",
        "bench",
        "--base-ref",
        "HEAD~1",
        "--time-limit",
        "1s",
        "--",
        "python3",
        "bench.py",
    ];
    Some(run(
        folder.path(),
        &[&[env!("CARGO_BIN_EXE_perf-gate")], &words[..]].concat(),
    ))
}

/// cProfile adds a cost to every `yield`, so a slower version without a generator looks faster.
#[test]
#[ignore = "profiles Python many times: `.ci/run slow`"]
fn profile_that_contradicts_measured_times_is_no_answer() {
    let with_generator = "\
def letters(text):
    for letter in text:
        yield letter


print(sum(letter in 'aeiou' for letter in letters('lazy dog ' * 60_000)))
";
    let with_list = "\
def letters(text):
    found = []
    for letter in text:
        for other in 'abcdefghijklmnopqrstuvwxyz':
            if letter == other:
                found.append(letter)
    return found


print(sum([letter in 'aeiou' for letter in letters('lazy dog ' * 60_000)]))
";
    let Some(output) = why_python([with_generator, with_list]) else {
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}{errors}");
    assert!(text.starts_with("no answer: "), "{text}");
}

#[test]
fn failure_without_the_profiler_keeps_the_answer() {
    let program = |repetitions: u32| {
        format!(
            "import sys\n\n\ndef vowels():\n    return sum([letter in 'aeiou' for letter in 'lazy dog ' * {repetitions}])\n\n\n\
             print(vowels())\nif 'cProfile' not in sys.modules:\n    sys.exit('no profiler')\n"
        )
    };
    let Some(output) = why_python([&program(60_000), &program(240_000)]) else {
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}{errors}");
    assert!(text.starts_with("`vowels"), "{text}");
    let warning = "warning: the causes are not confirmed by timing: ";
    assert!(errors.contains(warning), "{errors}");
}

#[test]
fn counts_with_unknown_iterations_are_shares() {
    let Some(folder) = project() else { return };
    let tool = "const char *volatile tool = \"NANOBENCH_ENDLESS\";\n".to_owned() + PROGRAM;
    commit(folder.path(), &tool);
    commit(folder.path(), &tool.replace("count(2000)", "count(5000)"));
    run(folder.path(), &["cc", "bench.c", "-o", "bench"]);
    let output = why(folder.path(), &["--base-ref", "HEAD~1"]);
    let (text, errors) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        errors.contains("nanobench chooses the number of iterations"),
        "{errors}"
    );
    assert!(
        text.contains("bench: shares of the total against "),
        "{text}"
    );
    assert!(
        !text.contains("instructions") && !text.contains("as often"),
        "{text}"
    );
}

#[test]
fn missing_profiler_is_an_error_with_hint() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
    command
        .args(["why", "a", "--no-base", "--", "/bin/true"])
        .current_dir(&folder)
        .env("PATH", "/nowhere");
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("valgrind is not installed") && errors.contains("hint: install it"),
        "{errors}"
    );
}

#[test]
fn flame_graph_shows_one_benchmark() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["why", "parse", "count", "--output", "why.svg", "--", "true"];
    let output = run(
        folder.path(),
        &[&[env!("CARGO_BIN_EXE_perf-gate")], &words[..]].concat(),
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("`--output` can only show one benchmark"),
        "{errors}"
    );
}
