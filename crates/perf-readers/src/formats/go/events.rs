//! `go test -json`: events, one on a line, whose outputs are pieces of what packages print. A name and its result
//! come in two of them.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::Deserialize;

use crate::formats::go::found::Out;
use crate::formats::go::stream::Stream;
use crate::input::{escapes::without_escapes, lines::LONGEST};

/// The most packages that print at the same time.
const MOST_PACKAGES: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow)]
    package: Option<Cow<'a, str>>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}

/// The packages by name, each with what it printed so far.
#[derive(Default)]
pub(crate) struct Events {
    packages: HashMap<String, Package, RandomState>,
}

#[derive(Default)]
struct Package {
    stream: Stream,
    /// A line without its end, and where it began.
    waiting: (u64, String),
}

impl Events {
    pub(crate) fn line(&mut self, number: u64, line: &[u8], out: &mut Out<'_, '_>) -> bool {
        if memchr::memmem::find(line, b"\"Action\":\"").is_none() {
            return false;
        }
        let begins = line.starts_with(b"{\"Time\":\"") || line.starts_with(b"{\"Action\":\"");
        let event: Event<'_> = match serde_json::from_slice(line) {
            Ok(event) => event,
            Err(_) if begins => {
                out.sink
                    .skip(number, line, || "event is cut off or not JSON".to_owned());
                return true;
            }
            Err(_) => return false,
        };
        let Some(package) = &event.package else {
            return begins;
        };
        if let Some(output) = event.output.filter(|_| event.action == "output") {
            self.package(package, out).output(number, &output, out);
        } else if event.test.is_none()
            && ["pass", "fail", "skip"].contains(&&*event.action)
            && let Some(mut package) = self.packages.remove(&**package)
        {
            package.end(out);
        }
        true
    }

    fn package(&mut self, name: &str, out: &mut Out<'_, '_>) -> &mut Package {
        if self.packages.len() >= MOST_PACKAGES && !self.packages.contains_key(name) {
            self.end(out);
        }
        self.packages.entry(name.to_owned()).or_default()
    }

    pub(crate) fn end(&mut self, out: &mut Out<'_, '_>) {
        let mut packages: Vec<_> = self.packages.drain().collect();
        packages.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (_, mut package) in packages {
            package.end(out);
        }
    }
}

impl Package {
    fn output(&mut self, number: u64, output: &str, out: &mut Out<'_, '_>) {
        for piece in output.split_inclusive('\n') {
            if self.waiting.1.is_empty() {
                self.waiting.0 = number;
            }
            self.waiting.1.push_str(piece);
            if piece.ends_with('\n') || self.waiting.1.len() > LONGEST {
                self.give(out);
            }
        }
    }

    fn give(&mut self, out: &mut Out<'_, '_>) {
        let (number, text) = std::mem::take(&mut self.waiting);
        let text = without_escapes(&text);
        self.stream
            .line(number, text.trim_end_matches(['\n', '\r']).as_bytes(), out);
    }

    fn end(&mut self, out: &mut Out<'_, '_>) {
        if !self.waiting.1.is_empty() {
            self.give(out);
        }
        self.stream.end(out);
    }
}
