//! Results as written by other tools, for comparison with those tools.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::log::Noise;

pub(crate) const BENCHMARKS: u32 = 1_000;

/// The number of samples per benchmark.
const SAMPLES: u32 = 100;

/// How often Go repeats each benchmark.
const COUNT: u32 = 10;

/// The time of one sample, in nanoseconds. The second run is slightly slower.
fn time(benchmark: u32, run: u32, noise: &mut Noise) -> f64 {
    f64::from(1_000 + benchmark)
        * (1.0 + f64::from(run) * 0.01 + f64::from(noise.below(1_000)) * 2e-5)
}

/// Writes the output of `go test -bench . -count 10`.
pub(crate) fn write_go(out: &mut impl Write, run: u32) -> io::Result<()> {
    let mut noise = Noise::new(u64::from(run) + 21);
    writeln!(
        out,
        "goos: linux\ngoarch: amd64\npkg: example.com/queue\ncpu: Example"
    )?;
    for benchmark in 0..BENCHMARKS {
        for _ in 0..COUNT {
            let time = time(benchmark, run, &mut noise);
            writeln!(
                out,
                "BenchmarkPush{benchmark:04}-2\t  100000\t  {time:.1} ns/op\t  48 B/op\t  1 allocs/op"
            )?;
        }
    }
    writeln!(out, "PASS\nok  \texample.com/queue\t1.000s")
}

/// Writes Criterion results, once for our programs and once as a baseline below `home` for critcmp.
pub(crate) fn write_criterion(folder: &Path, home: &Path, run: u32) -> io::Result<()> {
    let mut noise = Noise::new(u64::from(run) + 31);
    for benchmark in 0..BENCHMARKS {
        let name = format!("push_{benchmark:04}");
        let times: Vec<f64> = (0..SAMPLES)
            .map(|_| time(benchmark, run, &mut noise))
            .collect();
        let named =
            home.join("criterion")
                .join(&name)
                .join(if run == 0 { "before" } else { "after" });
        for folder in [folder.join("criterion").join(&name).join("new"), named] {
            fs::create_dir_all(&folder)?;
            write_benchmark(&folder, &name, &times)?;
        }
    }
    Ok(())
}

fn write_benchmark(folder: &Path, name: &str, times: &[f64]) -> io::Result<()> {
    let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    write!(
        file("benchmark.json")?,
        "{{\"group_id\":\"{name}\",\"function_id\":null,\"value_str\":null,\"throughput\":null,\"full_id\":\"{name}\",\
         \"directory_name\":\"{name}\",\"title\":\"{name}\"}}"
    )?;
    let iterations = (1..=times.len())
        .map(|each| format!("{each}.0"))
        .collect::<Vec<_>>()
        .join(",");
    let totals: Vec<String> = (1_u32..)
        .zip(times)
        .map(|(each, time)| format!("{}", f64::from(each) * time))
        .collect();
    let totals = totals.join(",");
    write!(
        file("sample.json")?,
        "{{\"sampling_mode\":\"Linear\",\"iters\":[{iterations}],\"times\":[{totals}]}}"
    )?;
    let mean = times.iter().sum::<f64>() / f64::from(SAMPLES);
    let estimate = format!(
        "{{\"confidence_interval\":{{\"confidence_level\":0.95,\"lower_bound\":{mean},\"upper_bound\":{mean}}},\
         \"point_estimate\":{mean},\"standard_error\":1.0}}"
    );
    let names = ["mean", "median", "median_abs_dev", "slope", "std_dev"];
    let estimates: Vec<String> = names
        .iter()
        .map(|name| format!("\"{name}\":{estimate}"))
        .collect();
    write!(file("estimates.json")?, "{{{}}}", estimates.join(","))
}
