//! The cases: mutated files, the commands that run on them, and what must hold afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::check::{ending, finds_nothing};
use crate::limits::Limits;
use crate::mutation::mutate;
use crate::random::Random;
use crate::seeds::Seeds;

/// The folder of a case.
pub(crate) struct Place {
    path: PathBuf,
    _temporary: Option<TempDir>,
}

impl Place {
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self { path: folder.path().to_owned(), _temporary: Some(folder) })
    }

    pub(crate) fn kept() -> anyhow::Result<Self> {
        Ok(Self { path: tempfile::tempdir()?.keep(), _temporary: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn clear(&self) -> std::io::Result<()> {
        fs::read_dir(&self.path)?.try_for_each(|entry| fs::remove_file(entry?.path()))
    }

    fn write(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        fs::write(self.path.join(name), content)
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path.join(name)).ok()
    }
}

/// What was found; `None` if everything holds.
pub(crate) type Found = anyhow::Result<Option<String>>;

/// Runs one execution.
pub(crate) fn run(seed: u64, number: u64, seeds: &Seeds, limits: &Limits, place: &Place) -> Found {
    let mut random = Random::of(seed, number);
    place.clear()?;
    let mut input = seeds.input(&mut random);
    mutate(&mut input, &mut random, seeds);
    place.write("input", &input)?;
    let mut case = Case { seeds, limits, place, random };
    match case.random.below(10) {
        0..5 => case.round_trip(),
        5..7 => case.compare(),
        7 => case.page(),
        8 => case.append(),
        _ => case.packages(),
    }
}

struct Case<'c> {
    seeds: &'c Seeds,
    limits: &'c Limits,
    place: &'c Place,
    random: Random,
}

impl Case<'_> {
    fn mutated(&mut self, seeds: impl Fn(&Seeds) -> &Vec<Vec<u8>>) -> Vec<u8> {
        let mut text = self.random.pick(seeds(self.seeds)).clone();
        if !self.random.once_in(4) {
            mutate(&mut text, &mut self.random, self.seeds);
        }
        text
    }

    fn run(
        &self,
        program: &str,
        arguments: &[&str],
    ) -> anyhow::Result<(Option<String>, std::process::Output)> {
        let output = self.limits.run(self.place.path(), program, arguments)?;
        Ok((
            ending(program, &output).map(|found| format!("{program} {}: {found}", arguments.join(" "))),
            output,
        ))
    }

    /// What is written is read again as it was, and differs from itself in nothing.
    fn round_trip(&mut self) -> Found {
        let (found, output) =
            self.run("extract-perf-baseline", &["--input", "input", "--output", "a.csv"])?;
        if found.is_some() || !output.status.success() {
            return Ok(found);
        }
        let (found, output) =
            self.run("extract-perf-baseline", &["--strict", "--input", "a.csv", "--output", "b.csv"])?;
        if found.is_some() || !output.status.success() {
            return Ok(found.or(Some("a baseline that was written cannot be read".to_owned())));
        }
        if self.place.read("a.csv") != self.place.read("b.csv") {
            return Ok(Some("a baseline that was read is written differently".to_owned()));
        }
        let (found, output) = self
            .run("render-perf-deltas", &["--no-self-test", "--input", "a.csv", "--baseline-csv", "b.csv"])?;
        if found.is_some() || !output.status.success() {
            return Ok(found);
        }
        Ok(finds_nothing(&output))
    }

    /// Other rows, perhaps with a config, in every form of output.
    fn compare(&mut self) -> Found {
        let baseline = self.mutated(|seeds| &seeds.inputs);
        self.place.write("other", &baseline)?;
        let (found, output) =
            self.run("extract-perf-baseline", &["--input", "other", "--output", "base.csv"])?;
        if found.is_some() || !output.status.success() {
            return Ok(found);
        }
        let mut arguments = vec!["--input", "input", "--baseline-csv", "base.csv", "--history", "base.csv"];
        if self.random.once_in(3) {
            let config = self.mutated(|seeds| &seeds.configs);
            self.place.write("config.toml", &config)?;
            arguments.extend(["--config", "config.toml"]);
        }
        match self.random.below(3) {
            0 => arguments.extend(["--output", "-"]),
            1 => arguments.extend([
                "--json",
                "report.json",
                "--comment",
                "comment.md",
                "--output-format",
                "table",
            ]),
            _ => arguments.extend(["--paired", "--max-length", "2000", "--output", "report.md"]),
        }
        Ok(self.run("render-perf-deltas", &arguments)?.0)
    }

    /// A page that cannot be rewritten stays as it is.
    fn page(&mut self) -> Found {
        let page = self.mutated(|seeds| &seeds.pages);
        self.place.write("page.md", &page)?;
        let (found, output) = self.run("render-perf-doc", &["--input", "input", "--doc", "page.md"])?;
        let is_touched =
            output.status.code() == Some(2) && self.place.read("page.md").as_ref() != Some(&page);
        Ok(found.or_else(|| is_touched.then(|| "a page was changed despite an error".to_owned())))
    }

    /// Rows that are appended twice are there once, and an error leaves the file as it is.
    fn append(&mut self) -> Found {
        let base = self.mutated(|seeds| &seeds.inputs);
        self.place.write("base.csv", &base)?;
        let arguments = ["--input", "input", "--output", "base.csv", "--append"];
        let (found, output) = self.run("extract-perf-baseline", &arguments)?;
        let once = self.place.read("base.csv");
        if found.is_some() || !output.status.success() {
            let is_touched = once.as_ref() != Some(&base);
            return Ok(found.or_else(|| is_touched.then(|| "a file was changed despite an error".to_owned())));
        }
        let (found, _) = self.run("extract-perf-baseline", &arguments)?;
        // Rows of one run with different metrics become one when they are read again.
        let lines = |text: Option<Vec<u8>>| text.unwrap_or_default().split(|byte| *byte == b'\n').count();
        let is_doubled = lines(self.place.read("base.csv")) > lines(once);
        Ok(found.or_else(|| is_doubled.then(|| "rows that were appended again are there twice".to_owned())))
    }

    fn packages(&mut self) -> Found {
        let manifest = self.mutated(|seeds| &seeds.manifests);
        self.place.write("comparison-packages.json", &manifest)?;
        self.place.write("package.json", br#"{"dependencies": {"mitt": "^3.0.1"}}"#)?;
        Ok(self.run("validate-comparison-packages", &["--manifest", "comparison-packages.json"])?.0)
    }
}
