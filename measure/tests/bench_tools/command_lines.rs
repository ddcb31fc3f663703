//! Typical command lines: the recognised tool, added options, and filters.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

use measure::bench_tools::{Adjusted, BenchTool, NotRecognised, SAMPLES, ToolKind};

const RESULTS: &str = "/r";

fn words(line: &str) -> Vec<OsString> {
    shell_words::split(line)
        .unwrap()
        .into_iter()
        .map(OsString::from)
        .collect()
}

fn line(adjusted: &Adjusted) -> String {
    let command = adjusted.command();
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn of(command: &str) -> BenchTool {
    BenchTool::of(&words(command), Path::new("/nowhere")).unwrap()
}

fn short(command: &str) -> Adjusted {
    of(command).samples(SAMPLES, Path::new(RESULTS))
}

fn of_format(format: &str, command: &str) -> BenchTool {
    BenchTool::of_format(format, &words(command)).unwrap()
}

fn refusal(command: &str) -> NotRecognised {
    BenchTool::of(&words(command), Path::new("/nowhere")).unwrap_err()
}

/// A temporary directory with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn go_gets_twenty_samples_of_two_milliseconds() {
    let adjusted = short("go test -bench . ./...");
    assert_eq!(
        line(&adjusted),
        "go test -run=^$ -benchtime=2ms -count=20 -bench . ./..."
    );
    assert_eq!(adjusted.results, None);
    assert_eq!(
        adjusted.note().unwrap(),
        "Go: added -run=^$ -benchtime=2ms -count=20"
    );
}

#[test]
fn own_options_are_kept_in_every_spelling() {
    for own in ["-count 3", "-count=3", "--count=3", "-test.count=3"] {
        let adjusted = short(&format!("go test {own} -run=X -bench=."));
        assert!(!line(&adjusted).contains("-count=20"), "{own}");
        assert!(!line(&adjusted).contains("-run=^$"), "{own}");
        let kept = own.split(' ').next().unwrap();
        assert_eq!(
            adjusted.note().unwrap(),
            format!("Go: added -benchtime=2ms; kept -run=X {kept}")
        );
    }
}

#[test]
fn words_after_args_belong_to_the_benchmark() {
    let only = short("env CGO_ENABLED=0 nice -n 5 go test -bench . . -args -count 3 -bench x")
        .only(&["BenchmarkA"]);
    assert_eq!(
        line(&only.unwrap()),
        "env CGO_ENABLED=0 nice -n 5 go test -run=^$ -benchtime=2ms -count=20 -bench=^(BenchmarkA)$ . -args -count 3 -bench x"
    );
}

#[test]
fn go_filters_by_level() {
    let adjusted = of("go test -bench=. -benchmem").as_is();
    let only = |names: &[&str]| line(&adjusted.only(names).unwrap());
    assert_eq!(
        only(&["github.com/google/uuid.BenchmarkParse", "BenchmarkNew"]),
        "go test -bench=^(BenchmarkParse|BenchmarkNew)$ -benchmem"
    );
    assert_eq!(
        only(&["p.BenchmarkA/x=1/n-8", "p.BenchmarkB/y (note: after)"]),
        "go test -bench=^(BenchmarkA|BenchmarkB)$/^(x=1|y)$ -benchmem"
    );
    assert_eq!(
        only(&["p.BenchmarkA/x", "BenchmarkB-8"]),
        "go test -bench=^(BenchmarkA|BenchmarkB-8|BenchmarkB)$ -benchmem"
    );
}

#[test]
fn go_test_binaries_have_prefixed_options() {
    let adjusted = short("./url.test -test.bench . -test.count=2");
    assert_eq!(
        line(&adjusted),
        "./url.test -test.run=^$ -test.benchtime=2ms -test.bench . -test.count=2"
    );
    assert_eq!(adjusted.tool(), ToolKind::GoBinary);
    let only = adjusted.only(&["BenchmarkA"]).unwrap();
    assert!(
        line(&only).ends_with("-test.bench=^(BenchmarkA)$ -test.count=2"),
        "{}",
        line(&only)
    );
}

#[test]
fn go_samples_have_a_time_or_iterations() {
    let harness = of("./url.test -test.bench . -test.run X");
    assert!(harness.samples(5, Path::new(RESULTS)).takes_iterations());
    assert_eq!(
        line(&harness.samples_of(NonZeroU64::new(512).unwrap(), 9, Path::new(RESULTS))),
        "./url.test -test.benchtime=512x -test.count=9 -test.bench . -test.run X"
    );
    let own = of("./url.test -test.bench . -test.benchtime=1s").samples(5, Path::new(RESULTS));
    assert!(!own.takes_iterations());
    assert!(!short("hyperfine 'a b'").takes_iterations());
}

#[test]
fn fixed_iterations_replace_own_options() {
    let hundred = NonZeroU64::new(100).unwrap();
    let fixed = |harness: BenchTool| {
        harness
            .same_work(hundred, Path::new(RESULTS))
            .map(|fixed| line(&fixed))
    };
    assert_eq!(
        fixed(of("go test -benchtime 5s -count=3 -bench .")).unwrap(),
        "go test -run=^$ -benchtime=100x -count=1 -bench ."
    );
    assert_eq!(
        fixed(of_format("google-benchmark", "./b --benchmark_min_time=2s")).unwrap(),
        "./b --benchmark_min_time=0.000000001 --benchmark_repetitions=100"
    );
    assert_eq!(
        fixed(of("hyperfine -w 3 './a b'")).unwrap(),
        "hyperfine --runs=100 --warmup=0 --export-json=/r ./a b"
    );
    assert_eq!(fixed(of("java -jar target/benchmarks.jar")), None);
}

#[test]
fn narrowing_keeps_the_samples() {
    let only = short("go test -bench .").only(&["BenchmarkA"]).unwrap();
    assert_eq!(
        line(&only),
        "go test -run=^$ -benchtime=2ms -count=20 -bench=^(BenchmarkA)$"
    );
}

#[test]
fn google_benchmark_is_recognised_by_its_format() {
    let harness = of_format(
        "google-benchmark",
        "nice ./build/bench --benchmark_repetitions=3 --own",
    );
    let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(
        line(&adjusted),
        "nice ./build/bench --benchmark_repetitions=3 --own --benchmark_min_time=0.0005 \
         --benchmark_report_aggregates_only=false --benchmark_display_aggregates_only=false --benchmark_format=json"
    );
    let only = harness
        .as_is()
        .only(&["BM_t<int>", "a(b)[c]/8 #2"])
        .unwrap();
    assert_eq!(
        line(&only).split_once("--own ").unwrap().1,
        r"--benchmark_filter=^(BM_t<int>|a\(b\)\[c]/8 #2|a\(b\)\[c]/8)$"
    );
}

#[test]
fn pytest_needs_the_plugin() {
    assert_eq!(refusal("pytest tests"), NotRecognised::NoPytestBenchmark);
    let with = folder(&[("requirements/dev.txt", "pytest-benchmark==5.1\n")]);
    let harness =
        BenchTool::of(&words("uv run python -m pytest tests -k url"), with.path()).unwrap();
    assert_eq!(harness.tool(), ToolKind::PytestBenchmark);
    let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(
        line(&adjusted),
        "uv run python -m pytest tests -k url --benchmark-only --benchmark-min-time=0.0005 \
         --benchmark-max-time=0.04 --benchmark-min-rounds=20 --benchmark-json=/r"
    );
    assert_eq!(adjusted.results.as_deref(), Some(Path::new(RESULTS)));
    assert!(BenchTool::of_format("pytest-benchmark", &words("pytest tests")).is_ok());
}

#[test]
fn coverage_and_workers_in_the_config_are_switched_off() {
    let added = |files: &[(&str, &str)], command: &str| {
        let with = folder(files);
        let harness = BenchTool::of(&words(command), with.path()).unwrap();
        let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
        let is_off = |word: &&String| ["--no-cov", "--numprocesses=0"].contains(&word.as_str());
        adjusted
            .added
            .iter()
            .filter(is_off)
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let both = "--no-cov --numprocesses=0";
    let ini = "[tox]\naddopts = --other\n[pytest]\ntestpaths = a\naddopts =\n    -ra\n    # all\n\n    --cov=a\n    -n 4\nxfail_strict = 1\n";
    let text = "[tool.pytest.ini_options]\naddopts = '-v --cov-report=xml --cov a -n4'\n";
    let list = "[tool.pytest]\naddopts = ['--numprocesses', 'auto', '--cov=a']\n";
    for (file, config) in [
        ("pytest.ini", ini),
        ("tox.ini", ini),
        ("setup.cfg", &*ini.replace("pytest]", "tool:pytest]")),
        ("pyproject.toml", text),
        ("tests/pyproject.toml", list),
    ] {
        for plugin in ["--codspeed", "--benchmark-only"] {
            let command = format!("pytest tests/b.py::test_a {plugin}");
            assert_eq!(
                added(&[(file, config), ("tests/b.py", "")], &command),
                both,
                "{file}"
            );
        }
    }
    assert_eq!(
        added(
            &[("pytest.ini", "[pytest]\n"), ("tox.ini", ini)],
            "pytest --codspeed"
        ),
        "",
        "the first counts"
    );
    assert_eq!(
        added(&[("tests/pytest.ini", ini)], "pytest --codspeed"),
        "",
        "that of other tests"
    );
    assert_eq!(
        added(
            &[("pytest.ini", "[pytest]\naddopts = --cov-report=xml\n")],
            "pytest --codspeed"
        ),
        ""
    );
    let own = "pytest --codspeed --cov=b -n 2";
    assert_eq!(
        added(&[("pytest.ini", ini)], own),
        "",
        "the command decides"
    );
    assert_eq!(
        added(
            &[("pytest.ini", ini)],
            "pytest --codspeed --no-cov -c other.ini"
        ),
        ""
    );
    let with = folder(&[("pytest.ini", ini)]);
    let harness = BenchTool::of(&words("pytest --benchmark-only"), with.path()).unwrap();
    let fixed = harness
        .same_work(100.try_into().unwrap(), Path::new(RESULTS))
        .unwrap();
    assert!(line(&fixed).contains(both), "{}", line(&fixed));
}

#[test]
fn pytest_uses_the_plugin_in_the_command() {
    let harness = BenchTool::of(&words("pytest tests -k url --codspeed"), Path::new(".")).unwrap();
    assert_eq!(harness.tool(), ToolKind::PytestCodspeed);
    let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(
        line(&adjusted),
        "pytest tests -k url --codspeed --codspeed-warmup-time=0.002 --codspeed-max-time=0.04 --codspeed-max-rounds=1000"
    );
    assert_eq!(
        adjusted.environment,
        [(
            "CODSPEED_PROFILE_FOLDER",
            Path::new(RESULTS).join(".codspeed").into()
        )]
    );
    let only = adjusted
        .only(&["tests/test_url.py::test_join[a-1]"])
        .unwrap();
    assert!(
        line(&only).starts_with("pytest -k url --codspeed"),
        "{}",
        line(&only)
    );
    assert!(
        line(&only).ends_with("=1000 tests/test_url.py::test_join[a-1]"),
        "{}",
        line(&only)
    );
    let fixed = harness
        .same_work(100.try_into().unwrap(), Path::new(RESULTS))
        .unwrap();
    assert!(
        line(&fixed).ends_with("--codspeed-max-rounds=100"),
        "{}",
        line(&fixed)
    );
    for flag in ["--codspeed", "--benchmark-only"] {
        let harness =
            BenchTool::of(&words(&format!("pytest {flag} bench/a.py")), Path::new(".")).unwrap();
        let fixed = harness
            .same_work(100.try_into().unwrap(), Path::new(RESULTS))
            .unwrap();
        assert!(
            line(&fixed).starts_with(&format!("pytest bench/a.py {flag} ")),
            "{}",
            line(&fixed)
        );
    }
}

#[test]
fn fixture_reveals_pytest_benchmark() {
    let tool = |file: &str, text: &str, command: &str| {
        let with = folder(&[(file, text)]);
        BenchTool::of(&words(command), with.path()).map(|harness| harness.tool())
    };
    let bench = "def test_sum(\n    benchmark, size\n):\n    benchmark(sum, size)\n";
    assert_eq!(
        tool("tests/bench/test_sum.py", bench, "pytest tests/bench"),
        Ok(ToolKind::PytestBenchmark)
    );
    assert_eq!(
        tool("tests/bench/test_sum.py", bench, "pytest"),
        Ok(ToolKind::PytestBenchmark)
    );
    assert_eq!(
        tool("bench/sum.py", bench, "pytest bench/sum.py::test_sum"),
        Ok(ToolKind::PytestBenchmark)
    );
    assert_eq!(
        tool(
            "tests/test_sum.py",
            "def test_sum(benchmarks): pass\n",
            "pytest"
        ),
        Err(NotRecognised::NoPytestBenchmark)
    );
}

#[test]
fn own_results_path_is_kept() {
    let adjusted = short("pytest --benchmark-json out/b.json");
    assert_eq!(adjusted.results.as_deref(), Some(Path::new("out/b.json")));
    assert!(!line(&adjusted).contains(RESULTS));
}

#[test]
fn pytest_selects_node_ids() {
    let only =
        |command: &str, names: &[&str]| of(command).as_is().only(names).map(|only| line(&only));
    let [one, two] = ["t.py::test_a[x y]", "t.py::C::test_b"];
    assert_eq!(
        only("pytest -k 'a or b' --benchmark-only", &[one, two]).unwrap(),
        "pytest -k a or b --benchmark-only t.py::test_a[x y] t.py::C::test_b"
    );
    assert_eq!(
        only("pytest -p no:x --benchmark-only t.py -k test", &[one, two]).unwrap(),
        "pytest -p no:x --benchmark-only -k test t.py::test_a[x y] t.py::C::test_b"
    );
    for (command, name) in [
        ("pytest --benchmark-only other.py --rootdir t.py", one),
        ("pytest --benchmark-only", "test_a"),
    ] {
        assert_eq!(only(command, &[name]), None, "{command} {name}");
    }
}

const CRITERION: &str = "use criterion::criterion_main;";
const MANIFEST: &str = "[package]\nname = \"p\"\n[[bench]]\nname = \"parse\"\nharness = false\n";

#[test]
fn criterion_is_recognised_by_manifest_and_source() {
    let crate_folder = folder(&[("Cargo.toml", MANIFEST), ("benches/parse.rs", CRITERION)]);
    let harness = |command: &str| BenchTool::of(&words(command), crate_folder.path());
    let adjusted = harness("cargo bench")
        .unwrap()
        .samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(
        line(&adjusted),
        "cargo bench --bench=parse -- --sample-size=40 --warm-up-time=0.01 --measurement-time=0.02 \
         --nresamples=1000 --noplot"
    );
    assert_eq!(adjusted.environment, [("CRITERION_HOME", RESULTS.into())]);
    assert_eq!(adjusted.results.as_deref(), Some(Path::new(RESULTS)));
    let little = harness("cargo bench")
        .unwrap()
        .fewest_iterations(Path::new(RESULTS));
    assert!(line(&little.unwrap().only(&["url"]).unwrap()).ends_with(" --noplot --test ^(url)$"));
    let own = harness("cargo bench --bench parse -- --sample-size 50 --noplot url").unwrap();
    assert_eq!(
        line(
            &own.samples(SAMPLES, Path::new(RESULTS))
                .only(&["g/a.b/1", "g/a #2"])
                .unwrap()
        ),
        "cargo bench --bench parse -- --sample-size 50 --noplot --warm-up-time=0.01 \
         --measurement-time=0.02 --nresamples=1000 ^(g/a\\.b/1|g/a)$"
    );
    // A later analysis filters a command that already has a filter.
    for command in [
        "cargo bench -- url",
        "cargo bench -- ^(g/a)$",
        "cargo bench -q url",
        "cargo bench",
    ] {
        let first = harness(command).unwrap().as_is().only(&["g/a"]).unwrap();
        let again = BenchTool::of(&first.command(), crate_folder.path())
            .unwrap()
            .as_is()
            .only(&["g/a"])
            .unwrap();
        assert!(line(&again).ends_with(" -- ^(g/a)$"), "{}", line(&again));
        assert_eq!(line(&again).matches("g/a").count(), 1, "{}", line(&again));
        assert!(
            !line(&again).contains("url"),
            "Criterion takes one filter: {}",
            line(&again)
        );
    }
    assert!(matches!(
        harness("cargo bench --bench other"),
        Err(NotRecognised::NoBenchmarks(_))
    ));
    assert!(harness("cargo test").is_err());
}

#[test]
fn mixed_bench_targets_are_unchanged() {
    let manifest = MANIFEST.replace("[[", "edition = \"2021\"\n[[");
    let mixed = folder(&[
        ("Cargo.toml", &manifest),
        ("benches/parse.rs", CRITERION),
        ("benches/own.rs", ""),
    ]);
    assert_eq!(
        BenchTool::of(&words("cargo bench"), mixed.path()).unwrap_err(),
        NotRecognised::MixedTargets
    );
    assert_eq!(
        BenchTool::of(&words("cargo bench --bench parse"), mixed.path())
            .unwrap()
            .tool(),
        ToolKind::Criterion
    );
}

#[test]
fn workspace_packages_are_found() {
    let workspace = folder(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/p/Cargo.toml", MANIFEST),
        ("crates/p/benches/parse.rs", "fn main() { divan::main() }"),
        ("crates/q/Cargo.toml", &MANIFEST.replace("\"p\"", "\"q\"")),
        ("crates/q/benches/parse.rs", CRITERION),
    ]);
    let tool = |command: &str| {
        BenchTool::of(&words(command), workspace.path()).map(|harness| harness.tool())
    };
    assert_eq!(tool("cargo bench -p p"), Ok(ToolKind::Divan));
    assert_eq!(tool("cargo bench -p p@1.0.0"), Ok(ToolKind::Divan));
    assert_eq!(tool("cargo bench --package=q"), Ok(ToolKind::Criterion));
    assert_eq!(tool("cargo bench"), Err(NotRecognised::MixedTargets));
    assert_eq!(
        tool("cargo bench --manifest-path crates/q/Cargo.toml"),
        Ok(ToolKind::Criterion)
    );
}

#[test]
fn divan_has_variables_and_one_filter() {
    let crate_folder = folder(&[
        ("Cargo.toml", MANIFEST),
        ("benches/parse.rs", "fn main() { divan::main() }"),
    ]);
    let harness = BenchTool::of(&words("cargo bench"), crate_folder.path()).unwrap();
    let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(line(&adjusted), "cargo bench");
    assert_eq!(
        adjusted.environment,
        [
            ("DIVAN_MIN_TIME", "0.04".into()),
            ("DIVAN_MAX_TIME", "0.2".into())
        ]
    );
    let only = adjusted.only(&["parse::make::Vec<u8>"]).unwrap();
    assert_eq!(line(&only), "cargo bench -- ^(parse::make::Vec<u8>)$");
    let own = BenchTool::of(&words("cargo bench url -- --exact x"), crate_folder.path()).unwrap();
    assert_eq!(
        line(&own.as_is().only(&["p::a"]).unwrap()),
        "cargo bench -- ^(p::a)$"
    );
}

#[test]
fn rust_harness_takes_parts_of_names() {
    let source = "#[bench]\nfn small(b: &mut Bencher) {}\n";
    let own = folder(&[
        ("Cargo.toml", "[package]\nname = \"p\"\n"),
        ("benches/parse.rs", source),
    ]);
    let harness = BenchTool::of(&words("cargo bench x --locked"), own.path()).unwrap();
    assert_eq!(harness.tool(), ToolKind::Libtest);
    let adjusted = harness.samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(
        line(&adjusted),
        "cargo bench x --locked",
        "no option sets its samples"
    );
    let only = adjusted
        .only(&["parse::read::small", "parse::small"])
        .unwrap();
    assert_eq!(line(&only), "cargo bench --locked -- small");
    let harness = BenchTool::of(&words("cargo bench -- --exact"), own.path()).unwrap();
    let only = harness.as_is().only(&["parse::sort_é", "parse::sort_è"]);
    assert_eq!(line(&only.unwrap()), "cargo bench -- sort_é sort_è");
}

#[test]
fn jmh_options_are_separate_words() {
    let adjusted = short("java -Xmx1g -jar target/benchmarks.jar -f 2 -p n=1 Parse");
    assert_eq!(
        line(&adjusted),
        "java -Xmx1g -jar target/benchmarks.jar -f 2 -p n=1 Parse -wi 10 -w 50ms -i 20 -r 3ms -rf json -rff /r"
    );
    let only = of("java -jar x-jmh.jar -f 2 Parse")
        .as_is()
        .only(&["a.B.c (n=1)"])
        .unwrap();
    assert_eq!(line(&only), r"java -jar x-jmh.jar -f 2 ^(a\.B\.c)$");
    assert!(BenchTool::of(&words("java -jar app.jar"), Path::new("")).is_err());
}

#[test]
fn benchmarkdotnet_is_recognised_by_its_project() {
    let project = folder(&[(
        "b.csproj",
        "<PackageReference Include=\"BenchmarkDotNet\" />",
    )]);
    let harness = BenchTool::of(
        &words("dotnet run -c Release -- --filter A B --join"),
        project.path(),
    )
    .unwrap();
    assert_eq!(harness.tool(), ToolKind::BenchmarkDotNet);
    assert!(BenchTool::of(&words("dotnet test"), project.path()).is_err());
}

#[test]
fn package_scripts_get_words_at_their_end() {
    let package = folder(&[
        (
            "package.json",
            r#"{"scripts": {"bench": "vitest bench --run", "own": "npm run build && node b.mjs", "pipe": "vitest bench | tee x",
                "named": "npx vitest bench -t url"}}"#,
        ),
        ("b.mjs", "import { run } from 'mitata'"),
    ]);
    let of = |command: &str| BenchTool::of(&words(command), package.path());
    let short = |command: &str| line(&of(command).unwrap().samples(SAMPLES, Path::new(RESULTS)));
    assert_eq!(
        short("npm run bench"),
        "npm run bench -- --no-isolate --outputJson=/r"
    );
    assert_eq!(
        short("npm run bench -- --run"),
        "npm run bench -- --run --no-isolate --outputJson=/r"
    );
    assert_eq!(
        short("pnpm bench"),
        "pnpm bench --no-isolate --outputJson=/r"
    );
    assert_eq!(
        short("npx vitest bench --isolate"),
        "npx vitest bench --isolate --outputJson=/r"
    );
    assert_eq!(
        short("npx vitest --run bench --mode=x"),
        "npx vitest --run bench --mode=x --no-isolate --outputJson=/r"
    );
    assert_eq!(of("yarn run own").unwrap().tool(), ToolKind::Mitata);
    assert_eq!(
        of("npm run pipe").unwrap_err(),
        NotRecognised::Script("pipe".to_owned())
    );
    assert!(
        of("npm run named")
            .unwrap()
            .as_is()
            .only(&["b > a"])
            .is_none(),
        "a second pattern is an error"
    );
    let only = of("npx vitest bench -t url")
        .unwrap()
        .as_is()
        .only(&["b.ts > g > in > a+"])
        .unwrap();
    assert_eq!(
        line(&only),
        r"npx vitest bench --testNamePattern=(g( | > )in( | > )a\+)$"
    );
}

#[test]
fn scripts_with_hard_coded_samples_are_measured_in_batches() {
    let package = folder(&[("bench.mjs", "import { Bench } from \"tinybench\"")]);
    let command = words("node --expose-gc bench.mjs");
    let adjusted = BenchTool::of(&command, package.path())
        .unwrap()
        .samples(SAMPLES, Path::new(RESULTS));
    assert_eq!(adjusted.command(), command);
    assert_eq!(
        adjusted.note().unwrap(),
        "tinybench: short batches of calls by NODE_OPTIONS"
    );
    assert_eq!(adjusted.results.as_deref(), Some(Path::new(RESULTS)));
    let value = |name| {
        adjusted
            .environment
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    };
    assert_eq!(value("PERF_GATE_TIME").unwrap(), "0.04");
    assert_eq!(value("PERF_GATE_RESULTS").unwrap(), RESULTS);
    let only = adjusted.only(&["a", "g/b"]).unwrap();
    assert_eq!(
        *only.environment.last().unwrap(),
        ("PERF_GATE_ONLY", r#"["a","g/b"]"#.into())
    );
    let as_is = BenchTool::of(&command, package.path()).unwrap().as_is();
    assert!(as_is.only(&["a"]).is_none(), "the module is not loaded");
}

#[test]
fn modules_are_found_in_scripts_and_shell_lines() {
    let package = folder(&[
        (
            "package.json",
            r#"{"scripts": {"bench": "cd bench && npm install && npm run all", "loop": "npm run loop", "lint": "node lint.js"}}"#,
        ),
        ("lint.js", "if (process.argv.includes('benchmark')) lint()"),
        (
            "bench/package.json",
            r#"{"scripts": {"all": "node --version && npm run one", "one": "FAST=1 node index"}}"#,
        ),
        ("bench/index.js", "new Worker('./thread.js')"),
        ("bench/thread.js", "const { Suite } = require('benchmark')"),
    ]);
    let tool = |command: &str| {
        let command = words(command);
        let adjusted = BenchTool::of(&command, package.path())
            .ok()?
            .samples(SAMPLES, Path::new(RESULTS));
        assert_eq!(
            adjusted.command(),
            command,
            "words may go to any command of the line"
        );
        Some(adjusted.tool())
    };
    for command in [
        "npm run bench",
        "node bench",
        "npx tsx bench/index.js",
        "sh -c 'cd bench; node index.js | tee log'",
    ] {
        assert_eq!(tool(command), Some(ToolKind::BenchmarkJs), "{command}");
    }
    for command in [
        "npm run loop",
        "npm run lint",
        "sh -c 'node lint.js'",
        "node absent.js",
    ] {
        assert_eq!(tool(command), None, "{command}");
    }
}

#[test]
fn pyperf_has_one_process() {
    let scripts = folder(&[("b.py", "import pyperf\n")]);
    let harness = BenchTool::of(&words("python3.12 b.py --fast"), scripts.path()).unwrap();
    assert_eq!(
        line(&harness.samples(SAMPLES, Path::new(RESULTS))),
        "python3.12 b.py --fast --values=20 --warmups=1 --min-time=0.002 --output=/r"
    );
    assert_eq!(
        line(&short("python -m pyperf timeit -n 5 'sum(range(9))'")),
        "python -m pyperf timeit --processes=1 --warmups=1 --min-time=0.002 --output=/r -n 5 sum(range(9))"
    );
}

#[test]
fn hyperfine_exports_its_runs() {
    let adjusted = short("hyperfine -N -m 5 'grep -r x .'");
    assert_eq!(
        line(&adjusted),
        "hyperfine --export-json=/r -N -m 5 grep -r x ."
    );
    assert_eq!(adjusted.kept, ["-m"]);
}

#[test]
fn shell_lines_and_build_tools_are_unchanged() {
    assert_eq!(
        refusal("sh -c 'go test -bench .'"),
        NotRecognised::Shell("sh".to_owned())
    );
    assert_eq!(
        refusal("env A=1 /bin/bash bench.sh"),
        NotRecognised::Shell("bash".to_owned())
    );
    assert_eq!(
        refusal("make bench"),
        NotRecognised::BuildTool("make".to_owned())
    );
    assert_eq!(
        refusal("go test ./..."),
        NotRecognised::NoBenchmarks("go test".to_owned())
    );
    assert!(BenchTool::of(&[], Path::new("")).is_err());
    assert!(matches!(
        BenchTool::of_format("csv", &words("./b")),
        Err(NotRecognised::Format(_))
    ));
    assert!(matches!(
        BenchTool::of_format("catch2", &words("sh -c ./b")),
        Err(NotRecognised::Shell(_))
    ));
}
