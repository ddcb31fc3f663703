//! Checks whether a slower benchmark executes as many instructions as before. If so, the compiler may only have placed its
//! code elsewhere in memory, which can change short loops by 10%. That is no proof: other instructions, or other data, can
//! be slower too. So the verdict stays, and the report shows the count.
//!
//! callgrind counts what the benchmark's function executes, including all functions that it calls, and simulates the cache.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::time::{Duration, Instant};

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

/// The time for all counts.
const TIME: Duration = Duration::from_mins(1);
/// The number of system calls that a tool makes per call of the benchmark's function, to read clocks. Others may block, or
/// take longer in the kernel, which callgrind does not see.
const CLOCKS: u64 = 4;
/// The largest share by which the work may differ, for example because hash tables are random.
const WORK: f64 = 1e-4;
/// The largest difference of cache misses: one in each of the ten iterations, or several at the start.
const MISSES: u64 = 10;

/// What a benchmark's function costs: executed instructions, reads and writes; instructions that were not in the first-level
/// cache, and reads and writes of data that was not; the same for the last-level cache; system calls. Then the calls of the
/// function.
type Costs = [u64; 11];

impl Measurement<'_> {
    /// Reports each slower benchmark that executes as many instructions as before.
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
        for name in slower {
            let tool = self.tool.as_ref();
            let Some(commands) = tool.and_then(|tool| tool.alone(&name)) else {
                continue;
            };
            let shown = term::in_backticks(&name);
            term::progress(&format!("counting instructions: {shown}"));
            match self.same_work(valgrind, body, commands) {
                Ok(Some(text)) => {
                    let found = Finding::about(FindingKind::Layout, name.into(), text);
                    self.sampling.findings[1].push(found);
                }
                Ok(None) => {}
                Err(error) if error.is::<Stopped>() => break,
                Err(error) => term::note(&format!(
                    "{shown} was not counted: {}",
                    failure::message(&error)
                )),
            }
        }
        term::end_line();
    }

    /// Returns a sentence with the count if both sides do the same work.
    fn same_work(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        [base, head]: [CommandSpec; 2],
    ) -> anyhow::Result<Option<String>> {
        let costs = [
            self.count(valgrind, body, base)?,
            self.count(valgrind, body, head)?,
        ];
        let count = thousands(&costs[0][0].to_string());
        Ok(is_same(costs).then(|| {
            format!(
                "base and head both execute about {count} instructions, so the cause may be the code's layout in memory"
            )
        }))
    }

    fn count(
        &mut self,
        valgrind: Valgrind,
        body: &str,
        mut line: CommandSpec,
    ) -> anyhow::Result<Costs> {
        let guardian = self.launches.launcher.guardian;
        let folder = guardian.temporary_folder(&std::env::temp_dir())?;
        let options = [
            &CALLGRIND[..],
            &["--cache-sim=yes", "--collect-systime=yes"],
        ]
        .concat();
        let words = valgrind.words("callgrind", &options, folder.path());
        if line.words[0] == "cargo" {
            line.variables.extend(cargo_runner(&words));
        } else {
            line.words.splice(0..0, words);
        }
        self.launches.launch(&line)?;
        let mut costs = Costs::default();
        for entry in fs::read_dir(folder.path())? {
            add_calls(&mut costs, &file::read_text(&entry?.path())?, body);
        }
        Ok(costs)
    }
}

/// Adds what calls of functions whose names contain `body` cost their callers, except calls among such functions.
fn add_calls(costs: &mut Costs, text: &str, body: &str) {
    let (mut function, mut callee, mut calls) = ("", "", 0);
    for line in text.lines() {
        if calls > 0 && callee.contains(body) && !function.contains(body) {
            costs[10] += calls;
            // A line number, and the costs without zeros at the end.
            for (sum, word) in costs[..10].iter_mut().zip(line.split(' ').skip(1)) {
                *sum += word.parse::<u64>().unwrap_or_default();
            }
        }
        calls = 0;
        if let Some(name) = line.strip_prefix("fn=") {
            function = name;
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = name;
        } else if let Some(numbers) = line.strip_prefix("calls=") {
            let number = numbers.split(' ').next().unwrap_or_default();
            calls = number.parse().unwrap_or_default();
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

/// Whether both sides do the same work. If nothing was counted, the function is not known.
fn is_same([base, head]: [Costs; 2]) -> bool {
    for at in 0..3 {
        if float(base[at].abs_diff(head[at])) > WORK * float(base[at]) {
            return false;
        }
    }
    let [before, after] = [base, head].map(|costs| costs[4] + costs[5]);
    let makes_calls = [base, head]
        .iter()
        .any(|costs| costs[9] > CLOCKS * costs[10]);
    base[0] > 0 && before.abs_diff(after) <= MISSES && !makes_calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_benchmark_count_once_with_all_that_it_calls() {
        let text = "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw sysCount sysTime\n\
            fn=RunInThread\n10 5\ncfn=Fixture::Run(benchmark::State&)\ncalls=2 0x1\n11 900 90 9 4 3 2 1 0 0 8 60\n12 7\n\
            fn=Fixture::Run(benchmark::State&)\n20 5 1\ncfn=BM_Read(benchmark::State&)\ncalls=2 0x2\n21 800 80 8\n\
            cfn=memcpy\ncalls=1 0x3\n22 50 5\n\
            fn=main\ncfn=BM_Read(benchmark::State&)\ncalls=1 0x2\n30 100\n";
        let mut costs = Costs::default();
        add_calls(&mut costs, text, "(benchmark::State&)");
        assert_eq!(costs, [1_000, 90, 9, 4, 3, 2, 1, 0, 0, 8, 3]);
    }

    #[test]
    fn the_same_work_has_equal_counts_and_about_as_many_misses() {
        let base = [10_000, 900, 90, 10, 60, 40, 0, 0, 0, 40, 10];
        let with = |at: usize, count| {
            let mut costs = base;
            costs[at] = count;
            costs
        };
        for (at, count) in [(0, 10_001), (3, 99), (4, 70), (9, 39)] {
            assert!(is_same([base, with(at, count)]), "{at}");
        }
        for (at, count) in [(0, 10_002), (1, 901), (2, 89), (4, 71), (9, 41)] {
            assert!(!is_same([base, with(at, count)]), "{at}");
        }
        assert!(!is_same([with(9, 50); 2]), "both may wait");
        assert!(!is_same([Costs::default(); 2]), "nothing was counted");
    }
}
