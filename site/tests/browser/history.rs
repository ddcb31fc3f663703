//! Histories for sites.

use std::fmt::Write;

const HEADER: &str = "scenario,platform,commit,date,rowsPerSecond\n";

fn commit(run: u32) -> String {
    format!(
        "{:08x}{run:032x}",
        run.wrapping_add(1).wrapping_mul(2_654_435_761)
    )
}

fn date(run: u32) -> String {
    format!("2031-{:02}-{:02}", 1 + run / 31, 1 + run % 31)
}

fn row(csv: &mut String, scenario: &str, platform: &str, run: u32, value: f64) {
    let noise = 1.0 + 0.002 * f64::from((run * 7) % 5);
    let scenario = scenario.replace('"', "\"\"");
    writeln!(
        csv,
        "\"{scenario}\",{platform},{},{},{}",
        commit(run),
        date(run),
        value * noise
    )
    .unwrap();
}

/// Three benchmarks in two scopes over 40 commits: one became faster ten commits ago, one is beyond its limit now.
pub fn ordinary() -> String {
    let mut csv = HEADER.to_owned();
    for run in 0..40 {
        let faster = if run < 30 { 5e6 } else { 7e6 };
        let slower = if run < 39 { 3e6 } else { 1e6 };
        for (platform, share) in [("linux", 1.0), ("wasm", 0.5)] {
            row(&mut csv, "Read 5 columns", platform, run, 18e6 * share);
            row(
                &mut csv,
                "Read quoted fields",
                platform,
                run,
                if platform == "linux" { faster } else { 2e6 },
            );
            row(
                &mut csv,
                "Write <b>rows</b> & columns",
                platform,
                run,
                if platform == "wasm" { slower } else { 4e6 },
            );
        }
    }
    csv
}

pub fn large(benchmarks: u32, runs: u32) -> String {
    let mut csv = HEADER.to_owned();
    for run in 0..runs {
        for benchmark in 0..benchmarks {
            row(
                &mut csv,
                &format!("bench_{benchmark:05}"),
                "linux",
                run,
                1e6 + f64::from(benchmark),
            );
        }
    }
    csv
}

/// Names that would be markup, scripts or bidirectional controls if they were not escaped.
pub fn hostile() -> String {
    let names = [
        "<img src=x onerror=hacked=1>",
        "\"><script>hacked=1</script>",
        "javascript:hacked=1",
        "'); hacked=1; ('",
        "</script><script>hacked=1</script>",
        "a\u{202e}b\u{2028}c",
        "#id=../../etc/passwd",
    ];
    let mut csv = HEADER.to_owned();
    for run in 0..30 {
        for name in names {
            row(
                &mut csv,
                name,
                "<iframe src=x>",
                run,
                if run >= 20 { 1e5 } else { 1e6 },
            );
        }
    }
    csv
}
