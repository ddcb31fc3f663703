//! The part of a report that annotations need.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::{MetricReport, ScenarioReport};

/// The benchmarks of a scope with a metric that regressed. The others are read and dropped one by one: a report of
/// 100,000 benchmarks has hundreds of megabytes.
#[derive(Clone, Debug)]
pub struct Regressed(pub Vec<ScenarioReport>);

impl<'de> Deserialize<'de> for Regressed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Filter)
    }
}

struct Filter;

impl<'de> Visitor<'de> for Filter {
    type Value = Regressed;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of benchmarks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Regressed, A::Error> {
        let mut regressed = Vec::new();
        while let Some(scenario) = all.next_element::<ScenarioReport>()? {
            if scenario.metrics.iter().any(MetricReport::is_regression) {
                regressed.push(scenario);
            }
        }
        Ok(Regressed(regressed))
    }
}
