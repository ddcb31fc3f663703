//! Reads `.cpuprofile` files from Node.js.

use std::collections::HashMap;

use anyhow::Context;
use serde::Deserialize;

use super::Profile;
use super::build::Builder;

/// Frames that are not code of the program.
const IDLE: [&str; 2] = ["(idle)", "(root)"];

#[derive(Deserialize)]
struct File {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: u64,
    call_frame: Frame,
    #[serde(default)]
    hit_count: f64,
    #[serde(default)]
    children: Vec<u64>,
    #[serde(default)]
    position_ticks: Vec<Tick>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    function_name: String,
    url: String,
    line_number: i64,
}

#[derive(Deserialize)]
struct Tick {
    line: u32,
}

/// Package folders of benchmark tools that call the benchmarks.
const HARNESSES: [&str; 2] = ["/tinybench/", "/mitata/"];

/// Reads the files of all threads and processes. If stacks contain a known benchmark tool, keeps only the functions that it
/// calls.
pub fn read(texts: &[&str]) -> anyhow::Result<Profile> {
    let mut builder = Builder::default();
    let mut stacks = Vec::new();
    for text in texts {
        let file: File = serde_json::from_str(text).context("cannot read the profile")?;
        add(&file, &mut builder, &mut stacks);
    }
    if stacks.iter().any(|stack| stack.is_measured) {
        stacks.retain(|stack| stack.is_measured);
    }
    for stack in stacks {
        builder.stack(stack.frames, stack.count);
    }
    builder.of_stacks()
}

/// A sampled stack and the number of its samples.
struct Stack {
    frames: Vec<usize>,
    count: f64,
    /// True if a benchmark tool calls the first function. `frames` does not contain the tool's own functions.
    is_measured: bool,
}

fn add(file: &File, builder: &mut Builder, stacks: &mut Vec<Stack>) {
    let functions: Vec<usize> = file
        .nodes
        .iter()
        .map(|node| function(node, builder))
        .collect();
    let indexes: HashMap<u64, usize> = file
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id, at))
        .collect();
    let mut parents = vec![None; file.nodes.len()];
    for (at, node) in file.nodes.iter().enumerate() {
        for child in node.children.iter().filter_map(|id| indexes.get(id)) {
            parents[*child] = Some(at);
        }
    }
    // Collect the stack of each sampled node, by following its parents.
    for (at, node) in file.nodes.iter().enumerate() {
        let is_idle = IDLE.contains(&&*node.call_frame.function_name);
        if node.hit_count <= 0.0 || is_idle {
            continue;
        }
        let (mut frames, mut next) = (Vec::new(), Some(at));
        let (mut has_own, mut is_measured) = (false, false);
        // The limit ends a cycle of parents in an invalid file.
        while let Some(at) = next.filter(|_| frames.len() < file.nodes.len()) {
            let frame = &file.nodes[at].call_frame;
            let url = frame.url.as_str();
            if has_own && HARNESSES.iter().any(|folder| url.contains(folder)) {
                is_measured = true;
                break;
            }
            if frame.function_name != IDLE[1] {
                frames.push(functions[at]);
            }
            // The file is the project's own: it belongs neither to Node.js nor to a package.
            has_own |= !url.is_empty()
                && !url.starts_with("node:")
                && !url.starts_with("data:")
                && !url.contains("/node_modules/");
            next = parents[at];
        }
        frames.reverse();
        stacks.push(Stack {
            frames,
            count: node.hit_count,
            is_measured,
        });
    }
}

fn function(node: &Node, builder: &mut Builder) -> usize {
    let frame = &node.call_frame;
    let path = frame.url.strip_prefix("file://").unwrap_or(&frame.url);
    let name = if frame.function_name.is_empty() {
        "(anonymous)"
    } else {
        &frame.function_name
    };
    let file = path.rsplit('/').next().unwrap_or_default();
    let name = if path.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({file})")
    };
    let function = builder.function(&name, Some(path));
    builder.line(
        function,
        u32::try_from(frame.line_number + 1).unwrap_or_default(),
    );
    node.position_ticks
        .iter()
        .for_each(|tick| builder.line(function, tick.line));
    function
}
