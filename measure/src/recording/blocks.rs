//! The benchmarks on the command line or in `[[measure]]`, with their variants.

use std::path::Path;

use perf_config::Config;

use super::args::{Selection, Variant};
use super::sample::Block;
use crate::benchmarks::{Benchmark, benchmarks, check_names};
use crate::process::CommandSpec;

/// The blocks in the order in which they take turns.
pub(super) fn blocks(
    selection: &Selection,
    config: &Config,
    here: &Path,
) -> anyhow::Result<Vec<Block>> {
    let plain = plain_blocks(selection, config, here)?;
    let mut names: Vec<&str> = Vec::new();
    for variant in &selection.variant {
        if !names.contains(&variant.name.as_str()) {
            names.push(&variant.name);
        }
    }
    let mut blocks = Vec::new();
    for block in plain {
        let variants = names
            .iter()
            .map(|name| in_variant(&block, name, &selection.variant))
            .collect::<Vec<_>>();
        blocks.push(block);
        blocks.extend(variants);
    }
    check_names(blocks.iter().map(|block| block.name.as_str()))?;
    Ok(blocks)
}

fn plain_blocks(selection: &Selection, config: &Config, here: &Path) -> anyhow::Result<Vec<Block>> {
    let block = |one: Benchmark<'_>| {
        let line = |text: &String| match one.entry {
            Some(entry) => CommandSpec::listed(text, &entry.env, here),
            None => CommandSpec::parse(text, here),
        };
        let optional = |text: &Option<String>| text.as_ref().map(line).transpose();
        let (before, after) = match one.entry {
            Some(entry) => (optional(&entry.before)?, optional(&entry.after)?),
            None => (optional(&selection.before)?, optional(&selection.after)?),
        };
        Ok(Block {
            name: one.name,
            body: one.line,
            before,
            after,
        })
    };
    benchmarks(&selection.bench, &selection.command, config, here)?
        .into_iter()
        .map(block)
        .collect()
}

/// The block, whose command gets the variables of a variant.
fn in_variant(block: &Block, name: &str, variants: &[Variant]) -> Block {
    let mut varied = Block {
        name: format!("{} ({name})", block.name),
        ..block.clone()
    };
    for Variant {
        variable: (variable, value),
        ..
    } in variants.iter().filter(|variant| variant.name == name)
    {
        varied.body.variables.push((variable.into(), value.into()));
    }
    varied
}
