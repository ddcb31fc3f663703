//! Reads callgrind files, written with `--compress-strings=no --compress-pos=no`.

use std::collections::HashMap;

use anyhow::{Context, bail};

use super::build::Builder;
use super::names::last_part;
use super::{Profile, Unit, float};

/// Finds the function that contains a source line.
type Enclosing<'e> = &'e dyn Fn(&str, u32) -> Option<String>;

/// Reads the files of all processes. For inlined code, callgrind only reports source lines, so `enclosing` finds the
/// function at a line. It becomes a separate function in the profile.
pub fn read(texts: &[&str], enclosing: Enclosing<'_>) -> anyhow::Result<Profile> {
    let mut reader = Reader {
        builder: Builder::default(),
        enclosing,
        found: HashMap::new(),
        at: Position::default(),
    };
    for text in texts {
        let mut head = text.lines().take(30);
        if !head.any(|line| line.starts_with("events:")) {
            bail!("the profile contains no `events:`");
        }
        reader.file(text)?;
    }
    reader.builder.of_calls(Unit::Instructions)
}

/// The position to which the next cost line belongs.
#[derive(Default)]
struct Position<'t> {
    file: &'t str,
    function: Option<usize>,
    callee_file: Option<&'t str>,
    callee: Option<&'t str>,
    calls: Option<u64>,
}

struct Reader<'t, 'e> {
    builder: Builder,
    enclosing: Enclosing<'e>,
    found: HashMap<(&'t str, u32, usize), usize>,
    at: Position<'t>,
}

impl<'t> Reader<'t, '_> {
    fn file(&mut self, text: &'t str) -> anyhow::Result<()> {
        self.at = Position::default();
        for (number, line) in text.lines().enumerate() {
            self.line(line)
                .with_context(|| format!("invalid line {} of the profile", number + 1))?;
        }
        // Callgrind ends a file with its totals.
        let mut end = text.lines().rev().take(3);
        if text.starts_with("# callgrind") && !end.any(|line| line.starts_with("totals:")) {
            bail!("the profile is truncated");
        }
        Ok(())
    }

    fn line(&mut self, line: &'t str) -> Option<()> {
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return self.cost(line);
        }
        let Some((key, value)) = line.split_once('=') else {
            return Some(());
        };
        match key {
            "fl" | "fi" | "fe" => self.at.file = value,
            "fn" => {
                let file = self.at.file;
                self.at.function = Some(self.builder.function(value, Some(file)));
            }
            "cfi" | "cfl" => self.at.callee_file = Some(value),
            "cfn" => self.at.callee = Some(value),
            "calls" => self.at.calls = Some(value.split(' ').next()?.parse().ok()?),
            _ => {}
        }
        Some(())
    }

    fn cost(&mut self, line: &'t str) -> Option<()> {
        let mut fields = line.split(' ');
        let number: u32 = fields.next()?.parse().ok()?;
        // A missing cost is zero.
        let cost: u64 = fields.next().unwrap_or("0").parse().ok()?;
        let cost = float(cost);
        let function = self.at.function?;
        let inner = self.inner(function, number);
        if inner != function {
            self.builder.call(function, inner, None, cost);
        }
        let calls = self.at.calls.take();
        let (Some(calls), Some(callee)) = (calls, self.at.callee.take()) else {
            self.builder.get(inner).own += cost;
            return Some(());
        };
        let file = self.at.callee_file.take().unwrap_or(self.at.file);
        let callee = self.builder.function(callee, Some(file));
        self.builder.call(inner, callee, Some(calls), cost);
        Some(())
    }

    /// The inlined function at a line, or `function` itself.
    fn inner(&mut self, function: usize, line: u32) -> usize {
        let key = (self.at.file, line, function);
        if let Some(inner) = self.found.get(&key) {
            return *inner;
        }
        let name = (self.enclosing)(self.at.file, line);
        let outer = self.builder.get(function);
        let is_own_file = outer.file.as_deref() == Some(self.at.file);
        // A closure belongs to the function that defines it.
        let is_itself = |name: &String| {
            is_own_file
                && (last_part(&outer.name) == *name
                    || outer.name.split("::").any(|part| part == name))
        };
        let name = name.filter(|name| !is_itself(name));
        let inner = match name {
            Some(name) => {
                let file = self.at.file.rsplit('/').next().unwrap_or_default();
                self.builder
                    .function(&format!("{name} ({file})"), Some(self.at.file))
            }
            None => function,
        };
        if inner != function || is_own_file {
            self.builder.line(inner, line);
        }
        self.found.insert(key, inner);
        inner
    }
}
