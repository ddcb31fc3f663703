//! The cases: mutated files, the commands to run on them, and checks of their results.

use std::fs;
use std::iter;
use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;

use crate::api::TortureApi;
use crate::check::ending;
use crate::mutation::mutate;
use crate::random::Random;
use crate::seeds::Seeds;
use crate::{limits, pipeline, targets};

pub(crate) struct CaseFolder(TempDir);

impl CaseFolder {
    /// Creates an empty directory, which is kept after the run on request.
    pub(crate) fn make(is_kept: bool) -> std::io::Result<Self> {
        tempfile::Builder::new()
            .disable_cleanup(is_kept)
            .tempdir()
            .map(Self)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Removes everything except the checkout, whose files each case overwrites.
    fn clear(&self) -> std::io::Result<()> {
        for entry in fs::read_dir(self.path())? {
            let path = entry?.path();
            match path.is_dir() {
                true if path.ends_with("checkout") => {}
                true => fs::remove_dir_all(path)?,
                false => fs::remove_file(path)?,
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(self.path()))?;
        fs::write(path, content)
    }
}

/// The first failed check, if any.
pub(crate) type Found = anyhow::Result<Option<String>>;

/// A test of one program or several.
type Target = fn(&mut TortureCase<'_>) -> Found;

/// The tests by name, with their relative frequency.
pub(crate) const TARGETS: [(&str, usize, Target); 12] = [
    ("round-trip", 12, pipeline::round_trip),
    ("compare", 6, pipeline::compare),
    ("page", 3, pipeline::page),
    ("append", 3, pipeline::append),
    ("packages", 3, pipeline::packages),
    ("site", 3, targets::site),
    ("calibrate", 1, targets::calibrate),
    ("local", 3, targets::local),
    ("comment", 2, targets::comment),
    ("refresh", 2, targets::refresh),
    ("measure", 1, targets::measure),
    ("count", 1, targets::count),
];

/// Settings of all executions.
pub(crate) struct TortureSetting<'c> {
    pub(crate) seed: u64,
    pub(crate) seeds: &'c Seeds,
    /// The directory of the programs.
    pub(crate) programs: &'c Path,
    pub(crate) api: &'c TortureApi,
    /// The selected target; `None` for all.
    pub(crate) target: Option<Target>,
}

pub(crate) fn run(setting: &TortureSetting<'_>, number: u64, place: &CaseFolder) -> Found {
    let TortureSetting {
        seed,
        seeds,
        programs,
        api,
        target,
    } = setting;
    let mut random = Random::of(*seed, number);
    place.clear()?;
    let mut input = seeds.input(&mut random);
    mutate(&mut input, &mut random, seeds);
    place.write("input", &input)?;
    let mut case = TortureCase {
        seeds,
        programs,
        api,
        place,
        random,
    };
    let all = TARGETS
        .iter()
        .flat_map(|(_, times, target)| iter::repeat_n(*target, *times));
    let all: Vec<Target> = target.map_or_else(|| all.collect(), |target| vec![target]);
    case.random.pick(&all)(&mut case)
}

/// One execution.
pub(crate) struct TortureCase<'c> {
    pub(crate) seeds: &'c Seeds,
    programs: &'c Path,
    pub(crate) api: &'c TortureApi,
    place: &'c CaseFolder,
    pub(crate) random: Random,
}

/// The failed check of a command's result, if any, and its output.
pub(crate) type Ended = (Option<String>, std::process::Output);

impl TortureCase<'_> {
    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.place
            .write(name, content)
            .with_context(|| format!("cannot write `{name}`"))
    }

    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path().join(name)).ok()
    }

    /// The text, in most cases mutated.
    pub(crate) fn damaged(&mut self, text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        if !self.random.once_in(4) {
            mutate(&mut text, &mut self.random, self.seeds);
        }
        text
    }

    pub(crate) fn mutated(&mut self, seeds: impl Fn(&Seeds) -> &Vec<Vec<u8>>) -> Vec<u8> {
        let text = self.random.pick(seeds(self.seeds)).clone();
        self.damaged(&text)
    }

    pub(crate) fn write_mutated(
        &mut self,
        name: &str,
        seeds: impl Fn(&Seeds) -> &Vec<Vec<u8>>,
    ) -> anyhow::Result<()> {
        let content = self.mutated(seeds);
        self.write(name, &content)
    }

    /// Runs a program with arguments in shell syntax.
    pub(crate) fn run(&self, program: &str, arguments: &str) -> anyhow::Result<Ended> {
        let arguments = shell_words::split(arguments)?;
        self.run_in(
            "",
            program,
            &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
            &[],
        )
    }

    pub(crate) fn run_in(
        &self,
        folder: &str,
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> anyhow::Result<Ended> {
        let folder = self.path().join(folder);
        let output = limits::run((self.programs, program), &folder, arguments, variables)?;
        let found = ending(program, &output);
        Ok((
            found.map(|found| format!("{program} {}: {found}", arguments.join(" "))),
            output,
        ))
    }
}
