//! Each row's values in a history, in order.

use indexmap::IndexMap;
use perf_config::Config;
use perf_model::metric::GateRule;
use perf_model::row::{Name, Row};
use perf_model::suite::Definitions;
use perf_verdict::cost_scale::cost;

use crate::runs::RunHistory;

/// A platform and a scenario.
pub(crate) type Key<'h> = (&'h Name, &'h Name);

/// A row's samples in one run: the index of the run, and the rows.
pub(crate) type Sampled<'h> = (usize, Vec<&'h Row>);

pub(crate) struct RowSeries<'h>(IndexMap<Key<'h>, Vec<Sampled<'h>>>);

/// A row's values, and the index of one of them.
pub(crate) type Around<'s, 'h> = (&'s [Sampled<'h>], usize);

impl<'h> RowSeries<'h> {
    pub(crate) fn of(history: &'h RunHistory) -> Self {
        let mut series: IndexMap<Key<'h>, Vec<Sampled<'h>>> = IndexMap::new();
        for (at, run) in history.runs.iter().enumerate() {
            for row in run.rows.iter().filter(|row| !row.metrics.is_empty()) {
                let values = series.entry((&row.platform, &row.scenario)).or_default();
                match values.last_mut() {
                    Some((last, rows)) if *last == at => rows.push(row),
                    _ => values.push((at, vec![row])),
                }
            }
        }
        Self(series)
    }

    /// A run's rows: each with all its values, and the index of this run's value.
    pub(crate) fn around(&self, run: usize) -> Vec<Around<'_, 'h>> {
        let all = self.0.values().filter_map(|values| {
            Some((
                values.as_slice(),
                values.binary_search_by_key(&run, |(run, _)| *run).ok()?,
            ))
        });
        all.collect()
    }

    /// A scenario's values on the platforms that `is_there` accepts, and the index of a run's value.
    pub(crate) fn of_row(
        &self,
        run: usize,
        scenario: &str,
        is_there: impl Fn(&str) -> bool,
    ) -> Option<Around<'_, 'h>> {
        let mut rows = self
            .0
            .iter()
            .filter(|((platform, name), _)| ***name == *scenario && is_there(platform));
        rows.find_map(|(_, values)| {
            Some((
                values.as_slice(),
                values.binary_search_by_key(&run, |(run, _)| *run).ok()?,
            ))
        })
    }
}

/// The costs of each platform, scenario and metric, in order.
pub(crate) type Costs = IndexMap<(Name, Name, Name), Vec<f64>>;

/// The costs of metrics that have the fixed limit by default.
pub(crate) fn costs<'r>(rows: impl IntoIterator<Item = &'r Row>, config: &Config) -> Costs {
    let mut costs = Costs::new();
    for row in rows {
        for (name, value) in row.metrics.iter() {
            let metric = config.metric(name);
            let is_gated = metric.default_gate == Some(GateRule::Limit);
            let cost = cost(metric.meaning.direction, value.as_f64()).filter(|_| is_gated);
            let key = [&row.platform, &row.scenario, name].map(Name::clone);
            costs.entry(key.into()).or_default().extend(cost);
        }
    }
    costs
}
