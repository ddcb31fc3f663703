//! The command line that reproduces a run, for its report.

use std::path::{Path, PathBuf};

use render_perf_deltas::Reproduction;

use super::Cli;

/// The command line in two parts: `perf-gate run` with options, and the benchmark with its build and config.
pub(super) fn reproduction(cli: &Cli) -> Reproduction {
    Reproduction {
        command: command(cli),
        benchmark: Some(benchmark(cli)),
        ..Reproduction::default()
    }
}

fn command(cli: &Cli) -> String {
    let launch = &cli.launch;
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let filter = cli.filter.benchmark();
    let options = [
        ("--base", cli.base.clone()),
        ("--shard", cli.shard.map(|shard| shard.to_string())),
        ("--filter", filter.map(|glob| format!("benchmark={glob}"))),
        (
            "--time-limit",
            cli.time_limit
                .map(|limit| format!("{}s", limit.as_secs_f64())),
        ),
        ("--harness-from", cli.harness_from.clone()),
        ("--output-of", launch.output_of.as_ref().map(text)),
        (
            "--format",
            launch.format.map(|format| format.name.to_owned()),
        ),
        ("--baseline", cli.baseline.as_ref().map(text)),
    ];
    let mut words = vec!["perf-gate".to_owned(), "run".to_owned()];
    for (name, value) in options {
        words.extend(option(name, &value.unwrap_or_default()));
    }
    for (flag, is_given) in [("--two-paths", cli.two_paths), ("--as-is", launch.as_is)] {
        if is_given {
            words.push(flag.to_owned());
        }
    }
    shell_words::join(words)
}

/// An option and its value, or nothing for an empty value.
pub(crate) fn option(name: &str, value: &str) -> Vec<String> {
    match value {
        "" => vec![],
        // The value must not look like an option.
        _ if value.starts_with('-') => vec![format!("{name}={value}")],
        _ => vec![name.to_owned(), value.to_owned()],
    }
}

/// The second part of the command line, which is the same for other commands: build, config and benchmark.
fn benchmark(cli: &Cli) -> String {
    let words = cli
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

/// Build, config and benchmark as options, or empty if all come from the default config.
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

    fn reproduce(line: &[&str]) -> [String; 2] {
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
            "--",
            "sh",
            "-c",
            "./bench | tail",
        ];
        let [command, benchmark] = reproduce(&line);
        assert_eq!(
            command,
            "perf-gate run --base 'HEAD~1' --time-limit 90s --two-paths --as-is"
        );
        assert_eq!(benchmark, "--build 'make -j' -- sh -c './bench | tail'");
        assert_eq!(
            reproduce(&["--config", "ci/gate.toml"])[1],
            "--config ci/gate.toml"
        );
        assert_eq!(reproduce(&[]), ["perf-gate run", ""]);
    }
}
