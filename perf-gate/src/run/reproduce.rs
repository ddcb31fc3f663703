//! The command line that does the same again, for the report: the files of this run are gone when it ends.

use std::path::{Path, PathBuf};

use render_perf_deltas::Reproduction;

use super::Cli;

/// The command line that reproduces a verdict of this one.
pub(super) fn reproduction(cli: &Cli) -> Reproduction {
    Reproduction {
        command: command(cli),
        benchmark: Some(benchmark(cli)),
        ..Reproduction::default()
    }
}

fn command(cli: &Cli) -> String {
    let source = &cli.source;
    let path =
        |path: &Option<PathBuf>| path.as_deref().map(Path::to_string_lossy).map(String::from);
    let options = [
        ("--base", cli.base.clone()),
        ("--shard", cli.shard.map(|shard| shard.to_string())),
        (
            "--filter",
            cli.pattern().map(|pattern| format!("benchmark={pattern}")),
        ),
        (
            "--time-limit",
            cli.time_limit
                .map(|limit| format!("{}s", limit.as_secs_f64())),
        ),
        ("--harness-from", cli.harness_from.clone()),
        ("--output-of", path(&source.launch.output_of)),
        (
            "--format",
            source.launch.format.map(|format| format.name.to_owned()),
        ),
        ("--baseline", path(&source.baseline)),
        ("--platform", source.platform.clone()),
    ];
    let given = options
        .into_iter()
        .flat_map(|(name, value)| option(name, &value.unwrap_or_default()));
    let flags = [
        ("--two-paths", cli.two_paths),
        ("--as-is", source.launch.as_is),
    ];
    let flags = flags
        .iter()
        .filter(|(_, is_given)| *is_given)
        .map(|(flag, _)| (*flag).to_owned());
    shell_words::join(
        ["perf-gate".to_owned(), "run".to_owned()]
            .into_iter()
            .chain(given)
            .chain(flags),
    )
}

/// An option and its value, unless that was left out.
pub(crate) fn option(name: &str, value: &str) -> Vec<String> {
    match value {
        "" => vec![],
        // It must not pass for an option.
        _ if value.starts_with('-') => vec![format!("{name}={value}")],
        _ => vec![name.to_owned(), value.to_owned()],
    }
}

/// The benchmark with its build and the config, which other commands need, too.
fn benchmark(cli: &Cli) -> String {
    let words = cli
        .source
        .launch
        .command
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    end(
        cli.build.as_deref(),
        cli.general.config.as_deref(),
        &words.collect::<Vec<_>>(),
    )
}

/// The end of a command line that names the benchmark; empty where the config does.
pub(crate) fn end(build: Option<&str>, config: Option<&Path>, words: &[String]) -> String {
    let config = config.map(Path::to_string_lossy).unwrap_or_default();
    let options = [
        option("--build", build.unwrap_or_default()),
        option("--config", &config),
    ]
    .concat();
    let benchmark = if words.is_empty() {
        vec![]
    } else {
        [&["--".to_owned()], words].concat()
    };
    shell_words::join([options, benchmark].concat())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        cli: Cli,
    }

    fn of(line: &[&str]) -> [String; 2] {
        let line = Line::try_parse_from(["run"].iter().chain(line)).unwrap();
        let reproduction = reproduction(&line.cli);
        [reproduction.command, reproduction.benchmark.unwrap()]
    }

    #[test]
    fn options_and_benchmark_are_repeated() {
        let line = [
            "-r",
            "HEAD~1",
            "--build",
            "make -j",
            "--time-limit=1.5m",
            "--two-paths",
            "--as-is",
            "--commit",
            "v1",
            "--",
            "sh",
            "-c",
            "./bench | tail",
        ];
        let [command, benchmark] = of(&line);
        assert_eq!(
            command,
            "perf-gate run --base 'HEAD~1' --time-limit 90s --two-paths --as-is"
        );
        assert_eq!(benchmark, "--build 'make -j' -- sh -c './bench | tail'");
        assert_eq!(
            of(&["--config", "ci/gate.toml"])[1],
            "--config ci/gate.toml"
        );
        assert_eq!(of(&[]), ["perf-gate run", ""]);
    }
}
