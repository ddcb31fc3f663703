//! A comparison's JSON report, with lists that a test can compare.

use serde_json::Value;

/// The report that `--json` wrote.
#[derive(Debug)]
pub struct Report(pub Value);

impl Report {
    /// Parses a report.
    pub fn parse(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("a report in JSON"))
    }

    /// The scopes, in order.
    pub fn scopes(&self) -> &[Value] {
        list(&self.0, "scopes")
    }

    /// The scenarios in all scopes.
    pub fn scenarios(&self) -> impl Iterator<Item = &Value> {
        self.scopes()
            .iter()
            .flat_map(|scope| list(scope, "scenarios"))
    }

    /// Every metric as `scenario metric verdict`, in report order.
    pub fn verdicts(&self) -> Vec<String> {
        let of_scenario = |scenario: &Value| -> Vec<String> {
            let line = |metric: &Value| {
                format!(
                    "{} {} {}",
                    text(scenario, "scenario"),
                    text(metric, "metric"),
                    text(metric, "verdict")
                )
            };
            list(scenario, "metrics").iter().map(line).collect()
        };
        self.scenarios().flat_map(of_scenario).collect()
    }

    /// The verdicts other than `unchanged`.
    pub fn differences(&self) -> Vec<String> {
        self.verdicts()
            .into_iter()
            .filter(|verdict| !verdict.ends_with(" unchanged"))
            .collect()
    }

    /// The `missing` or `new` scenarios in all scopes, as `scope/scenario`.
    pub fn names(&self, key: &str) -> Vec<String> {
        let of_scope = |scope: &Value| -> Vec<String> {
            let name = |name: &Value| {
                format!(
                    "{}/{}",
                    text(scope, "scope"),
                    name.as_str().unwrap_or_default()
                )
            };
            list(scope, key).iter().map(name).collect()
        };
        self.scopes().iter().flat_map(of_scope).collect()
    }

    /// A metric of the first scenario with this name.
    pub fn metric(&self, scenario: &str, metric: &str) -> &Value {
        let scenario = self
            .scenarios()
            .find(|found| text(found, "scenario") == scenario);
        let mut metrics = scenario
            .into_iter()
            .flat_map(|scenario| list(scenario, "metrics"));
        metrics
            .find(|found| text(found, "metric") == metric)
            .unwrap_or_else(|| panic!("no `{metric}` in {self:?}"))
    }

    /// The number of notes.
    pub fn notes(&self) -> usize {
        list(&self.0, "notes").len()
    }
}

/// The list called `name` in a part of the report.
pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name]
        .as_array()
        .unwrap_or_else(|| panic!("no list `{name}` in {value}"))
}

/// The text called `name` in a part of the report.
pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no text `{name}` in {value}"))
}
