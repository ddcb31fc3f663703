//! The commands that reproduce a comparison and create its baseline.

use perf_cli::actions;
use perf_config::Config;
use perf_report::report::Links;
use perf_report::shell::CommandLine;

use crate::cli::CompareRequest;

/// The command that repeats this comparison, quoted for a shell. It contains inputs and limits, but no outputs.
pub fn reproducing_command(request: &CompareRequest, config: &Config) -> String {
    let mut line = CommandLine::new("perf-gate compare");
    line.files("--input", &request.source.input);
    line.option("--format", request.source.format.map(|format| format.name));
    line.option("--platform", request.source.platform.as_ref());
    line.files("--baseline-csv", &request.baseline_csv);
    line.option("--baseline-git", request.baseline_git.as_ref());
    line.option("--baseline-commit", request.baseline_commit.as_ref());
    line.option("--history-git", request.history_git);
    line.files("--history", &request.history);
    line.files("--confirm", &request.confirm);
    line.files("--confirm-elsewhere", &request.confirm_elsewhere);
    line.flag("--paired", request.paired || config.deltas.paired);
    for filter in &request.filter.rows.filters {
        line.option("--filter", Some(filter));
    }
    let substring = request.filter.substring();
    line.option(
        "--filter",
        substring.map(|text| format!("platform=*{text}*")),
    );
    line.option("--scope", request.scope.as_ref());
    line.files("--config", &request.source.config);
    line.files("--machine-specs", &request.machine_specs);
    line.option("--tolerance", request.tolerance);
    let as_percentage =
        |limit: f64| format!("{}%", perf_model::decimal::nearest_of(limit * 100.0, 12));
    line.option(
        "--regression-threshold",
        request.regression_threshold.map(as_percentage),
    );
    line.option(
        "--today",
        request.today.filter(|_| !config.waivers.is_empty()),
    );
    line.text()
}

/// The command that writes this run as the baseline.
pub(crate) fn create(request: &CompareRequest) -> String {
    if let Some(again) = &request.reproduction
        && let Some(benchmark) = &again.benchmark
    {
        let line = format!("{} --save {benchmark}", again.command);
        return line.trim_end().to_owned();
    }
    let mut line = CommandLine::new("perf-gate baseline");
    line.files("--input", &request.source.input);
    line.option("--format", request.source.format.map(|format| format.name));
    line.option("--scope", request.scope.as_ref());
    line.files("--config", &request.source.config);
    line.files("--machine-specs", &request.machine_specs);
    if let Some(place) = &request.baseline_git {
        line.option("--output", Some(place.path()));
    }
    if let Some(path) = &request.baseline_csv {
        line.files("--output", [path]);
        line.flag("--replace", path.exists());
    }
    line.text()
}

/// The links from the workflow's environment; `None` outside a workflow.
pub(crate) fn links_from_env() -> Option<Links> {
    links(|name| std::env::var(name).ok())
}

fn links(variable: impl Fn(&str) -> Option<String>) -> Option<Links> {
    let repository = actions::repository(&variable)?;
    let run = variable("GITHUB_RUN_ID").filter(|run| run.bytes().all(|byte| byte.is_ascii_digit()));
    Some(Links {
        repository,
        run: run.filter(|run| !run.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    fn request(line: &[&str]) -> CompareRequest {
        Cli::try_parse_from(["render-perf-deltas"].iter().chain(line))
            .unwrap()
            .request
    }

    fn of(line: &[&str]) -> String {
        reproducing_command(&request(line), &Config::default())
    }

    #[test]
    fn reproduce_command_repeats_inputs_but_not_outputs() {
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
        insta::assert_snapshot!(of(&given), @r"perf-gate compare --input a.log 'b c.log' --baseline-git main:perf/base.csv --baseline-commit 4be19c7 --history-git 30 --confirm again.log --paired --scope 'it'\''s' --config '$HOME/perf-gate.toml' --tolerance 0.05");
    }

    #[test]
    fn create_command_reads_the_same_inputs() {
        let file = [
            "--input",
            "a.log",
            "--format",
            "csv",
            "--baseline-csv",
            "b c.csv",
        ];
        insta::assert_snapshot!(create(&request(&file)), @"perf-gate baseline --input a.log --format csv --output 'b c.csv'");
        let commit = ["--input", "-", "--baseline-git", "main:perf/base.csv"];
        insta::assert_snapshot!(create(&request(&commit)), @"perf-gate baseline --input - --output perf/base.csv");
    }

    #[test]
    fn control_characters_in_file_names_are_replaced() {
        assert!(
            !of(&["--input", "a\nb", "--baseline-csv", "c\u{1b}[m"]).contains(['\n', '\u{1b}'])
        );
    }
}

#[cfg(test)]
mod links_tests {
    use super::*;

    fn of(server: &str, name: &str, run: &str) -> Option<(String, Option<String>)> {
        let found = links(|variable| {
            let text = match variable {
                "GITHUB_SERVER_URL" => server,
                "GITHUB_REPOSITORY" => name,
                _ => run,
            };
            (!text.is_empty()).then(|| text.to_owned())
        });
        found.map(|links| (links.repository, links.run))
    }

    #[test]
    fn links_point_to_repository_and_workflow_run() {
        let server = "https://github.example:8443";
        let repository = format!("{server}/octo/quill");
        assert_eq!(
            of(server, "octo/quill", "123"),
            Some((repository.clone(), Some("123".to_owned())))
        );
        assert_eq!(of(server, "octo/quill", "x"), Some((repository, None)));
    }

    #[test]
    fn unusual_server_or_repository_has_no_link() {
        assert_eq!(of("", "octo/quill", "1"), None);
        assert_eq!(of("javascript:x", "octo/quill", "1"), None);
        assert_eq!(of("https://github.com", "octo/qu)ill", "1"), None);
        assert_eq!(of("https://github.com", "octo", "1"), None);
    }
}
