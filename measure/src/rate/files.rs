//! Writes histogram files: `.hgrm` contains percentiles as text, and `.hlog` contains one line per repetition.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::IntervalLogWriterBuilder;
use perf_cli::{file, term};

use super::tally::Tally;
use crate::benchmarks::safe_file_name;

/// The number of lines per halving of the distance to 100%.
const TICKS: u32 = 5;

/// A measured repetition.
pub struct Repetition {
    /// The counts and latencies.
    pub tally: Tally,
    /// The start time.
    pub began: SystemTime,
    /// The length of the schedule.
    pub length: Duration,
}

/// Writes both files. Their names end in `.FAIL` if a repetition lost messages.
///
/// # Errors
/// Fails if the directory cannot be created, or if a file cannot be written.
pub fn write(folder: &Path, name: &str, repetitions: &[Repetition]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create `{}`", term::shown(folder)))?;
    let failed = repetitions.iter().any(|counted| !counted.tally.is_whole());
    let suffix = if failed { ".FAIL" } else { "" };
    let path = |kind: &str| folder.join(format!("{}.{kind}{suffix}", file_name(name)));
    let mut all = Tally::new(0)?;
    for counted in repetitions {
        all.add(&counted.tally);
    }
    file::write_if_changed(&path("hgrm"), percentiles(&all.latency).as_bytes())?;
    file::write_if_changed(&path("hlog"), &log(repetitions)?)?;
    Ok(())
}

fn file_name(name: &str) -> String {
    let name = safe_file_name(name, "-_.", 80);
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() {
        "latency".to_owned()
    } else {
        name.to_owned()
    }
}

/// Formats the percentiles in nanoseconds, in the format of HdrHistogram's own tools.
fn percentiles(histogram: &Histogram<u64>) -> String {
    let mut text = String::from("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    // Writing to a string cannot fail.
    for step in histogram.iter_quantiles(TICKS) {
        let (value, quantile) = (step.value_iterated_to(), step.quantile_iterated_to());
        let seen = histogram.count_between(0, value);
        let _ = write!(text, "{value:>12}.000 {quantile:.12} {seen:>10}");
        if quantile < 1.0 {
            let _ = write!(text, " {:>14.2}", 1.0 / (1.0 - quantile));
        }
        text.push('\n');
    }
    let _ = write!(
        text,
        "\
#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]
#[Max     = {:>12}.000, Total count    = {:>12}]
#[Buckets = {:>12}, SubBuckets     =         2048]
",
        histogram.mean(),
        histogram.stdev(),
        histogram.max(),
        histogram.len(),
        histogram.buckets()
    );
    text
}

/// Returns the log, which contains an encoded histogram (V2, deflated) per repetition.
fn log(repetitions: &[Repetition]) -> anyhow::Result<Vec<u8>> {
    let (mut bytes, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
    let start = repetitions
        .first()
        .map_or(SystemTime::UNIX_EPOCH, |first| first.began);
    let mut builder = IntervalLogWriterBuilder::new();
    builder
        .with_start_time(start)
        .with_base_time(start)
        .with_max_value_divisor(1e6);
    let mut writer = builder.begin_log_with(&mut bytes, &mut serializer)?;
    for counted in repetitions {
        let since = counted.began.duration_since(start).unwrap_or_default();
        let written = writer.write_histogram(&counted.tally.latency, since, counted.length, None);
        written.map_err(|error| anyhow::anyhow!("cannot encode a histogram: {error:?}"))?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_config::Config;
    use perf_readers::Collector;

    fn counted(latencies: &[u64], expected: u64) -> Repetition {
        let mut tally = Tally::new(expected).unwrap();
        for latency in latencies {
            tally.sent(1);
            tally.answered(*latency);
        }
        Repetition {
            tally,
            began: SystemTime::UNIX_EPOCH + Duration::from_secs(1_930_000_000),
            length: Duration::from_secs(1),
        }
    }

    fn read(path: &Path) -> Vec<perf_model::row::Row> {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        let bytes = std::fs::read(path).unwrap();
        collector
            .read(&path.to_string_lossy(), &mut bytes.as_slice())
            .unwrap();
        collector.finish().rows
    }

    #[test]
    fn written_files_contain_the_recorded_latencies() {
        let folder = tempfile::tempdir().unwrap();
        let latencies: Vec<u64> = (1..=1000).map(|ms| ms * 1_000_000).collect();
        write(
            folder.path(),
            "a/b",
            &[
                counted(&latencies[..500], 500),
                counted(&latencies[500..], 500),
            ],
        )
        .unwrap();
        let rows = read(&folder.path().join("a-b.hgrm"));
        let metrics = &rows[0].metrics;
        let found = metrics
            .iter()
            .find(|(name, _)| name.contains("P50"))
            .unwrap()
            .1
            .as_f64();
        assert!((found / 500e6 - 1.0).abs() < 0.01, "{found}");
    }

    #[test]
    fn lost_messages_mark_the_files_as_failed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a", &[counted(&[5], 1), counted(&[5], 2)]).unwrap();
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["a.hgrm.FAIL", "a.hlog.FAIL"]);
    }

    #[test]
    fn file_names_contain_only_safe_characters() {
        assert_eq!(
            file_name("http://localhost:80/a?b"),
            "http---localhost-80-a-b"
        );
        assert_eq!(file_name("../.."), "latency");
    }
}
