//! The table of means, deviations, discrepancies, and errors per call.

use anyhow::anyhow;
use perf_cli::ResultExt;
use perf_cli::term::printable;
use perf_model::metric::{Unit, UnitFamily};
use perf_report::markdown::escape::inline;
use perf_report::markdown::table::{Align, Table};
use perf_report::number::scale_for;
use perf_verdict::statistics::order::range;

use super::instrument::Measured;
use crate::amount::in_fitting_unit;

/// A benchmark that both instruments measured.
pub struct ComparedBenchmark {
    scenario: String,
    a: Summary,
    b: Summary,
    /// The relative difference of the means: (B − A) / A.
    pub discrepancy: f64,
    /// The difference per call, in base units: (B − A) / calls. `None` if calls were not counted.
    error: Option<f64>,
}

/// The mean and the deviation of one instrument's runs.
#[derive(Clone, Copy)]
struct Summary {
    mean: f64,
    /// Standard deviation relative to the mean; `None` for a single run.
    deviation: Option<f64>,
}

impl Summary {
    fn of(values: &[f64]) -> Self {
        let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt() / mean);
        Self { mean, deviation }
    }
}

impl ComparedBenchmark {
    /// Summarises all runs with both instruments.
    ///
    /// # Errors
    /// Fails if the number of calls differs between runs.
    pub fn new(scenario: &str, both: &[Vec<&Measured>; 2]) -> anyhow::Result<Self> {
        let calls = both.iter().flatten().filter_map(|run| run.calls);
        let calls = range(&calls.collect::<Vec<_>>());
        if let Some((least, most)) = calls
            && least < most
        {
            let scenario = printable(scenario);
            return Err(anyhow!(
                "`{scenario}` has {least} calls in one run and {most} in another"
            ))
            .hint("both instruments must measure the same work in every run");
        }
        let [a, b] = both.each_ref().map(|runs| {
            let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
            Summary::of(&values)
        });
        let error = calls
            .filter(|(calls, _)| *calls > 0.0)
            .map(|(calls, _)| (b.mean - a.mean) / calls);
        Ok(Self {
            scenario: scenario.to_owned(),
            a,
            b,
            discrepancy: (b.mean - a.mean) / a.mean,
            error,
        })
    }
}

pub fn markdown(names: [&str; 2], family: UnitFamily, lines: &[ComparedBenchmark]) -> String {
    let mut heads = vec!["Benchmark", names[0], names[1], "Discrepancy"];
    let has_errors = lines.iter().any(|line| line.error.is_some());
    if has_errors {
        heads.push("Error per call");
    }
    let mut rows = Vec::new();
    for line in lines {
        let scale = scale_for(base(family), &[line.a.mean, line.b.mean], 3);
        let cell = |summary: Summary| {
            let deviation = summary
                .deviation
                .map(|share| format!(" ± {:.1}%", 100.0 * share));
            format!(
                "{}{}",
                scale.format(summary.mean),
                deviation.unwrap_or_default()
            )
        };
        let mut cells = vec![inline(&line.scenario), cell(line.a), cell(line.b)];
        cells.push(format!("{:.1}%", 100.0 * line.discrepancy));
        if has_errors {
            cells.push(
                line.error
                    .map(|error| in_fitting_unit(error, family))
                    .unwrap_or_default(),
            );
        }
        rows.push(cells);
    }
    let align = [vec![Align::Left], vec![Align::Right; heads.len() - 1]].concat();
    let header = heads.into_iter().map(inline).collect();
    Table {
        header,
        align,
        rows,
    }
    .to_markdown()
        + "\n"
}

/// Returns the base unit for a kind of quantity.
fn base(family: UnitFamily) -> Unit {
    match family {
        UnitFamily::Time => Unit::S,
        UnitFamily::Bytes => Unit::Bytes,
        UnitFamily::Rate => Unit::PerSecond,
        _ => Unit::Count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(a: &[f64], b: &[f64], calls: (f64, f64)) -> anyhow::Result<ComparedBenchmark> {
        let runs = |(values, calls): (&[f64], f64)| -> Vec<Measured> {
            let run = |value: &f64| Measured {
                scenario: "a".to_owned(),
                value: *value,
                calls: Some(calls),
            };
            values.iter().map(run).collect()
        };
        let both = [(a, calls.0), (b, calls.1)].map(runs);
        ComparedBenchmark::new("a", &both.each_ref().map(|runs| runs.iter().collect()))
    }

    #[test]
    fn discrepancy_is_relative_to_the_reference() {
        let line = line(&[9.0, 10.0, 11.0], &[11.0, 12.0, 13.0], (100.0, 100.0)).unwrap();
        assert!((line.discrepancy - 0.2).abs() < 1e-12);
        assert!((line.error.unwrap() - 0.02).abs() < 1e-12);
        assert!((line.a.deviation.unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn unequal_calls_are_an_error() {
        let error = line(&[1.0], &[1.0], (100.0, 101.0)).err().unwrap();
        insta::assert_snapshot!(error, @"`a` has 100 calls in one run and 101 in another");
    }

    #[test]
    fn single_run_has_no_deviation() {
        let line = line(&[0.001], &[0.002], (0.0, 0.0)).unwrap();
        let table = markdown(["wall", "timeMs"], UnitFamily::Time, &[line]);
        insta::assert_snapshot!(table, @r"
        | Benchmark | wall | timeMs | Discrepancy |
        | :-------- | ---: | -----: | ----------: |
        | a         | 1 ms |   2 ms |      100.0% |
        ");
    }
}
