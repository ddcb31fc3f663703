//! Reads any bytes in the format that the first byte selects, like `--format`. Checks: no panics; all positions are
//! within the input; the sizes of reads do not matter; a baseline can hold all rows.

#![no_main]

use std::io::{self, Read};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use perf_config::Config;
use perf_readers::baseline;
use perf_readers::{Collector, FORMATS, ParseReport};

static CONFIG: LazyLock<Config> = LazyLock::new(Config::default);

fuzz_target!(|data: &[u8]| {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let format = usize::from(*choice) % FORMATS.len();
    let whole = read(format, &mut &*data);
    let step = 1 + data.len() % 5;
    let cut = read(format, &mut Dribble(data, step));
    assert_eq!(whole.rows, cut.rows, "cut into {step} bytes");
    assert_eq!(
        (&whole.findings, &whole.origins),
        (&cut.findings, &cut.origins),
        "cut into {step} bytes"
    );
    let rows = whole.origins.iter().map(|row| (row.input(), row.line()));
    let skipped = whole
        .skipped()
        .filter_map(|found| found.input.zip(found.line));
    for (input, line) in rows.chain(skipped) {
        let lines = 1..=whole.inputs[input].lines;
        assert!(lines.contains(&line), "{line} of {lines:?}");
    }
    let written = baseline::write(&whole.rows, &[], &CONFIG).expect("rows can be written");
    let mut collector = Collector::new(&CONFIG);
    collector
        .read("baseline", &mut written.as_bytes())
        .expect("memory can be read");
    let reread = collector.finish();
    assert_eq!(reread.skipped_count, 0, "{written}");
    assert_eq!(
        reread.rows.len() as u64 + reread.duplicates + reread.merged,
        whole.rows.len() as u64,
        "{written}"
    );
});

fn read(format: usize, input: &mut dyn Read) -> ParseReport {
    let mut collector = Collector::new(&CONFIG);
    collector
        .read_as(&FORMATS[format], "input", input)
        .expect("memory can be read");
    collector.finish()
}

/// Returns a few bytes per read, so that reads end anywhere.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
