//! Taking samples: blocks in turn, each with the empty block behind it.

use perf_cli::term::printable;
use perf_model::row::{Row, Value};

use crate::process::CommandSpec;
use crate::rows;
use crate::sampling::{GROSS, WALL};

/// The shortest net time that a run of a block may have: below, the clock and the start are most of it.
const SHORTEST: f64 = 0.001;
/// The most repetitions of a command in one run. A command of less than 4 µs cannot be distinguished from the start of a process.
const MOST_REPEATS: u32 = 1 << 8;

/// A benchmark.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) name: String,
    /// The command that is timed.
    pub(super) body: CommandSpec,
    /// The command that runs untimed before each run, the empty one too.
    pub(super) before: Option<CommandSpec>,
    /// The command that runs untimed after each run.
    pub(super) after: Option<CommandSpec>,
}

/// Runs commands, or pretends to in a test.
pub(super) trait Timer {
    /// How long a command takes, `repeats` times one after the other, in seconds.
    fn time(&mut self, line: &CommandSpec, repeats: u32) -> anyhow::Result<f64>;
}

/// The samples of one benchmark.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    pub(super) name: String,
    /// How often the command ran in each sample.
    repeats: u32,
    /// Raw and empty times of each iteration, in seconds.
    runs: Vec<Run>,
}

/// A run of a block, and the empty one behind it; both in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    raw: f64,
    empty: f64,
}

/// Measures all blocks in turn. `progress` gets `.` for each run and `!` for each doubling.
pub(super) fn sample(
    blocks: &[Block],
    iterations: u32,
    timer: &mut impl Timer,
    mut progress: impl FnMut(char),
) -> anyhow::Result<Vec<Samples>> {
    for block in blocks {
        // What happens once only, such as filling a cache, happens here.
        time_between(block, &block.body, 1, timer)?;
        progress('.');
    }
    let mut sampled = Vec::new();
    for block in blocks {
        let repeats = repeats_of(block, timer, &mut progress)?;
        sampled.push(Samples {
            name: block.name.clone(),
            repeats,
            runs: Vec::new(),
        });
    }
    for _ in 0..iterations {
        for (block, samples) in blocks.iter().zip(&mut sampled) {
            samples.runs.push(run(block, samples.repeats, timer)?);
            progress('.');
        }
    }
    Ok(sampled)
}

/// Doubles the repetitions until a run takes long enough. Decided once, so that a slow moment chooses no samples.
fn repeats_of(
    block: &Block,
    timer: &mut impl Timer,
    progress: &mut impl FnMut(char),
) -> anyhow::Result<u32> {
    let mut repeats = 1;
    loop {
        let Run { raw, empty } = run(block, repeats, timer)?;
        progress('.');
        if raw - empty >= SHORTEST || repeats >= MOST_REPEATS {
            return Ok(repeats);
        }
        repeats *= 2;
        progress('!');
    }
}

fn run(block: &Block, repeats: u32, timer: &mut impl Timer) -> anyhow::Result<Run> {
    let raw = time_between(block, &block.body, repeats, timer)?;
    let noop = CommandSpec::noop(&block.body);
    Ok(Run {
        raw,
        empty: time_between(block, &noop, repeats, timer)?,
    })
}

/// The time of a command between the untimed ones.
fn time_between(
    block: &Block,
    line: &CommandSpec,
    repeats: u32,
    timer: &mut impl Timer,
) -> anyhow::Result<f64> {
    untimed(block.before.as_ref(), timer)?;
    let seconds = timer.time(line, repeats)?;
    untimed(block.after.as_ref(), timer)?;
    Ok(seconds)
}

fn untimed(line: Option<&CommandSpec>, timer: &mut impl Timer) -> anyhow::Result<()> {
    line.map_or(Ok(()), |line| timer.time(line, 1).map(drop))
}

impl Samples {
    /// The times of one repetition, in seconds, in the order of the iterations.
    ///
    /// The median of the empty runs is subtracted, not each from its own: starting a process varies so much on a busy
    /// machine that the minimum would be the sample with the slowest no-op, often below zero.
    pub(super) fn net(&self) -> Vec<f64> {
        let empty: Vec<f64> = self.runs.iter().map(|run| run.empty).collect();
        let empty = perf_verdict::statistics::order::median(
            &perf_verdict::statistics::order::sorted(&empty),
        )
        .unwrap_or_default();
        self.runs
            .iter()
            .map(|run| (run.raw - empty) / f64::from(self.repeats))
            .collect()
    }

    /// A row for each iteration, taken this way.
    pub(super) fn rows(&self, methodology: &str) -> impl Iterator<Item = Row> {
        let net = self.net().into_iter().zip(&self.runs).enumerate();
        net.map(|(at, (net, run))| {
            let metrics = rows::metrics([
                (WALL, Value::new(net)),
                (GROSS, Value::new(run.raw / f64::from(self.repeats))),
            ]);
            rows::row(
                &self.name,
                methodology,
                i64::try_from(at).unwrap_or(i64::MAX),
                metrics,
            )
        })
    }

    /// The warnings that people need before they believe the numbers.
    pub(super) fn warnings(&self) -> Vec<String> {
        let below = self.net().iter().filter(|net| **net < 0.0).count();
        let name = printable(&self.name);
        let mut warnings = Vec::new();
        if below > 0 {
            warnings.push(format!(
                "`{name}`: {below} of {} samples are below zero: there the no-op took longer than the command",
                self.runs.len()
            ));
        }
        if self.repeats >= MOST_REPEATS {
            warnings.push(format!(
                "`{name}`: {MOST_REPEATS} repetitions take less than 1 ms more than as many no-ops: \
                 starting the process hides the work"
            ));
        }
        warnings
    }
}

/// The net times of a benchmark in rows.
pub(super) fn net_of(rows: &[Row], name: &str) -> Vec<f64> {
    let own = rows.iter().filter(|row| *row.scenario == *name);
    own.filter_map(|row| row.metrics.get(WALL))
        .map(Value::as_f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Commands by name with the seconds that they take; what ran, and how often.
    struct Script {
        seconds: Vec<(&'static str, f64)>,
        ran: Vec<String>,
    }

    impl Timer for Script {
        fn time(&mut self, line: &CommandSpec, repeats: u32) -> anyhow::Result<f64> {
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
            Ok(seconds * f64::from(repeats))
        }
    }

    fn block(name: &str) -> Block {
        let line = |text: String| CommandSpec::parse(&text, Path::new(".")).unwrap();
        Block {
            name: name.to_owned(),
            body: line(name.to_owned()),
            before: Some(line(format!("before-{name}"))),
            after: Some(line(format!("after-{name}"))),
        }
    }

    fn measured(
        blocks: &[&str],
        seconds: &[(&'static str, f64)],
    ) -> (Vec<Samples>, Script, String) {
        let mut script = Script {
            seconds: seconds.to_vec(),
            ran: Vec::new(),
        };
        let mut marks = String::new();
        let blocks: Vec<Block> = blocks.iter().map(|name| block(name)).collect();
        let samples = sample(&blocks, 16, &mut script, |mark| marks.push(mark)).unwrap();
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
        assert_eq!(
            script.ran[..6],
            once,
            "each block runs once before anything counts"
        );
        let turn = [run("a"), empty("a"), run("b"), empty("b")].concat();
        let counted = script.ran[6..].chunks(12).collect::<Vec<_>>();
        assert_eq!(
            counted.len(),
            17,
            "one turn to find the repetitions, and 16 that count"
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
        // Before and after surround the whole loop.
        assert_eq!(script.ran.iter().filter(|name| *name == "a*4").count(), 17);
        assert_eq!(
            script.ran.iter().filter(|name| *name == "before-a").count(),
            1 + 2 * (3 + 16)
        );
    }

    #[test]
    fn one_slow_noop_makes_no_sample_fast() {
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
    fn command_without_work_is_said_and_ends() {
        let (samples, ..) = measured(&["a"], &[("a", 0.0010), ("true", 0.0011)]);
        assert_eq!(samples[0].repeats, MOST_REPEATS);
        assert!(
            samples[0].net().iter().all(|net| *net < 0.0),
            "never shown as zero"
        );
        insta::assert_snapshot!(samples[0].warnings().join("\n"), @r"
        `a`: 16 of 16 samples are below zero: there the no-op took longer than the command
        `a`: 256 repetitions take less than 1 ms more than as many no-ops: starting the process hides the work
        ");
    }
}
