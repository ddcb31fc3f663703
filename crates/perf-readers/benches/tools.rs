//! How fast outputs of benchmark tools are read, in bytes per second: documents with many samples, documents with many
//! benchmarks, logs with few tool lines, and files in which every line is a row.

use std::fmt::Write as _;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use perf_config::Config;
use perf_readers::Collector;

fn main() {
    divan::main();
}

/// Approximate bytes of each input. Dropping the result is not timed.
const SIZE: usize = 8 << 20;

fn bench(bencher: Bencher<'_, '_>, text: &str) {
    let config = Config::default();
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        let mut collector = Collector::new(&config);
        let read = collector.read("bench", &mut black_box(text).as_bytes());
        read.map(|()| collector.finish())
    });
}

/// Repeats a part until the text is large enough.
fn many(part: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(SIZE + 4096);
    for at in 0.. {
        if text.len() >= SIZE {
            break;
        }
        let _ = write!(text, "{}", part(at));
    }
    text
}

fn samples(count: usize) -> String {
    let sample = |at: usize| format!("{}.{:09}", at % 3, at * 7_919 % 1_000_000_000);
    (0..count)
        .map(sample)
        .collect::<Vec<_>>()
        .join(",\n        ")
}

/// JSON: few benchmarks with many samples, and many benchmarks.
#[divan::bench(args = ["hyperfine", "pytest-benchmark", "google-benchmark"])]
fn json(bencher: Bencher<'_, '_>, tool: &str) {
    let text = match tool {
        "hyperfine" => {
            let one = |at| {
                format!(
                    "{{\"command\":\"pack {at}\",\"mean\":1.5,\"times\":[{}]}},",
                    samples(1000)
                )
            };
            format!(
                "{{\"results\":[{}{{\"command\":\"last\",\"mean\":1.0}}]}}",
                many(one)
            )
        }
        "pytest-benchmark" => {
            let one = |at| {
                let data = samples(1000);
                format!(
                    "{{\"name\":\"t{at}\",\"fullname\":\"a.py::t{at}\",\"stats\":{{\"median\":1.5,\"rounds\":1000,\"ops\":0.7,\"data\":[{data}]}}}},"
                )
            };
            let benchmarks = many(one);
            let benchmarks = benchmarks.trim_end_matches(',');
            format!(
                "{{\"machine_info\":{{\"machine\":\"x86_64\",\"system\":\"Linux\"}},\"commit_info\":{{}},\"benchmarks\":[{benchmarks}]}}"
            )
        }
        "google-benchmark" => {
            let one = |at| {
                format!(
                    "    {{\n      \"name\": \"BM_Copy/{at}\",\n      \"run_name\": \"BM_Copy/{at}\",\n      \"run_type\": \"iteration\",\n      \"repetitions\": 1,\n      \"repetition_index\": 0,\n      \"threads\": 1,\n      \"iterations\": 102400,\n      \"real_time\": 1.25{at}e+02,\n      \"cpu_time\": 1.24{at}e+02,\n      \"time_unit\": \"ns\",\n      \"bytes_per_second\": 8.19{at}e+09\n    }},\n"
                )
            };
            let benchmarks = many(one);
            let benchmarks = benchmarks.trim_end_matches(",\n");
            format!(
                "{{\n  \"context\": {{\n    \"num_cpus\": 2\n  }},\n  \"benchmarks\": [\n{benchmarks}\n  ]\n}}\n"
            )
        }
        other => unreachable!("{other}"),
    };
    bench(bencher, &text);
}

/// Text: a tool's lines alone, and among a hundred times as many other lines.
#[divan::bench(args = ["go in a log", "go", "libtest in a log", "libtest"])]
fn text(bencher: Bencher<'_, '_>, kind: &str) {
    const NOISE: &str =
        "   Compiling shelf-macros v0.14.2 (/build/shelf/macros) with 12 features in 3.20s\n";
    let go = |at: usize| {
        let time = at % 1000;
        format!(
            "BenchmarkParse/case-{at}-8 \t 8833867\t  {time}.5 ns/op\t  72 B/op\t   4 allocs/op\n"
        )
    };
    let libtest = |at: usize| {
        format!(
            "test parse::case_{at} ... bench:       3,{:03} ns/iter (+/- 975)\n",
            at % 1000
        )
    };
    let row = |at: usize| {
        if kind.starts_with("go") {
            go(at)
        } else {
            libtest(at)
        }
    };
    let noise = if kind.ends_with("log") {
        NOISE.repeat(100)
    } else {
        String::new()
    };
    bench(
        bencher,
        &format!("goos: linux\n{}", many(|at| noise.clone() + &row(at))),
    );
}
