//! hyperfine's `--export-json`: for each command the time of every run, in seconds.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::json::Numbers;
use crate::tools::common::command;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format {
    name: "hyperfine",
    about: "hyperfine --export-json: time of every run, user and system time, memory",
    samples: Samples::Launches,
    looks_like: |head| json::likeness(head, b"{", KEYS),
    kind: Kind::Document(read),
};

const KEYS: &[(&[&str], Likeness)] = &[
    (&["results", "command", "mean"], Likeness::Yes),
    (&["results"], Likeness::Near("has `results`, but without `command` and `mean`")),
];

/// One command, as hyperfine writes it.
#[derive(Deserialize)]
struct Timed {
    #[serde(rename = "command")]
    line: String,
    #[serde(default)]
    mean: Number,
    #[serde(default)]
    stddev: Number,
    #[serde(default)]
    user: Number,
    #[serde(default)]
    system: Number,
    #[serde(default)]
    min: Number,
    #[serde(default)]
    max: Number,
    #[serde(default)]
    times: Numbers,
    #[serde(default)]
    memory_usage_byte: Numbers,
    /// `null` for a run that a signal ended.
    #[serde(default)]
    exit_codes: Vec<Option<i64>>,
    #[serde(default)]
    parameters: IndexMap<String, serde_json::Value>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["results", "*"]], |piece: &Piece<'_>, sink| {
        if let Some(timed) = piece.parse::<Timed>(sink) {
            timed.rows(piece.line, sink);
        }
    })
}

impl Timed {
    fn rows(&self, line: u64, sink: &mut RowCollector<'_>) {
        let name = self.name();
        let cells = Cells::of(&name);
        let Self { mean, stddev, user, system, min, max, .. } = self;
        // With a row for every run, a summary row adds nothing.
        let headline = [("timeS", mean), ("timeS.stddev", stddev), ("timeS.min", min), ("timeS.max", max)];
        let headline = headline.into_iter().filter(|_| self.times.is_empty());
        let summary = headline.chain([("userS", user), ("systemS", system)]);
        let mut runs = sink.runs(line, &cells, &["timeS", "memoryBytes"]);
        for ((run, run_index), time) in (0..).zip(0..).zip(&self.times) {
            let run: usize = run;
            let outcome = match self.exit_codes.get(run) {
                None | Some(Some(0)) => Outcome::Measured,
                _ => Outcome::Failed,
            };
            let memory = self.memory_usage_byte.get(run).copied().unwrap_or_default();
            runs.row(run_index, outcome, [time.0, memory.0]);
        }
        let summary: Vec<_> = summary.map(|(metric, number)| (metric, number.0)).collect();
        if self.times.is_empty() || summary.iter().any(|(_, value)| value.is_some()) {
            sink.measured(line, &cells, summary);
        }
    }

    /// The command, and the parameters that a command with a name of its own does not show.
    fn name(&self) -> String {
        let text =
            |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let shown = |(name, value): (&String, &_)| command::shown(&format!("{name}={}", text(value)));
        let parameters: Vec<String> = self.parameters.iter().map(shown).collect();
        with_details(&command::shown(&self.line), &parameters)
    }
}
