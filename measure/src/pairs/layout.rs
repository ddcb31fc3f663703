//! Checks whether a slower benchmark still executes the same code, as often as before. If so, the compiler only placed the
//! code elsewhere in memory, which can change short loops by 10%.
//!
//! callgrind lists the functions that the benchmark's function calls, counts their instructions, and simulates caches and
//! branch prediction. objdump shows these functions' instructions. Equal counts alone would prove nothing: a division
//! instead of a multiplication is one instruction, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use perf_cli::{failure, file, term};
use perf_model::finding::{Finding, FindingKind};
use perf_model::methodology::ONE_BUILD;
use perf_report::number::thousands;
use perf_verdict::{Reason, Verdict};

use super::measurement::{Measurement, benchmarks_with};
use super::tool::ToolOptions;
use crate::count::valgrind::{CALLGRIND, Valgrind};
use crate::guardian::Stopped;
use crate::process::CommandSpec;
use crate::rows::float;

/// The time for all process runs under callgrind.
const TIME: Duration = Duration::from_mins(1);
/// callgrind's events, and the cycles that one of each costs by KCachegrind's estimate: instructions, misses of the first and
/// last cache level for data, and mispredicted branches. Cache misses of instructions depend on the layout.
const CYCLES: [(&str, u64); 7] = [
    ("Ir", 1),
    ("D1mr", 10),
    ("D1mw", 10),
    ("Bcm", 10),
    ("Bim", 10),
    ("DLmr", 100),
    ("DLmw", 100),
];
/// The largest growth of the estimated cycles. Hash tables and allocations depend on addresses.
const GROWTH: f64 = 0.01;
/// The number of system calls that a tool makes per call of the benchmark's function, to read clocks. Others may block, or
/// take longer in the kernel, which callgrind does not see.
const CLOCKS: u64 = 4;

/// What a benchmark's function does, with all functions that it calls.
#[derive(Debug, Default)]
struct Work {
    /// The number of each of callgrind's events.
    events: BTreeMap<String, u64>,
    /// The number of calls of the benchmark's function.
    calls: u64,
    /// The executed functions: the path of the program or library, and the symbol.
    functions: BTreeSet<(String, String)>,
}

/// The hashes of all functions in a program or library with the same symbol.
type Code = HashMap<String, Vec<u64>>;

impl Measurement<'_> {
    /// Reports each slower benchmark that executes the same code as before.
    pub fn find_layout_changes(&mut self) {
        let tool = self.tool.as_ref().map(ToolOptions::tool);
        let Some(body) = tool.and_then(|tool| tool.profile().body) else {
            return;
        };
        let slower = benchmarks_with(&self.compared(), |metric| {
            let judgement = &metric.judgement;
            judgement.verdict == Verdict::Regressed && matches!(judgement.reason, Reason::Pairs(_))
        });
        let has_one_build = self.sampling.methodology.contains(ONE_BUILD);
        if slower.is_empty() || !has_one_build || self.request.focus.is_some() {
            return;
        }
        let Ok(valgrind) = Valgrind::find() else {
            term::hint("valgrind, if installed, tells slower code from code that only moved");
            return;
        };
        self.launches.launcher.deadline = Some(Instant::now() + TIME);
        let mut known = HashMap::new();
        for name in slower {
            let tool = self.tool.as_ref();
            let Some(commands) = tool.and_then(|tool| tool.alone(&name)) else {
                continue;
            };
            let shown = term::in_backticks(&name);
            term::progress(&format!("checking the code layout: {shown}"));
            match self.moved(valgrind, body, commands, &mut known) {
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
    }

    /// Returns the finding's text if both sides execute the same code. Adds new programs and libraries to `known`.
    fn moved(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        commands: [CommandSpec; 2],
        known: &mut HashMap<PathBuf, Code>,
    ) -> anyhow::Result<Option<String>> {
        let [base, head] = &commands;
        let work = [
            self.work(valgrind, body, base)?,
            self.work(valgrind, body, head)?,
        ];
        if !is_same(&work) {
            return Ok(None);
        }
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        let paths = [0, 1].map(|side| {
            let files = work[side].functions.iter().map(|(file, _)| file);
            let seen = files.map(|file| commands[side].seen(Path::new(file)));
            seen.collect::<BTreeSet<_>>()
        });
        for side in 0..2 {
            for (file, symbol) in &work[side].functions {
                let path = commands[side].seen(Path::new(file));
                if paths[1 - side].contains(&path) {
                    // Both sides use the same library.
                    continue;
                }
                if !known.contains_key(&path) {
                    known.insert(path.clone(), disassemble(&path)?);
                }
                let Some(hashes) = known[&path].get(symbol) else {
                    return Ok(None);
                };
                sides[side].insert(symbol, hashes.clone());
            }
        }
        if sides[0].is_empty() || sides[0] != sides[1] {
            return Ok(None);
        }
        let [base, head] = work.map(|work| thousands(&work.events["Ir"].to_string()));
        Ok(Some(format!(
            "code layout: base and head execute the same code, with {base} and {head} instructions"
        )))
    }

    fn work(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        command: &CommandSpec,
    ) -> anyhow::Result<Work> {
        let guardian = self.launches.launcher.guardian;
        let folder = guardian.temporary_folder(&std::env::temp_dir())?;
        let options = [
            &CALLGRIND[..],
            &[
                "--demangle=no",
                "--cache-sim=yes",
                "--branch-sim=yes",
                "--collect-systime=yes",
            ],
        ]
        .concat();
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
            work.add(&file::read_text(&entry?.path())?, body);
        }
        Ok(work)
    }
}

impl Work {
    /// Adds callgrind's output for one process. The benchmark's functions are those whose symbols contain `body`. Counts what
    /// their calls cost their callers, except calls among them.
    fn add(&mut self, text: &str, body: &str) {
        let mut called = BTreeMap::<_, BTreeSet<_>>::new();
        let mut events = Vec::new();
        let (mut file, mut function, mut its_file, mut callee) = ("", "", None, "");
        let mut calls = 0;
        for line in text.lines() {
            if calls > 0 && callee.contains(body) && !function.contains(body) {
                self.calls += calls;
                // A line number, and the numbers without zeros at the end.
                for (event, number) in events.iter().zip(line.split(' ').skip(1)) {
                    let number = number.parse::<u64>().unwrap_or_default();
                    *self.events.entry(String::from(*event)).or_default() += number;
                }
            }
            calls = 0;
            let Some((key, value)) = line.split_once(['=', ':']) else {
                continue;
            };
            match key {
                "events" => events = value.split_whitespace().collect(),
                "ob" => file = value,
                "fn" => function = value,
                "cob" => its_file = Some(value),
                "cfn" => {
                    callee = value;
                    let callee = (its_file.take().unwrap_or(file), callee);
                    called.entry((file, function)).or_default().insert(callee);
                }
                "calls" => {
                    let number = value.split(' ').next().unwrap_or_default();
                    calls = number.parse().unwrap_or_default();
                }
                _ => {}
            }
        }
        let all = called
            .iter()
            .flat_map(|(caller, callees)| [caller].into_iter().chain(callees));
        let mut new: Vec<_> = all.filter(|(_, symbol)| symbol.contains(body)).collect();
        while let Some(function) = new.pop() {
            let (file, symbol) = *function;
            // Recursive calls have names such as `parse'2`.
            let symbol = symbol.split('\'').next().unwrap_or_default();
            self.functions.insert((file.to_owned(), symbol.to_owned()));
            if let Some(callees) = called.get(function) {
                new.extend(callees);
            }
        }
    }

    fn cycles(&self) -> u64 {
        let events = CYCLES.iter();
        events
            .map(|(event, cycles)| cycles * self.number(event))
            .sum()
    }

    fn number(&self, event: &str) -> u64 {
        self.events.get(event).copied().unwrap_or_default()
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

/// Whether the head does no more than the base. If nothing was counted, the function is not known.
fn is_same([base, head]: &[Work; 2]) -> bool {
    let makes_calls = [base, head]
        .iter()
        .any(|work| work.number("sysCount") > CLOCKS * work.calls);
    let [before, after] = [base, head].map(|work| float(work.cycles()));
    base.number("Ir") > 0 && after <= before * (1.0 + GROWTH) && !makes_calls
}

/// Disassembles a program or library.
///
/// # Errors
/// Fails if objdump is not installed, or cannot read the file.
fn disassemble(file: &Path) -> anyhow::Result<Code> {
    let mut command = Command::new("objdump");
    command
        .args(["--disassemble", "--no-show-raw-insn"])
        .arg(file);
    let output = command.output().context("cannot start objdump")?;
    if !output.status.success() {
        bail!("objdump cannot read `{}`", term::shown(file));
    }
    Ok(functions(&String::from_utf8_lossy(&output.stdout)))
}

/// Returns the hash of each function in objdump's output.
fn functions(text: &str) -> Code {
    let mut code = Code::new();
    for function in text.split("\n\n") {
        let Some((symbol, lines)) = function.split_once(">:\n") else {
            continue;
        };
        let symbol = symbol.split_once('<').unwrap_or_default().1;
        let mut instructions: Vec<String> = lines.lines().map(without_addresses).collect();
        // The compiler fills the space up to the next function.
        while let Some(last) = instructions.last()
            && (last.contains("nop") || last == "xchg %ax %ax" || last == "int3")
        {
            instructions.pop();
        }
        let mut hasher = DefaultHasher::new();
        instructions.hash(&mut hasher);
        let hashes = code.entry(symbol.to_owned()).or_default();
        hashes.push(hasher.finish());
        hashes.sort_unstable();
    }
    code
}

/// Returns an instruction without what depends on its place: its own address, and addresses of and distances to other code
/// and data. Their symbols remain.
fn without_addresses(line: &str) -> String {
    let (_, instruction) = line.split_once('\t').unwrap_or_default();
    let (instruction, target) = instruction.split_once(" # ").unwrap_or((instruction, ""));
    let mut parts = Vec::new();
    for part in instruction.split([' ', ',']) {
        if part.starts_with('<') {
            // The address comes before the symbol.
            parts.pop();
        }
        parts.push(if part.ends_with("(%rip)") {
            "(%rip)"
        } else {
            part
        });
    }
    // An offset means that the data has no symbol of its own.
    if !target.contains('+') {
        parts.extend(target.split(' ').skip(1));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: &str = "events: Ir Dr Dw sysCount\n\
        ob=bench\nfn=RunInThread\n10 5\ncfn=_ZN7Fixture3RunERN9benchmark5StateE\ncalls=2 0x1\n11 900 90 9 8\n12 7\n\
        fn=_ZN7Fixture3RunERN9benchmark5StateE\n20 5 1\ncfn=BM_ReadRN9benchmark5StateE\ncalls=2 0x2\n21 800 80 8\n\
        cob=libc.so\ncfn=memcpy\ncalls=1 0x3\n22 50 5\n\
        fn=BM_ReadRN9benchmark5StateE\ncfn=read'2\ncalls=1 0x3\n22 50 5\n\
        fn=main\ncfn=BM_ReadRN9benchmark5StateE\ncalls=1 0x2\n30 100\ncfn=print\ncalls=1 0x9\n31 8\n";

    #[test]
    fn calls_of_the_benchmark_count_once_with_all_that_it_calls() {
        let mut work = Work::default();
        work.add(CALLS, "RN9benchmark5StateE");
        assert_eq!(work.calls, 3);
        let events = ["Ir", "Dr", "Dw", "sysCount"].map(|event| work.number(event));
        assert_eq!(events, [1_000, 90, 9, 8]);
        let functions: Vec<_> = work
            .functions
            .iter()
            .map(|(file, symbol)| format!("{file} {symbol}"))
            .collect();
        assert_eq!(
            functions,
            [
                "bench BM_ReadRN9benchmark5StateE",
                "bench _ZN7Fixture3RunERN9benchmark5StateE",
                "bench read",
                "libc.so memcpy"
            ]
        );
    }

    #[test]
    fn head_does_no_more_than_the_base() {
        let with = |event: &str, number| {
            let mut events = BTreeMap::from([("Ir".to_owned(), 10_000)]);
            events.insert(event.to_owned(), number);
            Work {
                events,
                calls: 10,
                ..Work::default()
            }
        };
        let same = |event, number| is_same(&[with("Ir", 10_000), with(event, number)]);
        for (event, number) in [
            ("Ir", 10_100),
            ("Ir", 9_000),
            ("I1mr", 99),
            ("D1mr", 10),
            ("DLmw", 1),
            ("sysCount", 40),
        ] {
            assert!(same(event, number), "{event}");
        }
        for (event, number) in [
            ("Ir", 10_101),
            ("D1mw", 11),
            ("Bcm", 11),
            ("DLmr", 2),
            ("sysCount", 41),
        ] {
            assert!(!same(event, number), "{event}");
        }
        assert!(
            !is_same(&[with("sysCount", 50), with("sysCount", 50)]),
            "both may wait"
        );
        assert!(!is_same(&Default::default()), "nothing was counted");
    }

    #[test]
    fn code_is_the_same_wherever_it_is() {
        let code = |text: &str| {
            functions(&format!(
                "\nx: file format elf64\n\n0000000000001139 <f>:\n{text}\n\n0000 <g>:\n"
            ))
        };
        let base = code(
            "    1139:\tlea    0xec4(%rip),%rdi        # 2004 <_IO_stdin_used+0x4>\n    1140:\tcall   1030 <puts@plt>\n    1145:\tjne    1140 <f+0x7>\n    1147:\tret",
        );
        let moved = code(
            "    2239:\tlea    0xdc4(%rip),%rdi        # 3004 <_IO_stdin_used+0x8>\n    2240:\tcall   1050 <puts@plt>\n    2245:\tjne    2240 <f+0x7>\n    2247:\tret\n    2248:\tcs nopw 0x0(%rax,%rax,1)\n    2252:\txchg   %ax,%ax",
        );
        assert_eq!(base, moved);
        assert!(base.contains_key("f"));
        for (line, other) in [
            ("mov    $0x1,%eax", "mov    $0x2,%eax"),
            ("add    $0x1,%eax", "dec    %eax"),
            ("call   1030 <puts@plt>", "call   1030 <free@plt>"),
            ("jne    1140 <f+0x7>", "jne    1140 <f+0x9>"),
            (
                "mov    0xec4(%rip),%rdi        # 2004 <a>",
                "mov    0xec4(%rip),%rdi        # 2004 <b>",
            ),
        ] {
            let [line, other] = [line, other].map(|line| code(&format!("    1139:\t{line}")));
            assert_ne!(line, other);
        }
    }
}
