//! HdrHistogram: the percentiles that its libraries print, and logs of encoded histograms.
//!
//! Neither says what was measured: a histogram is named by the line before it, by its tag, or by its file. The
//! text does not say its unit either.

mod encoded;
mod log;
mod percentiles;

use std::path::Path;

pub(crate) use self::log::FORMAT as LOG;
pub(crate) use self::percentiles::FORMAT;

/// The percentiles that are metrics, in hundred-thousandths.
const PERCENTILES: [(u32, &str); 8] = [
    (50_000, "P50"),
    (75_000, "P75"),
    (90_000, "P90"),
    (95_000, "P95"),
    (99_000, "P99"),
    (99_900, "P99.9"),
    (99_990, "P99.99"),
    (99_999, "P99.999"),
];

/// What a histogram is called that has no other name.
fn of_file(input: &str) -> &str {
    let stem = Path::new(input).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| stem.starts_with(char::is_alphanumeric)).unwrap_or("histogram")
}
