//! Reads cProfile profiles in the JSON format of `profiler.py`.

use anyhow::Context;
use serde::Deserialize;

use super::build::Builder;
use super::{Profile, Unit};

const NANOSECONDS: f64 = 1e9;

/// A function, and the calls that it makes.
#[derive(Deserialize)]
struct Entry {
    name: String,
    file: String,
    first: u32,
    last: u32,
    calls: u64,
    own: f64,
    inclusive: f64,
    callees: Vec<Callee>,
}

/// A callee: its index in the list, the number of calls, and its inclusive time in these calls in seconds.
#[derive(Deserialize)]
struct Callee(usize, u64, f64);

/// Reads the files of all processes.
pub fn read(texts: &[&str]) -> anyhow::Result<Profile> {
    let mut builder = Builder::default();
    for text in texts {
        let entries: Vec<Entry> = serde_json::from_str(text).context("cannot read the profile")?;
        let indexes: Vec<usize> = entries
            .iter()
            .map(|entry| add(entry, &mut builder))
            .collect();
        for (entry, caller) in entries.iter().zip(&indexes) {
            for Callee(callee, count, seconds) in &entry.callees {
                let callee = indexes.get(*callee);
                let callee = callee.with_context(|| {
                    format!("`{}` calls an unknown function in the profile", entry.name)
                })?;
                builder.call(*caller, *callee, Some(*count), seconds * NANOSECONDS);
            }
        }
    }
    builder.of_calls(Unit::Nanoseconds)
}

fn add(entry: &Entry, builder: &mut Builder) -> usize {
    let file = entry.file.rsplit('/').next().unwrap_or_default();
    let name = if file.is_empty() {
        native(&entry.name)
    } else {
        format!("{} ({file})", entry.name)
    };
    let index = builder.function(&name, Some(&entry.file));
    builder.line(index, entry.first);
    builder.line(index, entry.last);
    let function = builder.get(index);
    function.own += entry.own * NANOSECONDS;
    function.inclusive += entry.inclusive * NANOSECONDS;
    function.calls = Some(
        function
            .calls
            .unwrap_or_default()
            .saturating_add(entry.calls),
    );
    index
}

/// Shortens a native function's name, such as `<built-in method math.sqrt>` or `<method 'append' of 'list' objects>`.
fn native(name: &str) -> String {
    let inner = name.trim_start_matches('<').trim_end_matches('>');
    let inner = inner.strip_prefix("built-in method ").unwrap_or(inner);
    let method = inner
        .strip_prefix("method '")
        .and_then(|rest| rest.split_once("' of '"));
    match method {
        Some((method, class)) => format!("{}.{method}", class.split('\'').next().unwrap_or(class)),
        None => inner.strip_prefix("builtins.").unwrap_or(inner).to_owned(),
    }
}
