//! The command line that comes to the same comparison, for whoever wants to look into it.

use std::path::PathBuf;

use perf_config::Config;
use perf_report::shell::quoted;

use crate::cli::Cli;

/// The command, quoted for a shell: what is read and what decides, as it was given; not where anything is written.
pub(crate) fn command(cli: &Cli, config: &Config) -> String {
    let mut line = Line(vec!["render-perf-deltas".to_owned()]);
    line.files("--input", &cli.source.input);
    line.option("--format", cli.source.format.map(|format| format.name));
    line.flag("--strict", cli.source.strict);
    line.files("--baseline-csv", &cli.baseline_csv);
    line.option("--baseline-git", cli.baseline_git.as_ref());
    line.option("--baseline-commit", cli.baseline_commit.as_ref());
    line.option("--history-git", cli.history_git);
    line.files("--history", &cli.history);
    line.files("--confirm", &cli.confirm);
    line.files("--confirm-elsewhere", &cli.confirm_elsewhere);
    line.flag("--paired", cli.paired);
    line.option("--unity-version", cli.filter.unity_version.as_ref());
    line.option("--platform-substring", cli.filter.platform_substring.as_ref());
    line.option("--scope", cli.scope.as_ref());
    line.files("--config", &cli.source.config);
    line.files("--machine-specs", &cli.machine_specs);
    line.option("--tolerance", cli.tolerance);
    line.option("--regression-threshold", cli.regression_threshold);
    line.flag("--no-self-test", cli.no_self_test);
    line.option("--today", cli.today.filter(|_| !config.waivers.is_empty()));
    line.0.join(" ")
}

/// The command that writes the baseline from this run.
pub(crate) fn create(cli: &Cli) -> String {
    let mut line = Line(vec!["extract-perf-baseline".to_owned()]);
    line.files("--input", &cli.source.input);
    line.option("--format", cli.source.format.map(|format| format.name));
    line.option("--scope", cli.scope.as_ref());
    line.files("--config", &cli.source.config);
    line.files("--machine-specs", &cli.machine_specs);
    let in_commit = cli.baseline_git.as_ref().map(|place| PathBuf::from(place.path()));
    line.files("--output", cli.baseline_csv.iter().chain(&in_commit));
    line.flag("--replace", cli.baseline_csv.as_ref().is_some_and(|path| path.exists()));
    line.0.join(" ")
}

/// Words of a shell.
struct Line(Vec<String>);

impl Line {
    fn flag(&mut self, name: &str, is_given: bool) {
        self.0.extend(is_given.then(|| name.to_owned()));
    }

    /// With `=`, so that no value can pass for an option.
    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        self.0.extend(value.map(|value| format!("{name}={}", quoted(&value.to_string()))));
    }

    fn files<'p>(&mut self, name: &str, files: impl IntoIterator<Item = &'p PathBuf>) {
        let mut files = files.into_iter().map(|path| quoted(&path.display().to_string())).peekable();
        self.0.extend(files.peek().is_some().then(|| name.to_owned()));
        self.0.extend(files);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn of(line: &[&str]) -> String {
        let program = ["render-perf-deltas"];
        command(&Cli::try_parse_from(program.iter().chain(line)).unwrap(), &Config::default())
    }

    #[test]
    fn what_decides_is_repeated_and_what_is_written_is_not() {
        let given = [
            "--quiet",
            "--output=-",
            "--json",
            "report.json",
            "--input",
            "a.log",
            "b c.log",
            "--baseline-git",
            "main:perf/base.csv",
            "--baseline-commit",
            "4be19c7",
            "--history-git",
            "30",
            "--confirm",
            "again.log",
            "--paired",
            "--scope",
            "it's",
            "--tolerance",
            "0.05",
            "--fail-on",
            "none",
            "--exit-code",
            "--config",
            "$HOME/perf-gate.toml",
        ];
        insta::assert_snapshot!(of(&given), @r"render-perf-deltas --input a.log 'b c.log' --baseline-git=main:perf/base.csv --baseline-commit=4be19c7 --history-git=30 --confirm again.log --paired --scope='it'\''s' --config '$HOME/perf-gate.toml' --tolerance=0.05");
    }

    #[test]
    fn the_command_that_creates_a_baseline_reads_what_the_comparison_reads() {
        let cli = |line: &[&str]| Cli::try_parse_from(["render-perf-deltas"].iter().chain(line)).unwrap();
        let file = ["--input", "a.log", "--format", "csv", "--baseline-csv", "b c.csv"];
        insta::assert_snapshot!(create(&cli(&file)), @"extract-perf-baseline --input a.log --format=csv --output 'b c.csv'");
        let commit = ["--input", "-", "--baseline-git", "main:perf/base.csv"];
        insta::assert_snapshot!(create(&cli(&commit)), @"extract-perf-baseline --input '-' --output perf/base.csv");
    }

    #[test]
    fn no_file_name_ends_the_line() {
        assert!(!of(&["--input", "a\nb", "--baseline-csv", "c\u{1b}[m"]).contains(['\n', '\u{1b}']));
    }
}
