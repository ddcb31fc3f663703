//! The command to profile, its tool and its profiler.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::Path;

use measure::bench_tools::{Adjusted, BenchTool, Language, format_of_executable};
use measure::pairs::{PairsRequest, SideRequest, Tree};
use perf_config::Config;

use super::WhyRequest;
use super::profiler::Profiler;
use crate::run::{build_command, command_of};

/// Samples per process run. With this many, samples are so short that background load disturbs only a few.
const SAMPLES: u32 = 400;

/// The command, its tool and its profiler.
pub(super) struct Plan {
    pub(super) words: Vec<OsString>,
    pub(super) harness: Option<BenchTool>,
    pub(super) language: Language,
    pub(super) profiler: Profiler,
    /// True if the user chose the profiler.
    pub(super) is_chosen: bool,
}

impl Plan {
    pub(super) fn new(request: &WhyRequest, config: &Config) -> anyhow::Result<Self> {
        let words = command_of(&request.command, config)?;
        let here = Path::new(".");
        let format = request.format.as_deref().or(config.run().format.as_deref());
        let format = format.or_else(|| format_of_executable(&words, here));
        let by_format = format.and_then(|format| BenchTool::of_format(format, &words).ok());
        let harness = by_format.or_else(|| BenchTool::of(&words, here).ok());
        let of_tool = harness
            .as_ref()
            .and_then(|harness| Language::of_tool(harness.tool()));
        let language = of_tool.unwrap_or_else(|| Language::of_command(&words, here));
        let profiler = match request.profiler {
            Some(profiler) => profiler,
            None => Profiler::for_language(language)?,
        };
        Ok(Self {
            words,
            harness,
            language,
            profiler,
            is_chosen: request.profiler.is_some(),
        })
    }

    /// True if the tool chooses the number of iterations, so counts of two process runs aren't comparable.
    pub(super) fn repeats(&self, profiler: Profiler) -> bool {
        let counts = || self.adjusted(profiler, Some(1), Path::new("")).is_some();
        profiler.needs_same_work() && self.harness.is_some() && !counts()
    }

    pub(super) fn pairs(
        &self,
        request: &WhyRequest,
        config: &Config,
        reference: Option<&str>,
    ) -> anyhow::Result<PairsRequest> {
        let side = |tree| SideRequest {
            command: self.words.clone(),
            tree,
        };
        let mut build = build_command(request.build.as_deref(), config)?;
        if self.language == Language::Cargo {
            // Build now, because a build in a profiled run would be profiled.
            let end = self
                .words
                .iter()
                .position(|word| word == "--")
                .unwrap_or(self.words.len());
            let compile = self.words[..end].iter().cloned().chain(["--no-run".into()]);
            build = build.or_else(|| self.harness.is_some().then(|| compile.collect()));
        }
        Ok(PairsRequest {
            base: side(
                reference.map_or(Tree::Here, |reference| Tree::Commit(reference.to_owned())),
            ),
            current: side(Tree::Here),
            build,
            is_at_two_paths: request.two_paths,
            launch_limit: Some(request.timeout),
            time_limit: request.is_whole_limit.then_some(request.time_limit),
            config: request.config.clone(),
            ..PairsRequest::default()
        })
    }

    /// The command with a fixed number of iterations, or with many short samples, if the tool and the profiler support that.
    pub(super) fn adjusted(
        &self,
        profiler: Profiler,
        iterations: Option<u64>,
        results: &Path,
    ) -> Option<Adjusted> {
        let harness = self.harness.as_ref()?;
        Some(match iterations.and_then(NonZeroU64::new) {
            Some(iterations) => harness.same_work(iterations, results)?,
            None if !profiler.needs_same_work() && profiler != Profiler::Go => {
                harness.samples(SAMPLES, results)
            }
            None => harness.as_is(),
        })
    }
}
