//! Runs of several machine types, such as the jobs of a matrix: each must be compared.

use std::collections::{BTreeSet, HashMap};

use perf_cli::term;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::row::Name;
use perf_model::suite::{Measurement, Suite};
use perf_verdict::{Comparison, Obstacle, Reason};

/// The warning that a machine type's results were not compared: another type measured the same benchmarks, or the
/// baseline was measured on other machines.
pub(crate) fn left_out(current: &Suite<'_>, comparison: &Comparison) -> Option<Diagnostic> {
    let hint =
        "compare one machine type with `--filter platform=GLOB`, or give each its own platform";
    if current.left_out.other_class > 0 {
        let rows = counted(current.left_out.other_class as u64, "row");
        let message =
            format!("several machine types measured the same benchmarks: {rows} not compared");
        return Some(Diagnostic::warning(message).hint(hint));
    }
    let all = current
        .measurements()
        .filter_map(Measurement::machine_class);
    if all.collect::<BTreeSet<_>>().len() < 2 {
        return None;
    }
    let (mut compared, mut barred) = (BTreeSet::new(), BTreeSet::new());
    for scope in &comparison.scopes {
        let Some(measured) = current.scope(&scope.scope) else {
            continue;
        };
        let mut classes: HashMap<&Name, &str> = HashMap::new();
        for one in &measured.measurements {
            classes.extend(one.machine_class().map(|class| (one.scenario, class)));
        }
        for scenario in &scope.scenarios {
            let Some(class) = classes.get(&scenario.scenario) else {
                continue;
            };
            let mut metrics = scenario.metrics.iter();
            if metrics.clone().any(|metric| metric.judgement.is_compared()) {
                compared.insert(*class);
            } else if metrics
                .any(|metric| metric.judgement.reason == Reason::Obstacle(Obstacle::OtherMachine))
            {
                barred.insert(*class);
            }
        }
    }
    let mut classes = Vec::new();
    for class in barred.difference(&compared) {
        classes.push(format!("`{}`", term::printable(class)));
    }
    if classes.is_empty() {
        return None;
    }
    let message = format!(
        "not compared because the baseline was measured on other machines: {}",
        classes.join(", ")
    );
    let hint = "refresh the baseline on these machines, or measure both sides in one job";
    Some(Diagnostic::warning(message).hint(hint))
}
