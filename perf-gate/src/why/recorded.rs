//! The profiles of both sides.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use measure::pairs::{PairsRequest, ProfiledSides, Session, SideRequest, Tree};
use perf_cli::git::Git;
use perf_cli::load::{InputArgs, git};
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_harness::{Adjusted, Harness, Language, NODE_OPTIONS, format_of_executable};
use perf_model::row::Row;
use perf_model::suite::Definitions;
use perf_profile::{Profile, Unit};

use super::Cli;
use super::profiler::Profiler;
use super::source::Source;
use crate::run::{whole_name, words_of};

/// Iterations under a profiler that needs the same work on both sides: callgrind is 50 times slower.
const COUNTED: u64 = 20;
/// The first and the most calls of a benchmark that are timed, and the time that they should take together.
const TIMED: u64 = 20;
const MOST_TIMED: u64 = 20_000;
const ENOUGH_NANOSECONDS: f64 = 3e8;
const NANOSECONDS: f64 = 1e9;

/// The profiles of both sides, and where they are from.
pub(super) struct Recorded {
    pub(super) benchmark: String,
    pub(super) profiler: Profiler,
    pub(super) base: Option<Profile>,
    pub(super) current: Profile,
    pub(super) base_commit: Option<String>,
    pub(super) source: Source,
}

/// Profiles both sides.
///
/// # Errors
/// No command, no profiler, or a side that cannot be built or launched.
pub(super) fn record(cli: &Cli, session: &Session) -> anyhow::Result<Recorded> {
    let config = perf_cli::load::config(cli.config.as_deref())?;
    let plan = Plan::of(cli, &config)?;
    let reference =
        if cli.no_base { None } else { Some(cli.base_ref.clone().map_or_else(default_base, Ok)?) };
    let variables = plan.profiler.build_variables(plan.language);
    let request = plan.request(cli, &config, reference.as_deref())?;
    let sides = ProfiledSides::prepare(&request, reference.is_some(), &variables, session)?;
    let base_commit = reference.map(|_| sides.base_commit().to_owned());
    let source = Source::of(base_commit.as_deref())?;
    let folder = tempfile::tempdir()?;
    let launches = Launches { plan: &plan, sides: &sides, config: &config, folder: folder.path() };
    let profiles = launches.record(base_commit.is_some(), &source)?;
    let [base, current] = profiles;
    sides.close()?;
    let current = current.ok_or_else(|| Failure::new("nothing was profiled"))?;
    Ok(Recorded { benchmark: plan.benchmark, profiler: plan.profiler, base, current, base_commit, source })
}

/// HEAD if files changed since, else where the branch left the default one, else the commit before.
fn default_base() -> anyhow::Result<String> {
    let git = Git::here();
    let reference = if git
        .ask(&["status", "--porcelain", "--untracked-files=no"])
        .is_some_and(|changes| !changes.is_empty())
    {
        "HEAD".to_owned()
    } else {
        let head = git::head().ok_or_else(|| {
            Failure::new("there is no commit to compare with")
                .hint("`--no-base` profiles the working tree alone")
        })?;
        let names = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];
        let left = names.iter().find_map(|name| git.ask(&["merge-base", "HEAD", name]));
        left.map(|commit| commit.trim().to_owned())
            .filter(|commit| *commit != head)
            .unwrap_or_else(|| "HEAD~1".to_owned())
    };
    term::note(&format!("comparing with {}; `--base-ref` names another commit", git::short(&reference)));
    Ok(reference)
}

/// The command, its tool and its profiler.
struct Plan {
    benchmark: String,
    words: Vec<OsString>,
    harness: Option<Harness>,
    language: Language,
    profiler: Profiler,
}

impl Plan {
    fn of(cli: &Cli, config: &Config) -> anyhow::Result<Self> {
        let mut words = cli.command.clone();
        if words.is_empty() {
            words = words_of("command", config.run().command.as_deref().unwrap_or_default())?;
        }
        if words.is_empty() {
            return Err(Failure::new("no benchmark to profile")
                .hint("write its command behind `--`, or set `command` in `[run]` of perf-gate.toml")
                .into());
        }
        let here = Path::new(".");
        let format = cli.format.as_deref().or(config.run().format.as_deref());
        let format = format.or_else(|| format_of_executable(&words, here));
        let harness = match format {
            Some(format) => Harness::of_format(format, &words).or_else(|_| Harness::of(&words, here)),
            None => Harness::of(&words, here),
        };
        let harness = harness.ok();
        let of_tool = harness.as_ref().and_then(|harness| Language::of_tool(harness.tool()));
        let language = of_tool.unwrap_or_else(|| Language::of_command(&words, here));
        let profiler = cli.profiler.map_or_else(|| Profiler::of(language), Ok)?;
        let benchmark = whole_name(&cli.benchmark).unwrap_or_else(|| cli.benchmark.clone());
        Ok(Self { benchmark, words, harness, language, profiler })
    }

    fn request(&self, cli: &Cli, config: &Config, reference: Option<&str>) -> anyhow::Result<PairsRequest> {
        let side = |tree| SideRequest { command: self.words.clone(), tree };
        let build = cli.build.clone().or_else(|| config.run().build.clone());
        let mut build = build.as_deref().map(|build| words_of("build", build)).transpose()?;
        if self.language == Language::Cargo {
            // Not in a launch, where it would count as its time.
            let end = self.words.iter().position(|word| word == "--").unwrap_or(self.words.len());
            let compile = self.words[..end].iter().cloned().chain(["--no-run".into()]);
            build = build.or_else(|| self.harness.is_some().then(|| compile.collect()));
        }
        Ok(PairsRequest {
            base: side(reference.map_or(Tree::Here, |reference| Tree::Commit(reference.to_owned()))),
            current: side(Tree::Here),
            build,
            is_at_two_paths: cli.two_paths,
            launch_limit: Some(cli.timeout),
            config: cli.config.clone(),
            ..PairsRequest::default()
        })
    }

    /// The command for the benchmark alone, as far as its tool can do that.
    fn adjusted(&self, iterations: u64, results: &Path) -> Option<Adjusted> {
        let harness = self.harness.as_ref()?;
        let iterations = NonZeroU64::new(iterations).unwrap_or(NonZeroU64::MIN);
        let adjusted = if self.profiler.needs_same_work() {
            harness.same_work(iterations, results)
        } else {
            harness.as_is()
        };
        Some(self.narrowed(&adjusted).unwrap_or(adjusted))
    }

    /// The command for the benchmark alone, if its tool can do that. A test of pytest is also known without its file.
    fn narrowed(&self, adjusted: &Adjusted) -> Option<Adjusted> {
        adjusted.only(&[&self.benchmark]).or_else(|| adjusted.only(&[format!("::{}", self.benchmark)]))
    }

    /// True if the tool runs the benchmark alone.
    fn is_narrowed(&self) -> bool {
        self.harness.as_ref().is_some_and(|harness| self.narrowed(&harness.as_is()).is_some())
    }
}

/// The launches of both sides.
struct Launches<'a> {
    plan: &'a Plan,
    sides: &'a ProfiledSides<'a>,
    config: &'a Config,
    folder: &'a Path,
}

/// A launch: the folder of its profile, and the time of an operation by its output.
struct Launch {
    folder: PathBuf,
    nanoseconds: Option<f64>,
}

impl Launches<'_> {
    /// Profiles both sides in turn: base, current, current, base.
    fn record(&self, has_base: bool, source: &Source) -> anyhow::Result<[Option<Profile>; 2]> {
        if !self.plan.is_narrowed() {
            term::note("the command cannot run one benchmark alone: the profile is that of all of it");
        }
        let iterations = self.iterations(source)?;
        let mut launches = [Vec::new(), Vec::new()];
        for time in 0..self.plan.profiler.launches() {
            let order = if time % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in order.into_iter().filter(|side| has_base || *side == 1) {
                let name = ["the base", "the current side"][side];
                term::note(&format!("profiling {name} with {}", self.plan.profiler.name()));
                launches[side].push(self.launch(side, &format!("{side}-{time}"), iterations)?);
            }
        }
        let times = launches.each_ref().map(|launches| time_of(launches));
        let is_timed = times[1].is_some() && (times[0].is_some() || !has_base);
        let mut profiles = [None, None];
        for (side, launches) in launches.iter().enumerate().filter(|(_, launches)| !launches.is_empty()) {
            let profile = self.profile(side, launches, source)?;
            profiles[side] = match times[side].filter(|_| is_timed && profile.unit == Unit::Samples) {
                Some([time, noise]) => Some(profile.of_operation(time, noise)),
                None => Some(profile),
            };
        }
        Ok(profiles)
    }

    fn profile(&self, side: usize, launches: &[Launch], source: &Source) -> anyhow::Result<Profile> {
        let enclosing = |file: &str, line| source.enclosing(side, file, line);
        let profiler = self.plan.profiler;
        if profiler != Profiler::Cprofile {
            let folders: Vec<PathBuf> = launches.iter().map(|launch| launch.folder.clone()).collect();
            return profiler.read(&folders, &enclosing);
        }
        let read = |launch: &Launch| profiler.read(std::slice::from_ref(&launch.folder), &enclosing);
        let all = launches.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        Profile::quietest(&all).ok_or_else(|| Failure::new("nothing was profiled").into())
    }

    /// The iterations of a launch. Short operations are timed more often.
    fn iterations(&self, source: &Source) -> anyhow::Result<u64> {
        if self.plan.profiler != Profiler::Cprofile || self.plan.harness.is_none() {
            return Ok(COUNTED);
        }
        let launch = self.launch(1, "try", TIMED)?;
        let total = self.profile(1, &[launch], source)?.total();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most some thousands")]
        let factor = (ENOUGH_NANOSECONDS / total.max(1.0)).clamp(1.0, 1e6) as u64;
        Ok((TIMED * factor).min(MOST_TIMED))
    }

    fn launch(&self, side: usize, name: &str, iterations: u64) -> anyhow::Result<Launch> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let adjusted = self.plan.adjusted(iterations, &folder.join("results"));
        let command = adjusted.as_ref().map_or(&self.plan.words, |adjusted| &adjusted.command);
        let profiled =
            self.plan.profiler.under(command.clone(), adjusted.as_ref(), self.plan.language, &folder)?;
        let mut variables = profiled.variables;
        for (name, value) in adjusted.iter().flat_map(|adjusted| &adjusted.environment) {
            if *name != NODE_OPTIONS && std::env::var_os(name).is_none() {
                variables.push((name.into(), value.clone()));
            }
        }
        let output = self.sides.launch(side, &profiled.words, &variables)?;
        let nanoseconds = self.nanoseconds(&folder, &output)?;
        Ok(Launch { folder, nanoseconds })
    }

    /// The time of an operation of the benchmark, if it is measured alone and its output has it.
    fn nanoseconds(&self, folder: &Path, output: &[u8]) -> anyhow::Result<Option<f64>> {
        if self.plan.profiler.needs_same_work() || !self.plan.is_narrowed() {
            return Ok(None);
        }
        let log = folder.join("output.log");
        std::fs::write(&log, output)?;
        let source = InputArgs { input: vec![log], ..InputArgs::default() };
        let Ok(read) = term::quietly(|| source.rows(self.config)) else { return Ok(None) };
        let is_it = |row: &&Row| row.scenario.contains(&self.plan.benchmark);
        let named: Vec<&Row> = read.rows.iter().filter(is_it).collect();
        let rows = if named.is_empty() { read.rows.iter().collect() } else { named };
        let found = rows.into_iter().filter_map(|row| {
            row.metrics.iter().find_map(|(name, value)| {
                let metric = self.config.metric(name);
                let seconds = metric.meaning.unit.seconds().filter(|_| metric.spread_of.is_none())?;
                Some(value.as_f64() * seconds * NANOSECONDS)
            })
        });
        Ok(found.min_by(f64::total_cmp))
    }
}

/// The least time of an operation in several launches, and how far the next one is from it as a share.
fn time_of(launches: &[Launch]) -> Option<[f64; 2]> {
    let mut times: Vec<f64> = launches.iter().filter_map(|launch| launch.nanoseconds).collect();
    times.sort_by(f64::total_cmp);
    let least = *times.first().filter(|least| **least > 0.0)?;
    Some([least, times.get(1).map_or(0.0, |next| next / least - 1.0)])
}
