//! Recognises the benchmark tools of package.json scripts and of programs that run JavaScript modules.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::kinds::{ArgPosition, ToolKind};
use super::options::word_at;
use super::parts::{BenchTool, runs_benchmarks};
use super::{NotRecognised, prefix};
use crate::process::has_end;

/// Programs that run a JavaScript module.
const RUNTIMES: [&str; 5] = ["node", "tsx", "ts-node", "bun", "deno"];

/// The maximum number of files to read per directory.
const FILES_READ: usize = 50;
/// The maximum depth of scripts that start other scripts.
const DEEPEST: usize = 5;

/// Recognises the benchmark tool of a command such as `npm run bench` or `node bench.mjs`.
///
/// # Errors
/// Fails with the reason if the tool is unknown.
pub fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let Some(name) = script_of(words, at) else {
        let tool = module(words, at, folder);
        let tool = tool.ok_or_else(|| NotRecognised::Program(program.to_owned()))?;
        return Ok(BenchTool::split(tool, words, words.len()));
    };
    if name == at + 1 && words[name] == "vitest" && runs_benchmarks(&words[name + 1..]) {
        return Ok(BenchTool::split(ToolKind::Vitest, words, name + 1));
    }
    script(program, words, name, folder)
}

/// Returns the index of the package.json script that a package manager runs, or `None` if the program does something else.
fn script_of(words: &[OsString], at: usize) -> Option<usize> {
    let (program, first) = (prefix::stem(words.get(at)?), word_at(words, at + 1));
    match &*program {
        "npm" | "pnpm" | "yarn" | "bun" if ["run", "run-script"].contains(&first) => Some(at + 2),
        "pnpm" | "yarn" if !first.is_empty() && !first.starts_with('-') => Some(at + 1),
        _ => None,
    }
}

/// Returns the tool that a module imports. If it imports none, looks at the neighbouring modules that it mentions.
fn module(words: &[OsString], at: usize, folder: &Path) -> Option<ToolKind> {
    let path = words[at + 1..].iter().find_map(|word| {
        let path = folder.join(word);
        let ends = ["js", "mjs", "cjs"].map(|end| path.with_extension(end));
        let paths = [path.clone(), path.join("index.js")];
        let mut paths = paths.into_iter().chain(ends);
        paths.find(|path| is_module(path) && path.is_file())
    })?;
    if let Some(tool) = imported(&path) {
        return Some(tool);
    }
    let text = fs::read_to_string(&path).ok()?;
    let neighbours = fs::read_dir(path.parent()?).ok()?.flatten();
    let is_mentioned = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        is_module(path) && text.contains(&*name)
    };
    let mentioned = neighbours.map(|entry| entry.path()).filter(is_mentioned);
    mentioned.take(FILES_READ).find_map(|path| imported(&path))
}

fn is_module(path: &Path) -> bool {
    has_end(path, &["js", "mjs", "cjs", "ts", "mts", "cts"])
}

fn imported(path: &Path) -> Option<ToolKind> {
    let tools = [
        ("mitata", ToolKind::Mitata),
        ("tinybench", ToolKind::Tinybench),
        ("benchmark", ToolKind::BenchmarkJs),
    ];
    let text = fs::read_to_string(path).ok()?.replace('\'', "\"");
    for (name, tool) in tools {
        for before in ["from ", "from", "import ", "import(", "require("] {
            if text.contains(&format!("{before}\"{name}\"")) {
                return Some(tool);
            }
        }
    }
    None
}

/// Returns the tool that a shell line starts. Such a tool can only be adjusted by environment variables, because added
/// words might go to another command in the line.
fn line_tool(line: &str, folder: &Path, depth: usize) -> Option<ToolKind> {
    let mut folder = folder.to_owned();
    for command in line.split(['&', ';', '|', '\n']) {
        let Some(words) = words_of(command) else {
            continue;
        };
        let at = prefix::program(&words);
        let program = word_at(&words, at);
        let tool = if program == "cd" {
            folder.push(word_at(&words, at + 1));
            None
        } else if RUNTIMES.contains(&program) {
            module(&words, at, &folder)
        } else {
            let name = script_of(&words, at).filter(|_| depth < DEEPEST);
            let manifest = folder.join("package.json");
            let line = name.and_then(|name| content(&manifest, word_at(&words, name)));
            line.and_then(|line| line_tool(&line, &folder, depth + 1))
        };
        if tool.is_some() {
            return tool;
        }
    }
    None
}

/// Recognises the tool of a command such as `sh -c 'cd bench && node bench.js'`.
pub fn shell(words: &[OsString], at: usize, folder: &Path) -> Option<BenchTool> {
    if word_at(words, at + 1) != "-c" {
        return None;
    }
    let tool = line_tool(word_at(words, at + 2), folder, 0)?;
    Some(BenchTool::split(tool, words, words.len()))
}

/// Recognises the tool of a package.json script. Package managers append further words to the script.
fn script(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let name = word_at(words, at);
    let mut unknown = NotRecognised::Script(name.to_owned());
    let Some(line) = content(&folder.join("package.json"), name) else {
        return Err(unknown);
    };
    if let Some(script) = last_command(&line) {
        let program_at = prefix::program(&script);
        let stem = prefix::stem(word_at(&script, program_at).as_ref());
        let place = if program == "npm" {
            ArgPosition::AfterDashes
        } else {
            ArgPosition::End
        };
        if stem == "vitest" && script.get(program_at + 1..).is_some_and(runs_benchmarks) {
            return Ok(BenchTool {
                place,
                script,
                ..BenchTool::split(ToolKind::Vitest, words, at + 1)
            });
        }
        // If no tool is found, the error is about this program instead of the script.
        if RUNTIMES.contains(&&*stem) {
            unknown = NotRecognised::Program(stem);
        }
    }
    let tool = line_tool(&line, folder, 0).ok_or(unknown)?;
    Ok(BenchTool::split(tool, words, words.len()))
}

fn content(manifest: &Path, script: &str) -> Option<String> {
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    Some(manifest.get("scripts")?.get(script)?.as_str()?.to_owned())
}

/// Returns the last command of a script, to which package managers append words. Returns `None` if the script uses shell
/// syntax other than `&&`.
fn last_command(script: &str) -> Option<Vec<OsString>> {
    let last = script.rsplit("&&").next()?;
    let is_plain =
        !script.contains(['|', ';', '<', '>', '`', '$', '(', '\n']) && !last.contains('&');
    words_of(last).filter(|_| is_plain)
}

/// Splits a command into words, and removes variable assignments before the program.
fn words_of(command: &str) -> Option<Vec<OsString>> {
    let words = shell_words::split(command)
        .ok()
        .filter(|words| !words.is_empty())?;
    let is_assignment = |word: &String| word.contains('=') && !word.starts_with('-');
    Some(
        words
            .into_iter()
            .skip_while(is_assignment)
            .map(OsString::from)
            .collect(),
    )
}
