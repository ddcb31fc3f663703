//! Checks whether a slower benchmark may be slower only because unchanged code is now elsewhere in memory. This can make
//! short loops a third slower.
//!
//! callgrind lists the functions that the benchmark's process executes, and counts instructions. objdump shows each
//! function's instructions and the functions that it refers to. Equal counts alone would prove nothing: a division and a
//! multiplication are one instruction each.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;
use perf_cli::{failure, file, term};
use perf_model::finding::{Finding, FindingKind};
use perf_report::number::thousands;
use perf_verdict::{Reason, Verdict};

use super::measurement::{Measurement, benchmarks_with};
use crate::count::valgrind::{CALLGRIND, Valgrind, is_there};
use crate::guardian::Stopped;
use crate::process::CommandSpec;

/// The time for all process runs under callgrind.
const TIME: Duration = Duration::from_mins(1);
/// The largest slowdown that is attributed to layout alone. It limits the pairs' lower confidence bound, because noise can
/// make the mean much larger.
const LARGEST: f64 = 0.4;
/// Parts of instructions that valgrind cannot execute: AVX-512, SHA, vector AES and GFNI.
const UNKNOWN: [&str; 6] = ["%zmm", "{%k", "sha1", "sha256", "vaes", "gf2p8"];

/// The start of the names of the functions with which GCC initializes a file's global variables.
const GLOBALS: &str = "_GLOBAL__sub_I_";

/// What a process does.
#[derive(Default)]
struct Work {
    /// The executed instructions in the benchmark's function and all functions that it calls.
    instructions: u64,
    /// All executed functions: the path of the program or library, and the symbol.
    executed: BTreeSet<(PathBuf, String)>,
    /// The benchmark's function and all functions that it calls.
    measured: BTreeSet<(PathBuf, String)>,
}

/// The instructions of functions, by symbol. Several functions may have the same symbol.
type Code = HashMap<String, Vec<String>>;

/// The code of the programs and libraries that only one side uses.
type Disassembled = HashMap<Vec<PathBuf>, Code>;

impl Measurement<'_> {
    /// Reports each slower benchmark that executes the same code as before. Returns whether measuring must continue, because
    /// only such benchmarks had regressed.
    pub fn find_layout_changes(&mut self) -> bool {
        let options = self.tool.as_ref();
        let Some(body) = options.and_then(|options| options.tool().profile().body) else {
            return false;
        };
        let slower = benchmarks_with(&self.compared(), |metric| {
            metric.judgement.verdict == Verdict::Regressed
                && matches!(&metric.judgement.reason, Reason::Pairs(pairs)
                    if pairs.lower.is_some_and(|lower| lower.exp_m1() <= LARGEST))
        });
        if slower.is_empty() || self.request.focus.is_some() {
            return false;
        }
        let (Ok(valgrind), true) = (Valgrind::find(), is_there("objdump", &["--version"])) else {
            term::hint("install valgrind and objdump to tell slower from moved code");
            return false;
        };
        let was_red = self.is_red();
        let start = Instant::now();
        let deadline = self.launches.launcher.deadline.replace(start + TIME);
        let mut known = HashMap::new();
        for name in slower {
            let tool = self.tool.as_ref();
            let Some(commands) = tool.and_then(|tool| tool.alone(&name)) else {
                continue;
            };
            let shown = term::in_backticks(&name);
            term::progress(&format!("checking the code layout: {shown}"));
            match self.find_layout_change(valgrind, body, &commands, &mut known) {
                Ok(Some(text)) => {
                    let found = Finding::about(FindingKind::Layout, name.into(), text);
                    self.sampling.findings[1].push(found);
                }
                Ok(None) => {}
                Err(error) if error.is::<Stopped>() => break,
                Err(error) => term::note(&format!(
                    "the code layout of {shown} was not checked: {}",
                    failure::message(&error)
                )),
            }
        }
        term::end_line();
        // The check does not use up the time limit.
        self.launches.launcher.deadline = deadline.map(|deadline| deadline + start.elapsed());
        self.start += start.elapsed();
        was_red && !self.is_red() && !self.is_concluded()
    }

    /// Returns the finding's text if both sides execute the same code. Adds new programs and libraries to `known`.
    fn find_layout_change(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        [base, head]: &[CommandSpec; 2],
        known: &mut Disassembled,
    ) -> anyhow::Result<Option<String>> {
        let work = [
            self.run_callgrind(valgrind, body, base)?,
            self.run_callgrind(valgrind, body, head)?,
        ];
        let counts = work.each_ref().map(|work| work.instructions);
        // Hash tables and allocations depend on addresses, so the head may execute 1% more.
        if counts[1] > counts[0] + counts[0] / 100 || !is_same_code(&work, known)? {
            return Ok(None);
        }
        let [base, head] = counts.map(|count| thousands(&count.to_string()));
        Ok(Some(format!(
            "code layout: base and head execute the same code, with {base} and {head} instructions"
        )))
    }

    fn run_callgrind(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        command: &CommandSpec,
    ) -> anyhow::Result<Work> {
        let guardian = self.launches.launcher.guardian;
        let folder = guardian.temporary_folder()?;
        let options = [&CALLGRIND[..], &["--demangle=no"]].concat();
        let words = valgrind.words("callgrind", &options, folder.path());
        let mut command = command.clone();
        if command.words[0] == "cargo" {
            command.variables.extend(cargo_runner(&words));
        } else {
            command.words.splice(0..0, words);
        }
        self.launches.launch(&command)?;
        let mut work = Work::default();
        for entry in fs::read_dir(folder.path())? {
            work.add(&file::read_text(&entry?.path())?, body, &command);
        }
        Ok(work)
    }
}

impl Work {
    /// Adds callgrind's output for one process. The benchmark's functions are those whose symbols contain `body`. Counts
    /// the instructions of their calls, except calls among them.
    fn add(&mut self, text: &str, body: &str, command: &CommandSpec) {
        let path = |file: &str| command.seen(Path::new(file));
        let mut calls = BTreeMap::<_, BTreeSet<_>>::new();
        let mut new = Vec::new();
        let (mut file, mut function) = ("", ("", ""));
        let (mut target_file, mut target) = (None, ("", ""));
        let mut is_call = false;
        for line in text.lines() {
            if is_call && target.1.contains(body) && !function.1.contains(body) {
                // A line number, instructions and other events.
                let number = line.split(' ').nth(1).unwrap_or_default();
                self.instructions += number.parse::<u64>().unwrap_or_default();
            }
            is_call = false;
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            // Recursive calls have names such as `parse'2`.
            let symbol = stable_symbol(value.split('\'').next().unwrap_or_default());
            match key {
                "ob" => file = value,
                "fn" => {
                    function = (file, symbol);
                    self.executed.insert((path(file), symbol.to_owned()));
                    if symbol.contains(body) {
                        new.push(function);
                    }
                }
                "cob" => target_file = Some(value),
                "cfn" => {
                    target = (target_file.take().unwrap_or(file), symbol);
                    calls.entry(function).or_default().insert(target);
                }
                "calls" => is_call = true,
                _ => {}
            }
        }
        while let Some(function) = new.pop() {
            let (file, symbol) = function;
            if self.measured.insert((path(file), symbol.to_owned())) {
                new.extend(calls.get(&function).into_iter().flatten());
            }
        }
    }
}

/// Variables that make Cargo start each program through the command `words`.
pub fn cargo_runner(words: &[OsString]) -> [(OsString, OsString); 2] {
    let arch = std::env::consts::ARCH.to_uppercase();
    ["GNU", "MUSL"].map(|libc| {
        let name = format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_{libc}_RUNNER");
        (name.into(), words.join(OsStr::new(" ")))
    })
}

/// Whether no function differs between the sides that the processes executed, that the benchmark's functions refer to, or
/// that valgrind cannot execute. Files that both sides use, such as the C library, are the same.
fn is_same_code(work: &[Work; 2], known: &mut Disassembled) -> anyhow::Result<bool> {
    let paths = work.each_ref().map(|work| {
        let files = work.executed.iter().map(|(file, _)| file);
        files.filter(|file| file.is_file()).collect::<BTreeSet<_>>()
    });
    let own = [0, 1].map(|side| {
        let files = paths[side].difference(&paths[1 - side]);
        files.copied().cloned().collect::<Vec<_>>()
    });
    for files in &own {
        if !files.is_empty() && !known.contains_key(files) {
            known.insert(files.clone(), disassemble(files)?);
        }
    }
    let [Some(base), Some(head)] = own.each_ref().map(|files| known.get(files)) else {
        return Ok(false);
    };
    for (side, code, other) in [(0, base, head), (1, head, base)] {
        let mut new = Vec::new();
        for (file, symbol) in &work[side].measured {
            if own[side].contains(file) {
                new.push(&**symbol);
            }
        }
        // Without symbols, it is not known what the benchmark executes.
        if new.is_empty() || !new.iter().all(|symbol| code.contains_key(*symbol)) {
            return Ok(false);
        }
        let mut must_be_same = BTreeSet::new();
        while let Some(symbol) = new.pop() {
            if must_be_same.insert(symbol) {
                let functions = code.get(symbol).into_iter().flatten();
                let words = functions.flat_map(|function| function.split(' '));
                new.extend(words.filter_map(|word| word.strip_prefix('<')));
            }
        }
        must_be_same.extend(work[side].executed.iter().map(|(_, symbol)| &**symbol));
        for (symbol, functions) in code {
            if other.get(symbol) == Some(functions) {
                continue;
            }
            let text = functions.concat();
            if must_be_same.contains(&**symbol) || UNKNOWN.iter().any(|part| text.contains(part)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn disassemble(files: &[PathBuf]) -> anyhow::Result<Code> {
    let mut command = Command::new("objdump");
    command.args(["--disassemble", "--no-show-raw-insn"]);
    let output = command.args(files).output()?;
    if !output.status.success() {
        bail!("objdump cannot read `{}`", term::shown(&files[0]));
    }
    Ok(read_code(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads objdump's output.
fn read_code(output: &str) -> Code {
    let mut code = Code::new();
    let mut symbol = "";
    for line in output.lines() {
        if let Some((_, instruction)) = line.split_once('\t') {
            let instruction = without_addresses(instruction);
            // Compilers fill the space between functions. Symbols such as `<synopsis>` are no padding.
            let is_padding = ["xchg %ax %ax", "int3"].contains(&&*instruction)
                || format!(" {instruction}").contains(" nop");
            if !is_padding
                && let Some(function) = code.get_mut(symbol).and_then(|all| all.last_mut())
            {
                function.extend([&*instruction, " "]);
            }
        } else if let Some(name) = line.strip_suffix(">:") {
            symbol = stable_symbol(name.split('<').next_back().unwrap_or_default());
            code.entry(symbol.to_owned())
                .or_default()
                .push(String::new());
        }
    }
    for functions in code.values_mut() {
        functions.sort_unstable();
    }
    code
}

/// Returns an instruction without the addresses in its operands. Their symbols stay.
fn without_addresses(instruction: &str) -> String {
    let (instruction, target) = instruction.split_once(" # ").unwrap_or((instruction, ""));
    let mut parts = Vec::new();
    for part in instruction
        .split([' ', ','])
        .filter(|part| !part.is_empty())
    {
        if let Some((symbol, end)) = part
            .strip_suffix('>')
            .map(|part| part.split_once('+').unwrap_or((part, "")))
        {
            // The address comes before the symbol.
            parts.pop();
            parts.push(stable_symbol(symbol));
            parts.push(end);
        } else if part.ends_with("(%rip)") {
            parts.push("(%rip)");
        } else {
            parts.push(part);
        }
    }
    // An offset means that the data has no symbol of its own.
    if let Some((_, symbol)) = target.split_once(' ')
        && !symbol.contains('+')
    {
        parts.push(stable_symbol(symbol.trim_end_matches('>')));
    }
    parts.join(" ")
}

/// Removes the parts of a symbol that depend on other functions. For example, link-time optimization numbers local symbols
/// that share a name (`drop.7620`).
fn stable_symbol(symbol: &str) -> &str {
    // GCC names this initializer after the file's first function, so adding a function can rename it.
    if symbol.starts_with(GLOBALS) {
        return GLOBALS;
    }
    match symbol.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: &str = "events: Ir sysCount sysTime\n\
        ob=bench\nfn=RunInThread\n10 5\ncfn=_ZN7Fixture3RunERN9benchmark5StateE\ncalls=2 0x1\n11 900 8\n12 7\n\
        fn=_ZN7Fixture3RunERN9benchmark5StateE\n20 5 1\ncfn=BM_ReadRN9benchmark5StateE\ncalls=2 0x2\n21 800 8\n\
        cob=libc.so\ncfn=memcpy\ncalls=1 0x3\n22 50\n\
        fn=BM_ReadRN9benchmark5StateE\ncfn=read.7'2\ncalls=1 0x3\n22 50\n\
        fn=main\ncfn=BM_ReadRN9benchmark5StateE\ncalls=1 0x2\n30 100\ncfn=print\ncalls=1 0x9\n31 8\n";

    #[test]
    fn calls_of_the_benchmark_count_once_with_all_that_it_calls() {
        let mut work = Work::default();
        work.add(CALLS, "RN9benchmark5StateE", &CommandSpec::default());
        assert_eq!(work.instructions, 1_000);
        let named = |functions: &BTreeSet<(PathBuf, String)>| {
            let names = functions
                .iter()
                .map(|(file, symbol)| format!("{} {symbol}", file.display()));
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            named(&work.measured),
            [
                "bench BM_ReadRN9benchmark5StateE",
                "bench _ZN7Fixture3RunERN9benchmark5StateE",
                "bench read",
                "libc.so memcpy"
            ]
        );
        assert_eq!(
            named(&work.executed),
            [
                "bench BM_ReadRN9benchmark5StateE",
                "bench RunInThread",
                "bench _ZN7Fixture3RunERN9benchmark5StateE",
                "bench main"
            ]
        );
    }

    /// The code of a program in which `f` has these instructions.
    fn code(instructions: &str) -> Code {
        let mut text = "\nx: file format elf64\n\n0000000000001139 <f>:\n".to_owned();
        for instruction in instructions.lines() {
            text.extend(["    1139:\t", instruction, "\n"]);
        }
        text += "\n0000000000002000 <g>:\n    2000:\tret\n\n0000000000003000 <sha>:\n    3000:\tsha1msg1 %xmm0,%xmm1\n";
        read_code(&text)
    }

    #[test]
    fn code_is_the_same_wherever_it_is() {
        let base = code(
            "lea    0xec4(%rip),%rdi        # 2004 <_IO_stdin_used+0x4>\ncall   1030 <puts@plt>\njne    1140 <f+0x7>\nret",
        );
        let moved = code(
            "lea    0xdc4(%rip),%rdi        # 3004 <_IO_stdin_used+0x8>\ncall   1050 <puts@plt>\njne    2240 <f+0x7>\nret\n\
             cs nopw 0x0(%rax,%rax,1)\nxchg   %ax,%ax",
        );
        assert_eq!(base["f"], moved["f"]);
        let set_up = "0000000000001139 <_GLOBAL__sub_I_new_first>:\n    1139:\tret\n";
        assert_eq!(
            read_code(set_up),
            read_code(&set_up.replace("new_first", "main"))
        );
        for (line, other) in [
            ("mov    $0x1,%eax", "mov    $0x2,%eax"),
            ("add    $0x1,%eax", "dec    %eax"),
            ("call   1030 <puts@plt>", "call   1030 <free@plt>"),
            ("call   1030 <synopsis>", "call   1030 <canopy>"),
            ("jne    1140 <f+0x7>", "jne    1140 <f+0x9>"),
            (
                "mov    0xec4(%rip),%rdi        # 2004 <a>",
                "mov    0xec4(%rip),%rdi        # 2004 <b>",
            ),
        ] {
            assert_ne!(code(line)["f"], code(other)["f"]);
        }
    }

    #[test]
    fn functions_that_may_matter_must_be_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let same = |changed: &str, executed: &str| {
            let mut known = HashMap::new();
            let mut work: [Work; 2] = Default::default();
            for side in ["base", "head"] {
                let path = folder.path().join(side);
                fs::write(&path, "").unwrap();
                known.insert(vec![path], code("call   2000 <g>\njmp    1139 <f>"));
            }
            let head = known.get_mut(&vec![folder.path().join("head")]).unwrap();
            head.entry(changed.to_owned())
                .or_default()
                .push("ret".to_owned());
            for (side, work) in ["base", "head"].into_iter().zip(&mut work) {
                let of = |symbol: &str| (folder.path().join(side), symbol.to_owned());
                work.measured.insert(of("f"));
                work.executed.extend([of("f"), of(executed)]);
            }
            is_same_code(&work, &mut known).unwrap()
        };
        assert!(same("other", "main"));
        assert!(!same("f", "main"), "measured");
        assert!(!same("g", "main"), "called by a measured function");
        assert!(!same("main", "main"), "executed");
        assert!(!same("sha", "main"), "not executed by valgrind");
    }
}
