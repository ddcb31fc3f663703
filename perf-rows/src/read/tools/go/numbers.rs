//! What stands on a line of results: `BenchmarkName-8  100  12.5 ns/op`.

use crate::row::Value;

/// How often a benchmark ran, and what was measured.
pub(super) struct Numbers<'a> {
    pub rounds: u64,
    pub values: Vec<(Value, &'a str)>,
    /// What is wrong with the first number that is none beside the values.
    pub not_finite: Option<String>,
}

/// The numbers, or why they cannot be read.
type Read<'a> = Result<Numbers<'a>, String>;

/// The name and the numbers of a line of results; `None` when it is something else.
pub(super) fn result(line: &str) -> Option<(&str, Read<'_>)> {
    if !line.starts_with("Benchmark") {
        return None;
    }
    let (name, rest) = line.split_once(char::is_whitespace)?;
    let numbers = numbers(rest)?;
    let is_bare =
        numbers.as_ref().is_ok_and(|numbers| numbers.values.is_empty() && numbers.not_finite.is_none());
    (!is_bare || rest.contains('\t')).then_some((name, numbers))
}

/// How often it ran, then numbers with their units; `None` when it is something else.
pub(super) fn numbers(text: &str) -> Option<Read<'_>> {
    let mut words = text.split_whitespace();
    let rounds = words.next()?;
    // A tab stands behind the rounds, but in prose.
    let is_tabbed = || text.trim_start()[rounds.len()..].trim_start_matches(' ').starts_with('\t');
    let mut numbers = Numbers { rounds: rounds.parse().ok()?, values: Vec::new(), not_finite: None };
    while let Some(number) = words.next() {
        let value = Value::parse(number);
        let is_float = number.parse::<f64>().is_ok();
        let Some(unit) = words.next() else {
            let is_number = value.is_some() || is_float;
            return is_number.then(|| Err(format!("the line is cut off: `{number}` has no unit")));
        };
        match value {
            Some(_) if Value::parse(unit).is_some() => return None,
            Some(value) => numbers.values.push((value, unit)),
            None if is_float => {
                let problem = || format!("`{number}` (unit `{unit}`) is no finite number");
                numbers.not_finite.get_or_insert_with(problem);
            }
            None if is_tabbed() || unit.ends_with("/op") => {
                return Some(Err(format!("`{number}` (unit `{unit}`) is not a number")));
            }
            None => return None,
        }
    }
    Some(Ok(numbers))
}
