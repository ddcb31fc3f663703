//! Takes samples: the benchmarks run in turn, and a no-op follows each run.

use perf_cli::term::printable;
use perf_model::row::{Row, Value};
use perf_verdict::statistics::order::middle;

use super::file::METHODOLOGY;
use crate::benchmarks::Benchmark;
use crate::process::CommandSpec;
use crate::rows;
use crate::sampling::{GROSS, WALL};

/// The minimum net time of a run, in seconds. Shorter commands are repeated, because otherwise the clock and process
/// start-up would dominate.
const SHORTEST: f64 = 0.001;
/// The maximum number of repetitions in one run. A command that takes less than 4 µs cannot be distinguished from process
/// start.
const MOST_REPEATS: u32 = 1 << 8;

/// Runs a command several times in succession, and returns the total time in seconds.
pub type Timer<'t> = dyn FnMut(&CommandSpec, u32) -> anyhow::Result<f64> + 't;

/// One benchmark's samples.
pub struct Samples {
    pub name: String,
    /// How often each sample repeats the command.
    repeats: u32,
    /// The times of all iterations.
    runs: Vec<Run>,
}

/// The times of a command and of the no-op after it, in seconds.
struct Run {
    raw: f64,
    empty: f64,
}

/// Measures all benchmarks in turn. Calls `progress` with `.` for each run, and with `!` for each doubling of the
/// repetitions.
pub fn sample(
    benchmarks: &[Benchmark],
    iterations: u32,
    timer: &mut Timer<'_>,
    mut progress: impl FnMut(char),
) -> anyhow::Result<Vec<Samples>> {
    for benchmark in benchmarks {
        // This is the warm-up, in which one-time costs occur, such as filling a cache.
        time_between(benchmark, &benchmark.line, 1, timer)?;
        progress('.');
    }
    let mut sampled = Vec::new();
    for benchmark in benchmarks {
        let repeats = repeats_of(benchmark, timer, &mut progress)?;
        sampled.push(Samples {
            name: benchmark.name.clone(),
            repeats,
            runs: Vec::new(),
        });
    }
    for _ in 0..iterations {
        for (benchmark, samples) in benchmarks.iter().zip(&mut sampled) {
            samples.runs.push(run(benchmark, samples.repeats, timer)?);
            progress('.');
        }
    }
    Ok(sampled)
}

/// Doubles the repetitions until a run takes long enough. The number is fixed before the samples, so that disturbances
/// do not bias them.
fn repeats_of(
    benchmark: &Benchmark,
    timer: &mut Timer<'_>,
    progress: &mut impl FnMut(char),
) -> anyhow::Result<u32> {
    let mut repeats = 1;
    loop {
        let Run { raw, empty } = run(benchmark, repeats, timer)?;
        progress('.');
        if raw - empty >= SHORTEST || repeats >= MOST_REPEATS {
            return Ok(repeats);
        }
        repeats *= 2;
        progress('!');
    }
}

fn run(benchmark: &Benchmark, repeats: u32, timer: &mut Timer<'_>) -> anyhow::Result<Run> {
    let raw = time_between(benchmark, &benchmark.line, repeats, timer)?;
    let noop = benchmark.line.noop();
    Ok(Run {
        raw,
        empty: time_between(benchmark, &noop, repeats, timer)?,
    })
}

/// Times a command, and runs the untimed commands before and after it.
fn time_between(
    benchmark: &Benchmark,
    line: &CommandSpec,
    repeats: u32,
    timer: &mut Timer<'_>,
) -> anyhow::Result<f64> {
    if let Some(before) = &benchmark.before {
        timer(before, 1)?;
    }
    let seconds = timer(line, repeats)?;
    if let Some(after) = &benchmark.after {
        timer(after, 1)?;
    }
    Ok(seconds)
}

impl Samples {
    /// Returns the net time of one repetition in each iteration, in seconds.
    ///
    /// Subtracts the median of all no-ops instead of each iteration's own no-op. On a busy machine, process start varies so
    /// much that otherwise the minimum would be the sample with the slowest no-op, and often below zero.
    pub fn net(&self) -> Vec<f64> {
        let empty: Vec<f64> = self.runs.iter().map(|run| run.empty).collect();
        let empty = middle(&empty).unwrap_or_default();
        self.runs
            .iter()
            .map(|run| (run.raw - empty) / f64::from(self.repeats))
            .collect()
    }

    /// Returns a row for each iteration.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let net = self.net().into_iter().zip(&self.runs);
        (0..).zip(net).map(|(index, (net, run))| {
            let metrics = rows::metrics([
                (WALL, Value::new(net)),
                (GROSS, Value::new(run.raw / f64::from(self.repeats))),
            ]);
            rows::row(&self.name, METHODOLOGY, index, metrics)
        })
    }

    /// Describes why samples may be unreliable.
    pub fn warnings(&self) -> Vec<String> {
        let below = self.net().iter().filter(|net| **net < 0.0).count();
        let name = printable(&self.name);
        let mut warnings = Vec::new();
        if below > 0 {
            warnings.push(format!(
                "`{name}`: {below} of {} samples are negative, because the no-op took longer than the command",
                self.runs.len()
            ));
        }
        if self.repeats >= MOST_REPEATS {
            warnings.push(format!(
                "`{name}`: {MOST_REPEATS} repetitions take less than 1 ms more than as many no-ops: \
                 process start-up hides the work"
            ));
        }
        warnings
    }
}

/// Returns a benchmark's net times in these rows.
pub fn net_of(rows: &[Row], name: &str) -> Vec<f64> {
    let own = rows.iter().filter(|row| *row.scenario == *name);
    own.filter_map(|row| row.metrics.get(WALL))
        .map(Value::as_f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates commands of fixed duration, and records what ran.
    struct Script {
        seconds: Vec<(&'static str, f64)>,
        ran: Vec<String>,
    }

    impl Script {
        fn time(&mut self, line: &CommandSpec, repeats: u32) -> f64 {
            let name = line.shown();
            let seconds = self
                .seconds
                .iter()
                .find(|(known, _)| *known == name)
                .map_or(0.0, |(_, s)| *s);
            self.ran.push(if repeats == 1 {
                name
            } else {
                format!("{name}*{repeats}")
            });
            seconds * f64::from(repeats)
        }
    }

    fn benchmark(name: &str) -> Benchmark {
        let line = |text: String| CommandSpec::parse(&text).unwrap();
        Benchmark {
            before: Some(line(format!("before-{name}"))),
            after: Some(line(format!("after-{name}"))),
            ..Benchmark::new(name.to_owned(), line(name.to_owned()))
        }
    }

    fn measured(names: &[&str], seconds: &[(&'static str, f64)]) -> (Vec<Samples>, Script, String) {
        let mut script = Script {
            seconds: seconds.to_vec(),
            ran: Vec::new(),
        };
        let mut marks = String::new();
        let benchmarks: Vec<Benchmark> = names.iter().map(|name| benchmark(name)).collect();
        let samples = sample(
            &benchmarks,
            16,
            &mut |line, repeats| Ok(script.time(line, repeats)),
            |mark| marks.push(mark),
        )
        .unwrap();
        (samples, script, marks)
    }

    #[test]
    fn blocks_take_turns_and_each_run_is_followed_by_the_empty_one() {
        let (samples, script, _) =
            measured(&["a", "b"], &[("a", 0.004), ("b", 0.002), ("true", 0.001)]);
        let run = |name: &str| {
            [
                format!("before-{name}"),
                name.to_owned(),
                format!("after-{name}"),
            ]
        };
        let empty = |name: &str| {
            [
                format!("before-{name}"),
                "true".to_owned(),
                format!("after-{name}"),
            ]
        };
        let once = [run("a"), run("b")].concat();
        assert_eq!(script.ran[..6], once, "each benchmark runs once to warm up");
        let turn = [run("a"), empty("a"), run("b"), empty("b")].concat();
        let counted = script.ran[6..].chunks(12).collect::<Vec<_>>();
        assert_eq!(
            counted.len(),
            17,
            "one turn to choose the repetitions, and 16 measured turns"
        );
        assert!(counted.iter().all(|chunk| *chunk == turn));
        assert_eq!((samples[0].net().len(), samples[1].net().len()), (16, 16));
        assert!(
            (samples[0].net()[0] - 0.003).abs() < 1e-12
                && (samples[1].net()[0] - 0.001).abs() < 1e-12
        );
    }

    #[test]
    fn short_block_is_doubled_until_its_net_time_is_a_millisecond() {
        let (samples, script, marks) = measured(&["a"], &[("a", 0.0013), ("true", 0.001)]);
        assert_eq!(samples[0].repeats, 4);
        assert!((samples[0].net()[5] - 0.0003).abs() < 1e-12);
        assert_eq!(marks, format!("..!.!.{}", ".".repeat(16)));
        // Before and after run once per sample.
        assert_eq!(script.ran.iter().filter(|name| *name == "a*4").count(), 17);
        assert_eq!(
            script.ran.iter().filter(|name| *name == "before-a").count(),
            1 + 2 * (3 + 16)
        );
    }

    #[test]
    fn single_slow_noop_does_not_change_the_result() {
        let run = |empty| Run { raw: 0.005, empty };
        let runs = vec![run(0.002), run(0.002), run(0.009)];
        let samples = Samples {
            name: "a".to_owned(),
            repeats: 1,
            runs,
        };
        assert!(
            samples.net().iter().all(|net| (net - 0.003).abs() < 1e-12),
            "{:?}",
            samples.net()
        );
    }

    #[test]
    fn command_without_work_causes_warnings() {
        let (samples, ..) = measured(&["a"], &[("a", 0.0010), ("true", 0.0011)]);
        assert_eq!(samples[0].repeats, MOST_REPEATS);
        assert!(
            samples[0].net().iter().all(|net| *net < 0.0),
            "never shown as zero"
        );
        insta::assert_snapshot!(samples[0].warnings().join("\n"), @r"
        `a`: 16 of 16 samples are negative, because the no-op took longer than the command
        `a`: 256 repetitions take less than 1 ms more than as many no-ops: process start-up hides the work
        ");
    }
}
