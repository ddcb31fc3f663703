//! Any bytes through every reader: no panic, nothing counted twice or lost, the same rows however the input
//! is cut into reads, and a baseline that is written the same when it has been read again.

#![no_main]

use std::io::{self, Read};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use perf_readers::baseline;
use perf_config::Config;
use perf_readers::{Collector, ParseReport};

static PLAIN: LazyLock<Config> = LazyLock::new(Config::default);

/// Lines of two widths, an alias, a number of decimals of its own, scenarios that are dropped.
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
        assert_eq!((&whole.rows, &whole.inputs), (&cut.rows, &cut.inputs), "cut into {step} bytes");
        assert_eq!((&whole.skipped, &whole.origins), (&cut.skipped, &cut.origins), "cut into {step} bytes");
        baseline_is_settled(&whole, config);
    }
});

fn read(mut input: &mut dyn Read, config: &Config) -> ParseReport {
    let mut collector = Collector::new(config);
    collector.read("input", &mut input).expect("memory can be read");
    collector.finish()
}

fn counts_agree(readout: &ParseReport) {
    let given: u64 = readout.inputs.iter().map(|input| input.rows).sum();
    assert_eq!(given, readout.rows.len() as u64 + readout.duplicates + readout.merged);
    assert_eq!(readout.rows.len(), readout.origins.len());
    assert_eq!(readout.skipped.len() as u64, readout.skipped_count.min(1000));
    let skipped = readout.skipped.iter().map(|near| near.origin);
    let conflicts = readout.conflicts.iter().flat_map(|conflict| [conflict.first, conflict.second]);
    for origin in readout.origins.iter().copied().chain(skipped).chain(conflicts) {
        assert!((1..=readout.inputs[origin.input].lines).contains(&origin.line), "{origin:?}");
    }
    assert_eq!(readout.require_rows().is_ok(), !readout.rows.is_empty());
}

fn baseline_is_settled(readout: &ParseReport, config: &Config) {
    if readout.rows.is_empty() {
        return;
    }
    let once = baseline::write(&readout.rows, &[], config).expect("rows can be written");
    let again = read(&mut once.as_bytes(), config);
    assert_eq!(again.skipped, [], "{once}");
    // Rounding can make two rows one.
    assert_eq!(again.rows.len() as u64 + again.duplicates + again.merged, readout.rows.len() as u64, "{once}");
    if again.duplicates == 0 {
        assert_eq!(baseline::write(&again.rows, &[], config).expect("rows can be written"), once);
    }
}

/// Gives a few bytes at a time, so that lines fall apart everywhere.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
