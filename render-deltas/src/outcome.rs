//! The result of a comparison, in each of its output forms.

use std::io::{self, Write};

use perf_cli::load::machine_specs;
use perf_cli::term;
use perf_config::Config;
use perf_model::machine::MachineSpecs;
use perf_model::row::Row;
use perf_report::deltas::{Deltas, Links, Request, Screen, deltas, summary, terminal, without_baseline};
use perf_report::json::{self, Report};
use perf_verdict::{Policy, Tally};

use crate::cli::Cli;
use crate::compared::Compared;
use crate::data::NoBaseline;
use crate::explained::{explained, width};
use crate::{Rerun, links, reproduce};

/// A verdict, in all requested forms.
pub(crate) enum Outcome<'c> {
    /// Both sides had rows.
    Compared {
        compared: Box<Compared>,
        config: &'c Config,
        provenance: Provenance,
        /// What of the policies is there.
        failed: Vec<&'static str>,
    },
    /// There was nothing to compare with, and why.
    Skipped { policy: Policy, none: NoBaseline },
}

/// Where the comparison was made, and how to make it again.
pub(crate) struct Provenance {
    /// The command that comes to the same.
    reproduce: String,
    /// Whether it measures both sides again.
    measures: bool,
    /// Its end, if it runs the benchmark again.
    rerun: Option<String>,
    machine: Option<String>,
    links: Option<Links>,
}

impl Provenance {
    /// The machine is that of the rows only if none of them is of another.
    pub(crate) fn of(cli: &Cli, config: &Config, rerun: Option<&Rerun>, rows: &[Row]) -> Self {
        let specs = cli.machine_specs.as_deref().and_then(|path| machine_specs(path).ok());
        let specs = specs.filter(|specs| {
            !rows.iter().any(|row| specs.is_elsewhere(&row.platform, row.machine_class.as_deref()))
        });
        Self {
            reproduce: match rerun {
                Some(rerun) => rerun.command.clone(),
                None => cli.reproduce.clone().unwrap_or_else(|| reproduce::command(cli, config)),
            },
            measures: cli.reproduce_measures && rerun.is_none(),
            rerun: rerun.map(|rerun| rerun.benchmark.clone()),
            machine: specs.as_ref().and_then(MachineSpecs::short),
            links: links::from_env(),
        }
    }
}

impl<'c> Outcome<'c> {
    /// A comparison, and which of the policies it fails.
    pub(crate) fn compared(
        compared: Compared,
        config: &'c Config,
        provenance: Provenance,
        failed: Vec<&'static str>,
    ) -> Self {
        Self::Compared { compared: Box::new(compared), config, provenance, failed }
    }

    /// Whether a person at a terminal should be stopped.
    pub(crate) fn failed(&self) -> bool {
        matches!(self, Self::Compared { failed, .. } if !failed.is_empty())
    }

    /// The lines that a workflow reads.
    pub(crate) fn lines(&self) -> String {
        let tally = self.tally().unwrap_or_default();
        let (confirm, failed) = match self {
            Self::Compared { compared, failed, .. } => {
                (compared.comparison.missing_confirmations(), failed.join(","))
            }
            Self::Skipped { .. } => (0, String::new()),
        };
        let regressed = tally.regressed > 0;
        let counts = [
            ("improved", tally.improved),
            ("inconclusive", tally.inconclusive),
            ("missing", tally.missing),
            ("new", tally.new),
            ("not-comparable", tally.not_comparable),
            ("compared", tally.compared),
            ("unmeasured", tally.unmeasured),
            ("waived", tally.waived),
            ("blind", tally.blind),
            ("confirm", confirm),
        ];
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}={count}\n")).collect();
        let counts = counts.concat();
        format!("changed={}\nregressed={regressed}\n{counts}failed={failed}\n", tally.changed)
    }

    /// Prints it in one sentence.
    pub(crate) fn tell(&self) {
        match self {
            Self::Compared { compared, .. } => {
                let comparison = &compared.comparison;
                if compared.tally.compared == 0
                    && comparison.metrics().any(|metric| metric.judgement.is_unlike())
                {
                    term::warn(
                        "nothing was compared, as the baseline was measured on another kind of machine, by another method or with another toolchain",
                    );
                }
                term::note(&self.with_request(|request| summary(&request)).unwrap_or_default());
            }
            // A name that was mistyped looks like a project that has just begun.
            Self::Skipped { none, .. } => term::diagnostics(&[none.warning()]),
        }
    }

    /// Writes the report for programs.
    pub(crate) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Compared { compared, config, .. } => {
                json::write(&compared.comparison, config, compared.all_sentences(), out)
            }
            Self::Skipped { policy, none } => {
                out.write_all(Report::skipped(*policy, none.sentence()).to_json().as_bytes())
            }
        }
    }

    /// The report for a pull request.
    pub(crate) fn report(&self) -> Deltas {
        match self {
            Self::Skipped { none, .. } => without_baseline(&none.why),
            Self::Compared { .. } => self.with_request(|request| deltas(&request)).unwrap_or_default(),
        }
    }

    /// The table for people at a terminal.
    pub(crate) fn table(&self, is_verbose: bool) -> String {
        let screen = Screen { width: width(), is_verbose };
        match self {
            Self::Skipped { none, .. } => format!("{}\n", none.sentence()),
            Self::Compared { .. } => {
                self.with_request(|request| terminal(&request, screen)).unwrap_or_default()
            }
        }
    }

    /// What a report is made from; nothing without a comparison.
    fn with_request<T>(&self, make: impl FnOnce(Request<'_>) -> T) -> Option<T> {
        let Self::Compared { compared, config, provenance, failed } = self else { return None };
        let notes = compared.sentences();
        Some(make(Request {
            notes: &notes,
            unlike: &compared.unlike,
            unmet: &compared.unmet,
            failed,
            reproduce: Some(&provenance.reproduce),
            measures: provenance.measures,
            rerun: provenance.rerun.as_deref(),
            machine: provenance.machine.as_deref(),
            links: provenance.links.as_ref(),
            ..Request::new(&compared.comparison, config)
        }))
    }

    /// What is known of a scenario, for people at a terminal.
    pub(crate) fn explained(&self, scenario: &str) -> anyhow::Result<String> {
        match self {
            Self::Compared { compared, config, .. } => explained(&compared.comparison, config, scenario),
            Self::Skipped { none, .. } => Ok(format!("{}\n", none.sentence())),
        }
    }

    fn tally(&self) -> Option<Tally> {
        match self {
            Self::Compared { compared, .. } => Some(compared.tally),
            Self::Skipped { .. } => None,
        }
    }
}
