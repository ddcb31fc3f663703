//! The instruments, and the results of their runs.

use anyhow::anyhow;
use perf_cli::ResultExt;
use perf_cli::term::printable;
use perf_config::Config;
use perf_model::metric::UnitFamily;
use perf_model::row::{Row, Value};
use perf_model::suite::Definitions;

use crate::count;
use crate::process::{CommandSpec, Launcher};
use crate::rows::float;
use crate::sampling::{USER, WALL, read_output};

/// An instrument, and the command that it measures.
pub struct InstrumentedCommand {
    /// `wall`, `user`, `instructions`, or a metric that the command prints.
    pub instrument: String,
    pub line: CommandSpec,
}

/// One benchmark's result in one run.
pub struct Measured {
    pub scenario: String,
    /// The measured value in its base unit, such as seconds or bytes.
    pub value: f64,
    pub calls: Option<f64>,
}

impl InstrumentedCommand {
    /// Returns the kind of quantity that the instrument measures, and the factor that converts its values to base units.
    pub fn unit(&self, config: &Config) -> (UnitFamily, f64) {
        let metric = match &*self.instrument {
            "wall" => WALL,
            "user" => USER,
            // `instructions` is also the name of its metric.
            metric => metric,
        };
        let line = config.metric(metric).meaning.unit.line();
        (line.family, line.scale)
    }

    /// Runs the command once, and returns its results. If the instrument is a metric that the command prints, each row is a
    /// result, and the rows may have different run indexes. All other instruments measure the whole process.
    ///
    /// # Errors
    /// Fails if the command fails, or if it does not print the instrument's metric.
    pub fn run(
        &self,
        launcher: &Launcher<'_>,
        calls: &str,
        config: &Config,
    ) -> anyhow::Result<Vec<Measured>> {
        let of_process = |value, row: Option<&Row>| Measured {
            scenario: row.map_or_else(|| self.line.shown(), |row| row.scenario.to_string()),
            value,
            calls: row.and_then(|row| number(row, calls)),
        };
        if self.instrument == count::INSTRUCTIONS {
            let value = count::instructions(&self.line, launcher)?;
            return Ok(vec![of_process(float(value), None)]);
        }
        let launch = launcher.launch(&self.line, 1, 0)?;
        let rows = read_output(&launch, None, config)?.rows;
        // If all rows are about the same benchmark, the result of the whole process gets this benchmark's name.
        let first = rows.first();
        let only = first.filter(|row| rows.iter().all(|other| other.scenario == row.scenario));
        match &*self.instrument {
            "wall" => return Ok(vec![of_process(launch.wall, only)]),
            "user" => return Ok(vec![of_process(launch.user, only)]),
            _ => {}
        }
        let (_, scale) = self.unit(config);
        let mut found = Vec::new();
        for row in &rows {
            if let Some(value) = number(row, &self.instrument) {
                found.push(of_process(value * scale, Some(row)));
            }
        }
        if found.is_empty() {
            let (line, metric) = (self.line.shown(), printable(&self.instrument));
            return Err(anyhow!("`{line}` printed no `{metric}`"))
                .hint("an instrument is `wall`, `user`, `instructions` or a metric that the command prints");
        }
        Ok(found)
    }
}

fn number(row: &Row, metric: &str) -> Option<f64> {
    row.metrics.get(metric).map(Value::as_f64)
}
