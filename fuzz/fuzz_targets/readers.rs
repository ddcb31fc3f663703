//! Reads any bytes in all formats. Checks: no panics; rows are neither lost nor counted twice; the sizes of reads do
//! not matter; a baseline stays the same when it is read and written again.

#![no_main]

use std::io::{self, Read};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use perf_config::Config;
use perf_model::finding::FindingKind;
use perf_readers::baseline;
use perf_readers::{Collector, ParseReport};

static PLAIN: LazyLock<Config> = LazyLock::new(Config::default);

/// A config that sets two layouts, an alias and decimals, and drops unlisted scenarios.
static DECLARED: LazyLock<Config> = LazyLock::new(|| {
    let text = "\
        rows.unlisted = 'drop'\n\
        rows.layouts = [['decodeNs'], ['decodeNs', 'allocs', 'peakBytes']]\n\
        scenarios = [{ key = 'Parse' }, { key = 'Render' }]\n\
        metrics.decodeNs = { aliases = ['time'], decimals = 1 }\n";
    Config::parse(text).expect("the config is valid")
});

fuzz_target!(|data: &[u8]| {
    for config in [&*PLAIN, &*DECLARED] {
        let whole = read(&mut &*data, config);
        counts_agree(&whole);
        let step = 1 + data.len() % 7;
        let cut = read(&mut Dribble(data, step), config);
        assert_eq!(
            (&whole.rows, &whole.inputs),
            (&cut.rows, &cut.inputs),
            "cut into {step} bytes"
        );
        assert_eq!(
            (&whole.findings, &whole.origins),
            (&cut.findings, &cut.origins),
            "cut into {step} bytes"
        );
        baseline_is_stable(&whole, config);
    }
});

fn read(mut input: &mut dyn Read, config: &Config) -> ParseReport {
    let mut collector = Collector::new(config);
    collector
        .read("input", &mut input)
        .expect("memory can be read");
    collector.finish()
}

fn counts_agree(report: &ParseReport) {
    let given: u64 = report.inputs.iter().map(|input| input.rows).sum();
    let kept = report.rows.len() as u64 + report.duplicates + report.merged;
    // A benchmark's failed process runs are replaced with a finding.
    let has_failed = report.findings.iter().any(|finding| {
        matches!(
            finding.kind,
            FindingKind::Failed | FindingKind::PartlyFailed
        )
    });
    assert!(
        given == kept || (has_failed && given > kept),
        "{given} {kept}"
    );
    assert_eq!(report.rows.len(), report.origins.len());
    assert_eq!(
        report.skipped().count() as u64,
        report.skipped_count.min(1000)
    );
    let rows = report.origins.iter().map(|row| (row.input(), row.line()));
    let findings = report.findings.iter();
    let findings = findings.filter_map(|finding| finding.input.zip(finding.line));
    for (input, line) in rows.chain(findings) {
        let lines = 1..=report.inputs[input].lines;
        assert!(lines.contains(&line), "{line} of {lines:?}");
    }
    assert_eq!(report.require_rows().is_ok(), !report.rows.is_empty());
}

fn baseline_is_stable(report: &ParseReport, config: &Config) {
    if report.rows.is_empty() {
        return;
    }
    let once = baseline::write(&report.rows, &[], config).expect("rows can be written");
    let reread = read(&mut once.as_bytes(), config);
    assert_eq!(reread.skipped_count, 0, "{once}");
    // Rounding can make two rows equal.
    assert_eq!(
        reread.rows.len() as u64 + reread.duplicates + reread.merged,
        report.rows.len() as u64,
        "{once}"
    );
    if reread.duplicates == 0 {
        assert_eq!(
            baseline::write(&reread.rows, &[], config).expect("rows can be written"),
            once
        );
    }
}

/// Returns a few bytes per read, so that reads end within lines.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
