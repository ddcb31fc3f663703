//! ab, the load generator of the Apache HTTP server.
//!
//! Source: `support/ab.c` of the Apache HTTP server 2.4, ab 2.3.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("ab")
    .about("ab: requests and bytes per second, latency with its percentiles, errors")
    .looks_like(|head| has_all(head, &["Requests per second: ", "Concurrency Level: "]).into())
    .lines::<Blocks<Test>>(&[]);

#[derive(Default)]
struct Test {
    is_encrypted: bool,
    host: String,
    port: String,
    path: String,
    connections: String,
    requests: Option<Value>,
    in_percentiles: bool,
}

impl Block for Test {
    const NEEDED: Option<&'static str> = Some("requestsPerSecond");
    fn begin(line: &str, open: Option<&Open<Self>>) -> Option<Self> {
        let host = line.strip_prefix("Server Hostname: ").map(str::trim);
        // What names the page is left out of some logs.
        let is_nameless = || line.starts_with("Concurrency Level: ") && open.is_none_or(Open::is_complete);
        let begins = host.is_some() || is_nameless();
        begins.then(|| Self { host: host.unwrap_or_default().to_owned(), ..Self::default() })
    }

    fn is_last(&self, line: &str) -> bool {
        line.ends_with("(longest request)")
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.requests == Some(Value::Int(0))
    }

    fn name(&self) -> String {
        if self.host.is_empty() {
            return format!("ab ({} connections)", self.connections);
        }
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let url = address(&format!("{scheme}://{}:{}{}", self.host, self.port, self.path));
        format!("{url} ({} connections)", self.connections)
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        let percentile = line.split_once('%').filter(|(percent, _)| percent.parse::<u8>().is_ok());
        if let Some((percent, time)) = percentile.filter(|_| self.in_percentiles) {
            let time = time.split_whitespace().next().and_then(Value::parse);
            // All of them are no more than the greatest.
            if percent != "100" {
                metrics.add(format!("latencyP{percent}Ms"), time);
            }
            return true;
        }
        if line.starts_with("Percentage of the requests") {
            self.in_percentiles = true;
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim();
        let number = || rest.split_whitespace().next().and_then(Value::parse);
        match key {
            "Server Hostname" => {}
            "Server Port" => rest.clone_into(&mut self.port),
            "SSL/TLS Protocol" => self.is_encrypted = true,
            "Document Path" => rest.clone_into(&mut self.path),
            "Concurrency Level" => rest.clone_into(&mut self.connections),
            "Complete requests" => self.requests = number(),
            "Failed requests" => metrics.add("errors", number()),
            "Non-2xx responses" => metrics.add("httpErrors", number()),
            "Requests per second" => metrics.add("requestsPerSecond", number()),
            "Time per request" if rest.ends_with("(mean)") => metrics.add("latencyMs", number()),
            "Transfer rate" => {
                let kibibytes = number().map(Value::as_f64);
                metrics.add("bytesPerSecond", kibibytes.and_then(|number| Value::new(number * 1024.0)));
            }
            // The least, the mean, its deviation, the median and the most.
            "Total" => {
                if let [least, _, deviation, _, most] = rest.split_whitespace().collect::<Vec<_>>()[..] {
                    let parts = [(".stddev", deviation), (".min", least), (".max", most)];
                    metrics.add_parts("latencyMs", parts.map(|(part, time)| (part, Value::parse(time))));
                }
            }
            _ => return false,
        }
        true
    }
}
