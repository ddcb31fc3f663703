//! Runs of several machine types, such as the jobs of a matrix: each must be compared.

use std::collections::{BTreeSet, HashMap};

use perf_cli::term;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::row::Name;
use perf_model::suite::{Measurement, Suite};
use perf_verdict::rules::obstacle::Obstacle;
use perf_verdict::{Comparison, MetricComparison, Reason};

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
    if current
        .measurements()
        .filter_map(Measurement::machine_class)
        .collect::<BTreeSet<_>>()
        .len()
        < 2
    {
        return None;
    }
    let (mut compared, mut barred) = (BTreeSet::new(), BTreeSet::new());
    for scope in &comparison.scopes {
        let Some(measured) = current.scope(&scope.scope) else {
            continue;
        };
        let class = |one: &Measurement<'_>| {
            Some((Name::clone(one.scenario), one.machine_class()?.to_owned()))
        };
        let classes: HashMap<Name, String> =
            measured.measurements.iter().filter_map(class).collect();
        for scenario in &scope.scenarios {
            let Some(class) = classes.get(&scenario.scenario).cloned() else {
                continue;
            };
            if scenario
                .metrics
                .iter()
                .any(|metric| metric.judgement.is_compared())
            {
                compared.insert(class);
            } else if scenario.metrics.iter().any(is_of_other_machine) {
                barred.insert(class);
            }
        }
    }
    let classes: Vec<String> = barred
        .difference(&compared)
        .map(|class| format!("`{}`", term::printable(class)))
        .collect();
    let message = format!(
        "not compared because the baseline was measured on other machines: {}",
        classes.join(", ")
    );
    (!classes.is_empty()).then(|| {
        let warning = Diagnostic::warning(message);
        warning.hint("refresh the baseline on these machines, or measure both sides in one job")
    })
}

fn is_of_other_machine(metric: &MetricComparison) -> bool {
    matches!(
        metric.judgement.reason,
        Reason::Obstacle(Obstacle::OtherMachine)
    )
}
