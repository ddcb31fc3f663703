//! The benchmarks of a measurement, from the command line or from `[[measure]]`, each also in its variants.

use std::path::Path;

use perf_cli::{Failure, term};
use perf_config::{Config, MeasureEntry};

use super::args::{Selection, Variant};
use super::sample::Block;
use crate::process::Line;

/// The blocks in the order in which they take turns.
pub(super) fn blocks(selection: &Selection, config: &Config, here: &Path) -> anyhow::Result<Vec<Block>> {
    let plain = plain(selection, config, here)?;
    let mut names: Vec<&str> = Vec::new();
    for variant in &selection.variant {
        if !names.contains(&variant.name.as_str()) {
            names.push(&variant.name);
        }
    }
    let mut blocks = Vec::new();
    for block in plain {
        let variants =
            names.iter().map(|name| in_variant(&block, name, &selection.variant)).collect::<Vec<_>>();
        blocks.push(block);
        blocks.extend(variants);
    }
    for (at, block) in blocks.iter().enumerate() {
        if blocks[..at].iter().any(|earlier| earlier.name == block.name) {
            let name = term::printable(&block.name);
            return Err(Failure::new(format!("two benchmarks are called `{name}`")).into());
        }
    }
    Ok(blocks)
}

fn plain(selection: &Selection, config: &Config, here: &Path) -> anyhow::Result<Vec<Block>> {
    let parse = |text: &str| Line::parse(text, here);
    let optional = |text: Option<&String>| text.map(|text| parse(text)).transpose();
    let around = |name: String, body: Line| {
        let (before, after) = (optional(selection.before.as_ref())?, optional(selection.after.as_ref())?);
        anyhow::Ok(Block { name, body, before, after })
    };
    let mut blocks = Vec::new();
    for (name, command) in &selection.bench {
        blocks.push(around(name.clone(), parse(command)?)?);
    }
    if !selection.command.is_empty() {
        let line = Line::of(selection.command.clone(), here)?;
        blocks.push(around(line.shown(), line)?);
    }
    if blocks.is_empty() {
        let timed = config.measure().iter().filter(|entry| entry.harness.is_none());
        blocks = timed.map(|entry| listed(entry, here)).collect::<Result<_, _>>()?;
    }
    if blocks.is_empty() {
        return Err(Failure::new("no benchmark is named")
            .hint("give a command behind `--`, or list it as `[[measure]]` in perf-gate.toml")
            .into());
    }
    Ok(blocks)
}

fn listed(entry: &MeasureEntry, here: &Path) -> anyhow::Result<Block> {
    let line = |text: &String| Line::listed(text, &entry.env, here);
    let optional = |text: Option<&String>| text.map(line).transpose();
    Ok(Block {
        name: entry.name.clone(),
        body: line(&entry.command)?,
        before: optional(entry.before.as_ref())?,
        after: optional(entry.after.as_ref())?,
    })
}

/// The block with the variables of a variant in its body.
fn in_variant(block: &Block, name: &str, variants: &[Variant]) -> Block {
    let mut varied = Block { name: format!("{} ({name})", block.name), ..block.clone() };
    for Variant { variable: (variable, value), .. } in variants.iter().filter(|variant| variant.name == name)
    {
        varied.body.variables.push((variable.into(), value.into()));
    }
    varied
}
