//! The instruments, and the results of their runs.

use std::convert::Infallible;
use std::str::FromStr;

use perf_cli::Failure;
use perf_cli::term::printable;
use perf_config::Config;
use perf_model::metric::UnitFamily;
use perf_model::row::{Row, Value};
use perf_model::suite::Definitions;

use crate::count;
use crate::process::{CommandSpec, Launcher};
use crate::sampling::{USER, WALL, read_output};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instrument {
    /// Wall time of the process.
    Wall,
    /// User time of the process and its children.
    User,
    /// Instructions of the process and its children.
    Instructions,
    /// A metric that the command prints.
    Printed(String),
}

impl FromStr for Instrument {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "wall" => Self::Wall,
            "user" => Self::User,
            "instructions" => Self::Instructions,
            metric => Self::Printed(metric.to_owned()),
        })
    }
}

impl Instrument {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Wall => "wall".to_owned(),
            Self::User => "user".to_owned(),
            Self::Instructions => "instructions".to_owned(),
            Self::Printed(metric) => printable(metric),
        }
    }

    fn metric(&self) -> &str {
        match self {
            Self::Wall => WALL,
            Self::User => USER,
            Self::Instructions => count::INSTRUCTIONS,
            Self::Printed(metric) => metric,
        }
    }

    /// The quantity that it measures, and its unit in base units.
    pub(super) fn unit(&self, config: &Config) -> (UnitFamily, f64) {
        let line = config.metric(self.metric()).meaning.unit.line();
        (line.family, line.scale)
    }
}

/// An instrument with its command.
#[derive(Clone, Debug)]
pub(super) struct InstrumentedCommand {
    pub(super) instrument: Instrument,
    pub(super) line: CommandSpec,
}

/// One benchmark's result in one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) scenario: String,
    /// In base units: seconds or bytes.
    pub(super) value: f64,
    pub(super) calls: Option<f64>,
}

impl InstrumentedCommand {
    /// Runs the command once. It may print the results of several runs with different run indexes.
    ///
    /// # Errors
    /// The command fails, or does not print the instrument's metric.
    pub(super) fn run(
        &self,
        launcher: &Launcher<'_>,
        calls: &str,
        config: &Config,
    ) -> anyhow::Result<Vec<Measured>> {
        let (_, scale) = self.instrument.unit(config);
        if self.instrument == Instrument::Instructions {
            #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
            let value = count::instructions(&self.line, launcher)? as f64;
            return Ok(vec![Measured {
                scenario: self.line.shown(),
                value,
                calls: None,
            }]);
        }
        let launch = launcher.launch(&self.line, 1, 0)?;
        let printed = read_output(&launch, None, config)?.rows;
        let of_process = match self.instrument {
            Instrument::Wall => launch.wall,
            Instrument::User => launch.user,
            _ => return self.read(&printed, calls, scale),
        };
        let row = printed
            .first()
            .filter(|row| printed.iter().all(|other| other.scenario == row.scenario));
        Ok(vec![Measured {
            scenario: row.map_or_else(|| self.line.shown(), |row| row.scenario.to_string()),
            value: of_process,
            calls: row.and_then(|row| number(row, calls)),
        }])
    }

    fn read(&self, rows: &[Row], calls: &str, scale: f64) -> anyhow::Result<Vec<Measured>> {
        let metric = self.instrument.metric();
        let measured = |row: &Row| {
            let value = number(row, metric)? * scale;
            Some(Measured {
                scenario: row.scenario.to_string(),
                value,
                calls: number(row, calls),
            })
        };
        let found: Vec<Measured> = rows.iter().filter_map(measured).collect();
        if found.is_empty() {
            let message = format!("`{}` printed no `{}`", self.line.shown(), printable(metric));
            return Err(Failure::new(message)
                .hint("an instrument is `wall`, `user`, `instructions` or a metric that the command prints")
                .into());
        }
        Ok(found)
    }
}

fn number(row: &Row, metric: &str) -> Option<f64> {
    row.metrics.get(metric).map(Value::as_f64)
}
