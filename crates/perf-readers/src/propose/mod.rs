//! Proposes a description of a format, based on an example of its output. The description is a starting point for the
//! user.

mod table;

use std::sync::LazyLock;

use perf_config::{Expression, FormatSpec, MetricSource};
use perf_model::metric::{Direction, Meaning};

use self::table::Plan;
use crate::formats::text_table::{self, TextTable};
use crate::formats::{best_name, camel_case};
use crate::json::Json;

/// Matches the units that can follow a number in a line.
const UNITS: &str = "ns|us|µs|μs|ms|s|secs?|seconds|[kKMG]i?B|B|bytes|[KMG]?i?B/s|MB/s|[KMG]bps|ops/s(?:ec)?|req/s(?:ec)?|/s|fps|FPS|TPS|tps|QPS|qps|IOPS|%|(?:ns|us|µs|ms|s|B|KB|allocs|gas)/\\w+";

/// The maximum depth of nested objects in which numbers are searched for.
const DEEPEST: usize = 3;

/// Describes the format of `text`, and gives it this name. Returns `None` if nothing in `text` looks like a result.
pub fn propose(name: &str, text: &str) -> Option<FormatSpec> {
    let proposed = of_json(text)
        .or_else(|| of_table(text))
        .or_else(|| of_lines(text))?;
    Some(FormatSpec {
        name: name.to_owned(),
        ..proposed
    })
}

/// Converts a description to TOML for a config.
///
/// # Errors
/// Fails if the description cannot be written as TOML. No such description is known.
pub fn to_toml(spec: &FormatSpec) -> Result<String, toml::ser::Error> {
    #[derive(serde::Serialize)]
    struct File<'s> {
        formats: [&'s FormatSpec; 1],
    }
    toml::to_string(&File { formats: [spec] })
}

/// Returns the metrics whose names do not imply a direction.
pub fn without_direction(spec: &FormatSpec) -> Vec<&str> {
    let names = spec
        .metrics
        .iter()
        .filter(|(_, input)| input.table().better.is_none())
        .map(|(name, _)| name);
    names
        .map(String::as_str)
        .filter(|name| Meaning::of_name(name).direction == Direction::Unknown)
        .collect()
}

/// Whether a line contains a name, a number and a unit.
pub fn looks_like_result(line: &str) -> bool {
    static LINE: LazyLock<Expression> = LazyLock::new(line_expression);
    LINE.regex()
        .is_ok_and(|expression| expression.is_match(line.as_bytes()))
}

/// Returns a hint for an input without rows if it contains a table, or lines that can be described.
pub(crate) fn nearest(head: &str) -> Option<(&'static str, &'static str)> {
    if text_table::first(head).is_some() {
        let but = "contains an unknown tool's table: `perf-gate formats try FILE` describes it";
        return Some(("[[formats]]", but));
    }
    let mut results = head.lines().filter(|line| looks_like_result(line));
    let but = "contains lines with a name, a number and a unit: `perf-gate formats try FILE` describes them";
    // A single line may look like a result by chance.
    results.nth(1).map(|_| ("[[formats]]", but))
}

fn of_json(text: &str) -> Option<FormatSpec> {
    let start = text.find(['{', '['])?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Json<'_>>();
    let document = values.next()?.ok()?;
    let (path, result) = results(&document, "", DEEPEST + 1)?;
    let mut metrics = Vec::new();
    numbers(result, "", DEEPEST, &mut metrics);
    let texts: Vec<&str> = result
        .entries()
        .iter()
        .filter(|(_, value)| matches!(value, Json::Text(_)))
        .map(|(key, _)| &**key)
        .collect();
    let benchmark = match best_name(&texts) {
        Some(name) => vec![format!("{{{name}}}")],
        None if path.ends_with('*') => vec![format!("{{{}}}", path.matches(['*', '[']).count())],
        None => Vec::new(),
    };
    let path = if path.is_empty() {
        ".".to_owned()
    } else {
        path
    };
    let spec = FormatSpec {
        json: Some(path),
        benchmark,
        ..FormatSpec::default()
    };
    let is_conventional = metrics.iter().any(|path| path == "value") && texts.contains(&"unit");
    Some(if is_conventional {
        spec
    } else {
        with_metrics(spec, metrics)
    })
    .filter(|spec| is_conventional || !spec.metrics.is_empty())
}

/// Finds values that look like results: the objects in a list, or in another object. Returns their path and the first
/// of them.
fn results<'j>(json: &'j Json<'j>, path: &str, levels: usize) -> Option<(String, &'j Json<'j>)> {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}/{key}")
        }
    };
    let has_numbers = |json: &Json<'_>| {
        let mut found = Vec::new();
        numbers(json, "", 2, &mut found);
        !found.is_empty()
    };
    if let Some(first) = json
        .list("")
        .first()
        .filter(|first| !first.entries().is_empty())
    {
        let nested = Some(levels)
            .filter(|levels| *levels > 0)
            .and_then(|levels| within(first, &below("[]"), levels));
        return nested.or_else(|| has_numbers(first).then(|| (below("[]"), first)));
    }
    let entries = json.entries();
    let nested = Some(levels)
        .filter(|levels| *levels > 0)
        .and_then(|levels| within(json, path, levels));
    let are_objects =
        entries.len() > 1 && entries.iter().all(|(_, value)| !value.entries().is_empty());
    let (_, first) = entries.first()?;
    nested
        .or_else(|| (are_objects && has_numbers(first)).then(|| (below("*"), first)))
        .or_else(|| (path.is_empty() && has_numbers(json)).then(|| (String::new(), json)))
}

/// Finds the results in an object's values.
fn within<'j>(json: &'j Json<'j>, path: &str, levels: usize) -> Option<(String, &'j Json<'j>)> {
    json.entries().iter().find_map(|(key, value)| {
        let path = if path.is_empty() {
            key.to_string()
        } else {
            format!("{path}/{key}")
        };
        results(value, &path, levels - 1).filter(|_| !key.contains('/'))
    })
}

/// Collects the paths of the numbers in a result.
fn numbers(json: &Json<'_>, path: &str, levels: usize, found: &mut Vec<String>) {
    for (key, value) in json
        .entries()
        .iter()
        .filter(|(key, _)| !key.contains(['/', '*', '[']))
    {
        let path = if path.is_empty() {
            key.to_string()
        } else {
            format!("{path}/{key}")
        };
        match value {
            Json::Number(_) => found.push(path),
            Json::Object(_) if levels > 1 => numbers(value, &path, levels - 1, found),
            _ => {}
        }
    }
}

/// Adds a metric for each field. The metric's name consists of all keys in the field's path.
fn with_metrics(mut spec: FormatSpec, fields: Vec<String>) -> FormatSpec {
    for field in fields {
        let name = camel_case(&field);
        spec.metrics.insert(name, MetricSource::Field(field));
    }
    spec
}

fn of_table(text: &str) -> Option<FormatSpec> {
    let TextTable { header, rows } = text_table::first(text)?;
    let plan = Plan::of(&header, &rows);
    let mut benchmark = format!("{{{}}}", header[plan.name]);
    let details: Vec<String> = plan
        .details
        .iter()
        .map(|at| format!("{0}={{{0}}}", header[*at]))
        .collect();
    if !details.is_empty() {
        benchmark = format!("{benchmark} ({})", details.join(", "));
    }
    let columns = header
        .iter()
        .filter(|column| !column.is_empty())
        .cloned()
        .collect();
    let mut spec = FormatSpec {
        columns,
        benchmark: vec![benchmark],
        ..FormatSpec::default()
    };
    for (column, metric) in header.iter().zip(plan.metrics) {
        if let Some(metric) = metric {
            spec.metrics
                .insert(metric, MetricSource::Field(column.clone()));
        }
    }
    Some(spec).filter(|spec| !spec.metrics.is_empty())
}

fn of_lines(text: &str) -> Option<FormatSpec> {
    let is_line = text.lines().any(looks_like_result);
    is_line.then(|| FormatSpec {
        lines: vec![line_expression()],
        ..FormatSpec::default()
    })
}

fn line_expression() -> Expression {
    Expression::from(format!(
        r"^\s*(?<name>[^\s\d].*?)\s*[:=|-]?\s+(?<value>[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?)\s*(?<unit>{UNITS})(?:[\s,;)]|$)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(text: &str) -> String {
        propose("ours", text)
            .map(|spec| to_toml(&spec).unwrap())
            .unwrap_or_default()
    }

    #[test]
    fn json_is_described_by_paths() {
        let text =
            "{\"suite\":{\"all\":[{\"case\":\"get\",\"stats\":{\"mean_ms\":1.5},\"score\":7}]}}";
        insta::assert_snapshot!(proposed(text), @r#"
        [[formats]]
        name = "ours"
        json = "suite/all/[]"
        benchmark = ["{case}"]

        [formats.metrics]
        statsMeanMs = "stats/mean_ms"
        score = "score"
        "#);
        assert_eq!(
            without_direction(&propose("ours", text).unwrap()),
            ["score"]
        );
        let keyed = propose("ours", "{\"get\":{\"ns\":1},\"put\":{\"ns\":2}}").unwrap();
        assert_eq!(
            (keyed.json.as_deref(), keyed.benchmark),
            (Some("*"), vec!["{1}".to_owned()])
        );
    }

    #[test]
    fn table_is_described_by_columns() {
        insta::assert_snapshot!(proposed("tool;elapsed;hits\nget;1.25 ms;12\nput;2 s;15\n"), @r#"
        [[formats]]
        name = "ours"
        columns = ["tool", "elapsed", "hits"]
        benchmark = ["{tool}"]

        [formats.metrics]
        elapsedNs = "elapsed"
        hits = "hits"
        "#);
    }

    #[test]
    fn lines_need_a_name_a_number_and_a_unit() {
        assert!(
            propose("ours", "begin\nget user: 1,234.5 ms\n")
                .is_some_and(|spec| spec.lines.len() == 1)
        );
        for text in [
            "",
            "nothing here\n",
            "took 3 tries\n",
            "[1, 2, 3]",
            "{\"a\": \"b\"}",
        ] {
            assert!(propose("ours", text).is_none(), "{text}");
        }
    }
}
