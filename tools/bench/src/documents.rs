//! Documents as written by tools, with many benchmarks each: a test report and JSON.

use std::io::{self, Write};

use crate::log::Noise;

/// The number of test cases in the report.
pub(crate) const TESTS: u32 = 1_000_000;

/// Writes a test report with suites of a thousand cases.
pub(crate) fn write_junit(out: &mut impl Write, tests: u32) -> io::Result<()> {
    let mut noise = Noise::new(41);
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\">"
    )?;
    for suite in 0..tests.div_ceil(1000) {
        writeln!(
            out,
            "  <testsuite name=\"queue_{suite:04}\" tests=\"1000\">"
        )?;
        for test in 0..1000 {
            let time = f64::from(noise.below(100_000)) / 1e3;
            writeln!(
                out,
                "    <testcase name=\"push::case_number_{test:04}\" classname=\"queue_{suite:04}::group_{}\" time=\"{time:.3}\"/>",
                test % 7
            )?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// A kind of JSON document: the text before, between and after benchmarks.
pub(crate) struct JsonKind {
    pub(crate) format: &'static str,
    around: [&'static str; 3],
    benchmark: fn(u32, &mut Noise) -> String,
}

const fn json(
    format: &'static str,
    around: [&'static str; 3],
    benchmark: fn(u32, &mut Noise) -> String,
) -> JsonKind {
    JsonKind {
        format,
        around,
        benchmark,
    }
}

/// All kinds, starting with those that contain samples.
pub(crate) const JSON: [JsonKind; 8] = [
    json("hyperfine", ["{\"results\":[", ",", "]}"], |at, noise| {
        format!(
            "{{\"command\":\"pack {at}\",\"mean\":1.5,\"times\":[{}]}}",
            samples(1000, noise)
        )
    }),
    json(
        "pytest-benchmark",
        [
            "{\"machine_info\":{\"machine\":\"x86_64\",\"system\":\"Linux\"},\"commit_info\":{},\"benchmarks\":[",
            ",",
            "]}",
        ],
        |at, noise| {
            format!(
                "{{\"name\":\"t{at}\",\"fullname\":\"a.py::t{at}\",\"stats\":{{\"median\":1.5,\"rounds\":1000,\"ops\":0.7,\"data\":[{}]}}}}",
                samples(1000, noise)
            )
        },
    ),
    json("jmh", ["[", ",\n", "]"], |at, noise| {
        format!(
            "{{\"jmhVersion\":\"1.37\",\"benchmark\":\"org.example.Codec.m{at}\",\"mode\":\"avgt\",\"threads\":1,\"forks\":2,\
                 \"params\":{{\"size\":\"100\"}},\"primaryMetric\":{{\"score\":1.5,\"scoreError\":0.1,\"scoreUnit\":\"ns/op\",\
                 \"rawData\":[[{}],[{}]]}},\"secondaryMetrics\":{{}}}}",
            samples(10, noise),
            samples(10, noise)
        )
    }),
    json(
        "benchmarkdotnet",
        [
            "{\"Title\":\"Codec\",\"HostEnvironmentInfo\":{\"ProcessorName\":\"Example\"},\"Benchmarks\":[\n",
            ",\n",
            "\n]}",
        ],
        |at, noise| {
            let steps = (0..15).map(|step| {
                format!(
                    "{{\"IterationMode\":\"Workload\",\"IterationStage\":\"Result\",\"LaunchIndex\":1,\
                     \"IterationIndex\":{step},\"Operations\":1000,\"Nanoseconds\":{}}}",
                    sample(noise)
                )
            });
            let steps = steps.collect::<Vec<_>>().join(",");
            format!(
                "{{\"DisplayInfo\":\"Codec.Push{at}: DefaultJob\",\"Type\":\"Codec\",\"Method\":\"Push{at}\",\
                 \"FullName\":\"Example.Codec.Push{at}\",\"Statistics\":{{\"OriginalValues\":[{}],\"N\":15}},\
                 \"Memory\":{{\"BytesAllocatedPerOperation\":48}},\"Measurements\":[{steps}],\"Metrics\":[]}}",
                samples(15, noise)
            )
        },
    ),
    json(
        "google-benchmark",
        [
            "{\"context\":{\"num_cpus\":2},\"benchmarks\":[\n",
            ",\n",
            "\n]}",
        ],
        |at, noise| {
            format!(
                "{{\"name\":\"BM_Copy/{at}\",\"run_name\":\"BM_Copy/{at}\",\"run_type\":\"iteration\",\"repetitions\":1,\
                 \"repetition_index\":0,\"threads\":1,\"iterations\":102400,\"real_time\":{0},\"cpu_time\":{0},\"time_unit\":\"ns\",\
                 \"bytes_per_second\":8.19e+09}}",
                sample(noise)
            )
        },
    ),
    json("custom", ["[", ",\n", "]"], |at, noise| {
        format!(
            "{{\"name\":\"bench {at}\",\"unit\":\"ns\",\"value\":{}}}",
            sample(noise)
        )
    }),
    json("bmf", ["{", ",\n", "}"], |at, noise| {
        format!(
            "\"bench {at}\":{{\"latency\":{{\"value\":{},\"lower_value\":1.0,\"upper_value\":2.0}}}}",
            sample(noise)
        )
    }),
    json(
        "k6",
        [
            "{\"root_group\":{\"name\":\"\",\"path\":\"\",\"groups\":{},\"checks\":{}},\"metrics\":{",
            ",\n",
            ",\"iterations\":{\"count\":5,\"rate\":1.5}}}",
        ],
        |at, noise| {
            format!(
                "\"metric_{at}\":{{\"avg\":{0},\"min\":1.0,\"med\":{0},\"max\":9.5,\"p(90)\":4.5,\"p(95)\":5.5}}",
                sample(noise)
            )
        },
    ),
];

impl JsonKind {
    /// Writes at least this many bytes.
    pub(crate) fn write(&self, out: &mut impl Write, bytes: usize) -> io::Result<()> {
        let (mut noise, [before, between, behind]) = (Noise::new(43), self.around);
        out.write_all(before.as_bytes())?;
        let mut written = 0;
        for at in 0.. {
            if written >= bytes {
                break;
            }
            let benchmark = (self.benchmark)(at, &mut noise);
            let between = if at > 0 { between } else { "" };
            write!(out, "{between}{benchmark}")?;
            written += between.len() + benchmark.len();
        }
        out.write_all(behind.as_bytes())
    }
}

fn sample(noise: &mut Noise) -> String {
    format!("{}.{:09}", noise.below(3), noise.below(1_000_000_000))
}

fn samples(count: usize, noise: &mut Noise) -> String {
    (0..count)
        .map(|_| sample(noise))
        .collect::<Vec<_>>()
        .join(", ")
}
