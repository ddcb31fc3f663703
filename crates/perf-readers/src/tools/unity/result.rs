//! The JSON of one test, and the rows in it.

use serde::Deserialize;

use crate::json::{Number, Numbers};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::units::shifted;
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::Value;

/// What one test measured.
#[derive(Deserialize)]
pub(crate) struct TestResult {
    #[serde(rename = "Name", alias = "TestName")]
    name: String,
    #[serde(rename = "SampleGroups")]
    groups: Vec<Group>,
}

/// The samples of one quantity.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Group {
    #[serde(flatten)]
    direct: Definition,
    /// Its place in the first version.
    definition: Option<Definition>,
    #[serde(default)]
    samples: Numbers,
    #[serde(default)]
    median: Number,
    #[serde(default)]
    min: Number,
    #[serde(default)]
    max: Number,
    #[serde(default)]
    standard_deviation: Number,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Definition {
    name: String,
    /// In the order of Unity's `SampleUnit`.
    #[serde(alias = "SampleUnit")]
    unit: u8,
    increase_is_better: bool,
}

impl Default for Definition {
    fn default() -> Self {
        Self { name: String::new(), unit: UNDEFINED, increase_is_better: false }
    }
}

/// The last of Unity's units: undefined.
const UNDEFINED: u8 = 8;

/// The machine that ran the tests.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct RunInfo {
    #[serde(alias = "PlayerSystemInfo")]
    hardware: Option<Hardware>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Hardware {
    processor_type: String,
}

impl RunInfo {
    pub(crate) fn processor(&self) -> &str {
        self.hardware.as_ref().map_or("", |hardware| &hardware.processor_type)
    }
}

impl TestResult {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Gives the rows of all groups. `cells` are those of the test.
    pub(crate) fn give(&self, line: u64, cells: &Cells<'_>, sink: &mut RowCollector<'_>) {
        for group in &self.groups {
            group.give(line, cells, sink);
        }
    }
}

impl Definition {
    /// What a value is multiplied by, as places, and what it is then: the suffix of a name, and a unit.
    fn scale(&self) -> (i32, &'static str, Unit) {
        match self.unit {
            unit @ 0..=3 => (i32::from(unit) * 3, "Ns", Unit::Ns),
            unit @ 4..=7 => (i32::from(unit - 4) * 3, "Bytes", Unit::Bytes),
            _ => (0, "", Unit::None),
        }
    }

    /// The scenario: the test, and the group, but for what the package itself calls the only group of a test.
    fn scenario(&self, test: &str) -> String {
        match &*self.name {
            "Time" | "" => test.to_owned(),
            group => format!("{test} {group}"),
        }
    }

    /// The metric: a common one for a time or a size where less is better, else one named by the group.
    fn metric(&self) -> String {
        match self.scale() {
            (_, _, Unit::Ns) if !self.increase_is_better => "timeNs".to_owned(),
            (_, _, Unit::Bytes) if !self.increase_is_better => "memoryBytes".to_owned(),
            (_, suffix, _) => format!("{}{suffix}", self.name),
        }
    }
}

impl Group {
    fn give(&self, line: u64, cells: &Cells<'_>, sink: &mut RowCollector<'_>) {
        let definition = self.definition.as_ref().unwrap_or(&self.direct);
        let (places, _, unit) = definition.scale();
        let (scenario, metric) = (definition.scenario(cells.scenario), definition.metric());
        let cells = Cells { scenario: &scenario, ..*cells };
        let better = if definition.increase_is_better { Direction::Higher } else { Direction::Lower };
        if unit == Unit::None || definition.increase_is_better {
            let meaning = Meaning { unit, direction: better, exact: false };
            sink.declare(&metric, Declared { label: None, meaning });
        }
        let scaled = |number: &Number| scaled(*number, places);
        if !self.samples.is_empty() {
            let samples: Vec<_> = self.samples.iter().map(scaled).collect();
            return sink.samples(line, &cells, &metric, &samples);
        }
        let spread = |end: &str, number| (format!("{metric}.{end}"), scaled(number));
        let metrics = [
            (metric.clone(), scaled(&self.median)),
            spread("stddev", &self.standard_deviation),
            spread("min", &self.min),
            spread("max", &self.max),
        ];
        sink.measured(line, &cells, metrics.iter().map(|(name, value)| (&**name, *value)));
    }
}

fn scaled(number: Number, places: i32) -> Option<Value> {
    shifted(&number.0?.to_string(), places)
}
