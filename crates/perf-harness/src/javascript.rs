//! Scripts of package.json, and programs of Node.js and its kin.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::NotRecognised;

use crate::prefix;
use crate::start::{Start, mentions, runs_benchmarks};
use crate::tools::{Place, Tool};

/// The harness of `npm run bench`, `node bench.mjs`.
///
/// # Errors
/// The reason why it is not known.
pub(crate) fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<Start, NotRecognised> {
    let word = |at: usize| words.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    let is_run = ["run", "run-script"].contains(&word(at + 1));
    let manager = ["npm", "pnpm", "yarn", "bun"].contains(&program);
    if manager && is_run {
        return script(program, words, at + 2, folder);
    }
    let bin = if ["pnpm", "yarn"].contains(&program) { word(at + 1) } else { "" };
    if bin == "vitest" && runs_benchmarks(&words[at + 2..]) {
        return Ok(Start::of(Tool::Vitest, at + 2));
    }
    if !bin.is_empty() && !bin.starts_with('-') {
        return script(program, words, at + 1, folder);
    }
    module(words, at, folder).ok_or_else(|| NotRecognised::Program(program.to_owned()))
}

/// The harness that a module imports.
fn module(words: &[OsString], at: usize, folder: &Path) -> Option<Start> {
    const ENDS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];
    let is_module = |place: &usize| {
        Path::new(&words[*place]).extension().is_some_and(|end| ENDS.iter().any(|known| end == *known))
    };
    let place = (at + 1..words.len()).find(is_module)?;
    let path = folder.join(&words[place]);
    let imports = |name: &str| mentions(&path, &[&format!("\"{name}\""), &format!("'{name}'")]);
    let tool = [("mitata", Tool::Mitata), ("tinybench", Tool::Tinybench)];
    let (_, tool) = tool.into_iter().find(|(name, _)| imports(name))?;
    Some(Start::of(tool, place + 1))
}

/// The harness of a script, which gets further words at its end.
fn script(program: &str, words: &[OsString], at: usize, folder: &Path) -> Result<Start, NotRecognised> {
    let name = words.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let unknown = || NotRecognised::Script(name.clone());
    let line = content(&folder.join("package.json"), &name).ok_or_else(unknown)?;
    let script = last_command(&line).ok_or_else(unknown)?;
    let program_at = prefix::program(&script);
    let stem = script.get(program_at).map(|word| prefix::stem(word)).unwrap_or_default();
    let is_bench = script.get(program_at + 1..).is_some_and(runs_benchmarks);
    let place = if program == "npm" { Place::BehindDashes } else { Place::End };
    if stem == "vitest" && is_bench {
        return Ok(Start { place, script, ..Start::of(Tool::Vitest, at + 1) });
    }
    let module = module(&script, program_at, folder).ok_or_else(unknown)?;
    Ok(Start { tool: module.tool, place, script, targets: Vec::new(), words: at + 1 })
}

fn content(manifest: &Path, script: &str) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    Some(manifest.get("scripts")?.get(script)?.as_str()?.to_owned())
}

/// The last command of a script, which gets the words that follow; `None` if a shell does anything more with it.
fn last_command(script: &str) -> Option<Vec<OsString>> {
    let last = script.rsplit("&&").next()?;
    let is_plain = !script.contains(['|', ';', '<', '>', '`', '$', '(', '\n']) && !last.contains('&');
    let words = shell_words::split(last).ok().filter(|words| is_plain && !words.is_empty())?;
    // Variables in front of the program.
    let is_assignment = |word: &String| word.contains('=') && !word.starts_with('-');
    Some(words.into_iter().skip_while(is_assignment).map(OsString::from).collect())
}
