//! The summary of hey, and of ghz and oha, which print the same. None says what was requested, so the command is the
//! name where a log has it, and the line above where several summaries of one input have different ones.
//!
//! ```text
//! Summary:
//!   Slowest:      0.0235 secs
//!   Fastest:      0.0001 secs
//!   Average:      0.0016 secs
//!   Requests/sec: 25034.9358
//! ```
//!
//! Source: `requester/print.go` of hey 0.1, `printer/printer.go` of ghz 0.120 and `src/printer.rs` of oha 1.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("hey")
    .about("hey, ghz and oha on the terminal: requests per second, latency and its percentiles, errors")
    .contains(&["Summary:", "Requests/sec:", "Slowest:", "Fastest:"])
    .lines::<Blocks<Summary>>();

const TOOLS: [&str; 3] = ["hey", "oha", "ghz"];

#[derive(Default)]
struct Summary {
    name: String,
    /// The tool, where a line shows that it is not hey, and what the command above requests.
    tool: &'static str,
    request: String,
    section: String,
    requests: i64,
    errors: i64,
    has_codes: bool,
}

impl Block for Summary {
    const NEEDED: Option<&'static str> = Some("requestsPerSecond");
    const WHAT: &'static str = "summary";
    const HAS_TITLES: bool = true;

    fn begin(line: &str, _: Option<&Open<Self>>) -> Option<Self> {
        (line == "Summary:").then(Self::default)
    }

    fn is_last(&self, line: &str) -> bool {
        !line.ends_with(|c: char| c.is_ascii_digit())
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.has_codes && self.errors == self.requests
    }

    fn name(&self, _: &mut RowCollector<'_>) -> String {
        let names = [&*self.name, &*self.request, self.tool];
        names
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or(TOOLS[0])
            .to_owned()
    }

    /// The address of `$ oha -z 10s http://localhost:3000/posts`, behind the tool's name.
    fn remember(line: &str) -> Option<String> {
        let mut words = line
            .trim_start_matches(['$', '>', '%', ' '])
            .split_whitespace();
        let tool = words.next().and_then(|word| word.rsplit('/').next())?;
        let tool = TOOLS.into_iter().find(|known| *known == tool)?;
        let url = words
            .map(|word| word.trim_matches(['"', '\'', '`']))
            .find(|word| word.contains("://"))?;
        Some(format!("{tool} {}", address(url)))
    }

    fn recall(&mut self, request: String) {
        self.request = request;
    }

    fn finish(&self, metrics: &mut Metrics) {
        metrics.add(
            "errors",
            Some(Value::Int(self.errors)).filter(|_| self.has_codes),
        );
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some(count) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            return self.count(count);
        }
        if let Some((percentile, time)) = line
            .split_once(" in ")
            .filter(|(percentile, _)| percentile.ends_with('%'))
        {
            let percentile = Value::parse(percentile.trim_end_matches('%').trim());
            if let Some(percentile) = percentile.filter(|percentile| percentile.as_f64() >= 50.0) {
                metrics.add(format!("latencyP{percentile}Ms"), latency(time));
            }
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else {
            return false;
        };
        let rest = rest.trim();
        match key {
            "Name" => rest.clone_into(&mut self.name),
            "Slowest" => metrics.add("latencyMs.max", latency(rest)),
            "Fastest" => metrics.add("latencyMs.min", latency(rest)),
            "Average" => metrics.add("latencyMs", latency(rest)),
            "Requests/sec" => metrics.add("requestsPerSecond", Value::parse(rest)),
            _ if rest.is_empty() => key.clone_into(&mut self.section),
            "Success rate" => self.tool = "oha",
            "Count" | "Total" | "Total data" | "Size/request" | "Size/sec" => {}
            _ => return false,
        }
        true
    }
}

impl Summary {
    /// `[200]  1204 responses`, and `[3] Get "http://…": EOF` among errors.
    fn count(&mut self, (code, rest): (&str, &str)) -> bool {
        let responses = rest
            .trim()
            .strip_suffix("responses")
            .and_then(|count| count.trim().parse::<i64>().ok());
        let (count, is_success) = match (self.section.as_str(), responses) {
            ("Status code distribution", Some(count)) => {
                (count, code == "OK" || code.starts_with(['2', '3']))
            }
            // ghz has them among the codes as well.
            ("Error distribution", _) if self.name.is_empty() || !self.has_codes => {
                (code.trim().parse::<i64>().unwrap_or_default(), false)
            }
            _ => return true,
        };
        self.has_codes = true;
        self.requests = self.requests.saturating_add(count);
        self.errors = self
            .errors
            .saturating_add(if is_success { 0 } else { count });
        true
    }
}

/// `0.0235 secs`, `12.35 ms`.
fn latency(text: &str) -> Option<Value> {
    let (number, unit) = text.trim().split_once(' ')?;
    match to_nanoseconds(time_symbol(unit.trim()))? - 6 {
        0 => grouped(number),
        places => shifted(number, places),
    }
}
