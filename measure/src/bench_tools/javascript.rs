//! package.json scripts, and programs that run JavaScript modules.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench_tools::NotRecognised;

use crate::bench_tools::kinds::{ArgPosition, ToolKind};
use crate::bench_tools::parts::{CommandParts, mentions, runs_benchmarks};
use crate::bench_tools::prefix;

/// Programs that run a module.
const RUNTIMES: [&str; 5] = ["node", "tsx", "ts-node", "bun", "deno"];

/// The most files to read per directory, and the most scripts that start each other.
const FILES_READ: usize = 50;
const DEEPEST: usize = 5;

/// Recognises the tool of `npm run bench` or `node bench.mjs`.
///
/// # Errors
/// The reason why it is unknown.
pub(crate) fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<CommandParts, NotRecognised> {
    let word = |at: usize| {
        words
            .get(at)
            .and_then(|word| word.to_str())
            .unwrap_or_default()
    };
    let is_run = ["run", "run-script"].contains(&word(at + 1));
    let manager = ["npm", "pnpm", "yarn", "bun"].contains(&program);
    if manager && is_run {
        return script(program, words, at + 2, folder);
    }
    let bin = if ["pnpm", "yarn"].contains(&program) {
        word(at + 1)
    } else {
        ""
    };
    if bin == "vitest" && runs_benchmarks(&words[at + 2..]) {
        return Ok(CommandParts::of(ToolKind::Vitest, words, at + 2));
    }
    if !bin.is_empty() && !bin.starts_with('-') {
        return script(program, words, at + 1, folder);
    }
    let tool =
        module(words, at, folder).ok_or_else(|| NotRecognised::Program(program.to_owned()))?;
    Ok(CommandParts::of(tool, words, words.len()))
}

/// The tool that a module imports, or otherwise one imported by a neighbouring module that it mentions.
fn module(words: &[OsString], at: usize, folder: &Path) -> Option<ToolKind> {
    let path = words[at + 1..].iter().find_map(|word| {
        let path = folder.join(word);
        let ends = ["js", "mjs", "cjs"].map(|end| path.with_extension(end));
        let mut paths = [path.clone(), path.join("index.js")]
            .into_iter()
            .chain(ends);
        paths.find(|path| is_module(path) && path.is_file())
    })?;
    let text = fs::read_to_string(&path).ok()?;
    let is_named = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        is_module(path) && text.contains(&*name)
    };
    let beside = fs::read_dir(path.parent()?)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let beside = beside.filter(is_named).take(FILES_READ);
    imported(&path).or_else(|| beside.into_iter().find_map(|path| imported(&path)))
}

fn is_module(path: &Path) -> bool {
    const ENDS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];
    path.extension()
        .is_some_and(|end| ENDS.iter().any(|known| end == *known))
}

fn imported(path: &Path) -> Option<ToolKind> {
    let tools = [
        ("mitata", ToolKind::Mitata),
        ("tinybench", ToolKind::Tinybench),
        ("benchmark", ToolKind::BenchmarkJs),
    ];
    let imports = |name: &str| {
        let texts = ["from ", "from", "import ", "import(", "require("]
            .map(|before| ['"', '\''].map(|quote| format!("{before}{quote}{name}{quote}")));
        let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        mentions(path, &texts)
    };
    tools
        .into_iter()
        .find(|(name, _)| imports(name))
        .map(|(_, tool)| tool)
}

/// The tool that a shell line starts. Only environment variables can change it, because added words might go to another
/// command of the line.
fn line_tool(line: &str, folder: &Path, depth: usize) -> Option<ToolKind> {
    let mut folder = folder.to_owned();
    line.split(['&', ';', '|', '\n']).find_map(|command| {
        let words = words_of(command)?;
        let at = prefix::program(&words);
        let word = |at: usize| {
            words
                .get(at)
                .and_then(|word| word.to_str())
                .unwrap_or_default()
        };
        match word(at) {
            "cd" => {
                folder.push(word(at + 1));
                None
            }
            "npm" | "pnpm" | "yarn" if depth < DEEPEST => {
                let name = if ["run", "run-script"].contains(&word(at + 1)) {
                    word(at + 2)
                } else {
                    word(at + 1)
                };
                line_tool(
                    &content(&folder.join("package.json"), name)?,
                    &folder,
                    depth + 1,
                )
            }
            program => RUNTIMES
                .contains(&program)
                .then(|| module(&words, at, &folder))?,
        }
    })
}

/// Recognises the tool of `sh -c 'cd bench && node bench.js'`.
pub(crate) fn shell(words: &[OsString], at: usize, folder: &Path) -> Option<CommandParts> {
    let line = words
        .get(at + 1)
        .filter(|word| *word == "-c")
        .and_then(|_| words.get(at + 2)?.to_str())?;
    Some(CommandParts::of(
        line_tool(line, folder, 0)?,
        words,
        words.len(),
    ))
}

/// Recognises the tool of a package.json script, which accepts further words at its end.
fn script(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<CommandParts, NotRecognised> {
    let name = words
        .get(at)
        .map(|word| word.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut unknown = NotRecognised::Script(name.clone());
    let Some(line) = content(&folder.join("package.json"), &name) else {
        return Err(unknown);
    };
    if let Some(script) = last_command(&line) {
        let program_at = prefix::program(&script);
        let stem = script
            .get(program_at)
            .map(|word| prefix::stem(word))
            .unwrap_or_default();
        let place = if program == "npm" {
            ArgPosition::AfterDashes
        } else {
            ArgPosition::End
        };
        if stem == "vitest" && script.get(program_at + 1..).is_some_and(runs_benchmarks) {
            let mut parts = CommandParts::of(ToolKind::Vitest, words, at + 1);
            parts.place = place;
            parts.script = script;
            return Ok(parts);
        }
        // It runs a program, but maybe not a benchmark tool.
        if RUNTIMES.contains(&&*stem) {
            unknown = NotRecognised::Program(stem);
        }
    }
    let tool = line_tool(&line, folder, 0).ok_or(unknown)?;
    Ok(CommandParts::of(tool, words, words.len()))
}

fn content(manifest: &Path, script: &str) -> Option<String> {
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    Some(manifest.get("scripts")?.get(script)?.as_str()?.to_owned())
}

/// The last command of a script, which gets additional words. `None` if the shell does anything else with it.
fn last_command(script: &str) -> Option<Vec<OsString>> {
    let last = script.rsplit("&&").next()?;
    let is_plain =
        !script.contains(['|', ';', '<', '>', '`', '$', '(', '\n']) && !last.contains('&');
    words_of(last).filter(|_| is_plain)
}

/// The words of a command, without variable assignments before the program.
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
