//! The command to profile, its tool and its profiler.

use std::num::NonZeroU64;
use std::path::Path;

use measure::bench_tools::{Adjusted, BenchTool, Language};
use measure::pairs::{PairsRequest, Tree};
use perf_config::Config;

use super::WhyRequest;
use super::profiler::Profiler;
use crate::run::{Benchmark, build_command, command_of, format_in};

/// Samples per process run. With this many, samples are so short that background load disturbs only a few.
const SAMPLES: u32 = 400;

/// The command, its tool and its profiler.
pub(super) struct Plan {
    pub(super) benchmark: Benchmark,
    pub(super) harness: Option<BenchTool>,
    pub(super) language: Language,
    pub(super) profiler: Profiler,
    /// True if the user chose the profiler.
    pub(super) is_chosen: bool,
}

impl Plan {
    pub(super) fn new(request: &WhyRequest, config: &Config) -> anyhow::Result<Self> {
        let benchmark = Benchmark {
            words: command_of(&request.command, config)?,
            format: format_in(request.format, config)?,
            ..Benchmark::default()
        };
        let harness = benchmark.harness().ok();
        let of_tool = harness
            .as_ref()
            .and_then(|harness| Language::of_tool(harness.tool()));
        let language =
            of_tool.unwrap_or_else(|| Language::of_command(&benchmark.words, Path::new(".")));
        let profiler = match request.profiler {
            Some(profiler) => profiler,
            None => Profiler::for_language(language)?,
        };
        Ok(Self {
            benchmark,
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
        let mut build = build_command(request.build.as_deref(), config)?;
        if self.language == Language::Cargo {
            // Build now, because a build in a profiled run would be profiled.
            let words = self.benchmark.words.split(|word| word == "--").next();
            let mut compile = words.unwrap_or_default().to_vec();
            compile.push("--no-run".into());
            build = build.or(self.harness.is_some().then_some(compile));
        }
        let base = reference.map_or(Tree::Here, |reference| Tree::Commit(reference.to_owned()));
        Ok(PairsRequest {
            build,
            is_at_two_paths: request.two_paths,
            launch_limit: Some(request.timeout),
            time_limit: request.is_whole_limit.then_some(request.time_limit),
            config: request.config.clone(),
            ..self.benchmark.pairs(base, config)
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
