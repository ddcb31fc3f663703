//! Encoded histograms: base64 of zlib of counts (V0 to V2).
//!
//! A *bucket* is a range of indistinguishable values. Only buckets with a count are stored, so that a few bytes of
//! input cannot allocate megabytes. That and logs of hdr-histogram-js are why this is not the `hdrhistogram` crate: see
//! `docs/decisions/0009-libraries-in-readers.md`.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;

/// Limit for an inflated interval: more than the largest histogram needs.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Limit for distinct values in a log, so that memory stays bounded.
pub(crate) const MOST_VALUES: usize = 1 << 20;

pub(crate) const TOO_MANY: &str = "too many distinct values in this log";

/// Reasons for unsupported encodings.
pub(crate) const UNSUPPORTED: [&str; 2] = [
    "unsupported encoding of a DoubleHistogram",
    "unknown encoding: only V0, V1 and V2 are read",
];

const BROKEN: &str = "histogram is cut off or corrupt";

/// The least value of a bucket, and how many it holds.
type Bucket = (u64, u64);

/// The counts of one interval.
pub(crate) type Interval = Vec<(Bucket, u64)>;

/// The counts of all intervals.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(BTreeMap<Bucket, u64>);

impl Counts {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(&mut self, interval: Interval) {
        for (bucket, count) in interval {
            let known = self.0.entry(bucket).or_insert(0);
            *known = known.saturating_add(count);
        }
    }

    fn total(&self) -> u64 {
        self.0
            .values()
            .fold(0, |total, count| total.saturating_add(*count))
    }

    /// The least value that may have been recorded.
    pub(crate) fn least(&self) -> Option<u64> {
        self.0.keys().next().map(|(least, _)| *least)
    }

    /// The greatest value that may have been recorded.
    pub(crate) fn most(&self) -> Option<u64> {
        self.0.keys().next_back().map(|bucket| greatest(*bucket))
    }

    /// The value at a percentile, given in hundred-thousandths.
    pub(crate) fn percentile(&self, percentile: u32) -> Option<u64> {
        let wanted = (u128::from(self.total()) * u128::from(percentile)).div_ceil(100_000);
        let mut seen = 0u128;
        let reached = self.0.iter().find(|(_, count)| {
            seen += u128::from(**count);
            seen >= wanted
        });
        reached
            .map(|(bucket, _)| greatest(*bucket))
            .or_else(|| self.most())
    }

    /// The mean, each bucket by its middle.
    #[expect(clippy::cast_precision_loss, reason = "a mean of many")]
    pub(crate) fn mean(&self) -> Option<f64> {
        let sum: f64 = self
            .0
            .iter()
            .map(|(bucket, count)| middle(*bucket) * *count as f64)
            .sum();
        (!self.0.is_empty()).then(|| sum / self.total() as f64)
    }

    /// The standard deviation from the mean.
    #[expect(clippy::cast_precision_loss, reason = "a mean of many")]
    pub(crate) fn deviation(&self, mean: f64) -> f64 {
        let square =
            |(bucket, count): (&Bucket, &u64)| (middle(*bucket) - mean).powi(2) * *count as f64;
        (self.0.iter().map(square).sum::<f64>() / self.total() as f64).sqrt()
    }
}

fn greatest((least, size): Bucket) -> u64 {
    least.saturating_add(size - 1)
}

#[expect(clippy::cast_precision_loss, reason = "one of many in a mean")]
fn middle((least, size): Bucket) -> f64 {
    least.saturating_add(size / 2) as f64
}

/// Decodes the histogram of one interval.
///
/// # Errors
/// Why it cannot be read; one of [`UNSUPPORTED`] when that is the encoding.
pub(crate) fn decode(payload: &[u8]) -> Result<Interval, &'static str> {
    let bytes = STANDARD.decode(payload).map_err(|_| BROKEN)?;
    let mut rest = &bytes[..];
    match take_u32(&mut rest)? & !WORD_SIZE {
        0x1c84_9303 | 0x1c84_9301 | 0x1c84_9308 => return histogram(&bytes),
        0x1c84_9304 | 0x1c84_9302 | 0x1c84_9309 => {}
        cookie if cookie >> 16 == 0x0c72 => return Err(UNSUPPORTED[0]),
        _ => return Err(UNSUPPORTED[1]),
    }
    take_u32(&mut rest)?;
    let mut inflated = Vec::new();
    ZlibDecoder::new(rest)
        .take(LONGEST)
        .read_to_end(&mut inflated)
        .map_err(|_| BROKEN)?;
    histogram(&inflated)
}

/// The bits of a cookie that have the size of a count; they say nothing in V2.
const WORD_SIZE: u32 = 0xf0;

/// The encoding of counts: V2 takes as many bytes as each needs, and a negative number for a run of empty buckets.
#[derive(Clone, Copy)]
enum Word {
    Shortest,
    Bytes(u32),
}

/// A header of 40 bytes, in V0 of 32, then the counts of the buckets.
fn histogram(bytes: &[u8]) -> Result<Interval, &'static str> {
    let mut rest = bytes;
    let cookie = take_u32(&mut rest)?;
    let word = match (cookie & !WORD_SIZE, (cookie & WORD_SIZE) >> 4) {
        (0x1c84_9303, _) => Word::Shortest,
        (0x1c84_9301 | 0x1c84_9308, size @ (2 | 4 | 8)) => Word::Bytes(size),
        _ => return Err(BROKEN),
    };
    let is_first_version = cookie & !WORD_SIZE == 0x1c84_9308;
    let length = if is_first_version {
        None
    } else {
        Some(take_u32(&mut rest)?)
    };
    let offset = if is_first_version {
        0
    } else {
        take_u32(&mut rest)?
    };
    let digits = take_u32(&mut rest)?;
    let least = take_u64(&mut rest)?;
    let _most = take_u64(&mut rest)?;
    // In V0 the number of all values is there.
    let ratio = take_u64(&mut rest)?;
    let is_complete = length.is_none_or(|length| usize::try_from(length) == Ok(rest.len()));
    if !is_complete || digits > 5 {
        return Err(BROKEN);
    }
    // hdr-histogram-js writes integers for both, and reads neither.
    let is_plain = (offset == 0 && ratio == 1f64.to_bits()) || (offset <= 1 && ratio == 1);
    if !is_first_version && !is_plain {
        return Err(UNSUPPORTED[0]);
    }
    counts(rest, word, &Scale::new(digits, least))
}

fn counts(mut rest: &[u8], word: Word, scale: &Scale) -> Result<Interval, &'static str> {
    let mut counts = Interval::new();
    let mut index = 0u64;
    while !rest.is_empty() {
        let number = match word {
            Word::Shortest => take_number(&mut rest)?,
            Word::Bytes(size) => take_word(&mut rest, size)?,
        };
        if let none @ ..0 = number {
            index = index.checked_add(none.unsigned_abs()).ok_or(BROKEN)?;
            continue;
        }
        if counts.len() == MOST_VALUES {
            return Err(TOO_MANY);
        }
        if number > 0 {
            counts.push((scale.bucket(index).ok_or(BROKEN)?, number.unsigned_abs()));
        }
        index = index.checked_add(1).ok_or(BROKEN)?;
    }
    Ok(counts)
}

/// Bounds of the buckets: the first `2 * half` have `unit` values each, and each following `half` twice as many as the
/// one before.
struct Scale {
    unit: u32,
    half: u32,
}

impl Scale {
    /// Both as powers of two.
    fn new(digits: u32, least: u64) -> Self {
        let distinct = 2 * 10u64.pow(digits);
        Self {
            unit: least.max(1).ilog2(),
            half: distinct.next_power_of_two().ilog2() - 1,
        }
    }

    /// The bucket at a place, if there are such values.
    fn bucket(&self, index: u64) -> Option<Bucket> {
        let half = 1u64 << self.half;
        let doubled = (index >> self.half).saturating_sub(1);
        let within = if doubled == 0 {
            index
        } else {
            (index & (half - 1)) + half
        };
        let size = 1u64.checked_shl(u32::try_from(doubled).ok()?.checked_add(self.unit)?)?;
        Some((within.checked_mul(size)?, size))
    }
}

/// A number in as many bytes as it needs: 7 bits in each, the least first, but for a ninth, which has 8; its sign
/// in the least bit.
fn take_number(rest: &mut &[u8]) -> Result<i64, &'static str> {
    let mut number = 0u64;
    for place in 0..9 {
        let [byte] = take::<1>(rest)?;
        let is_last = place == 8 || byte < 0x80;
        let bits = if place == 8 { byte } else { byte & 0x7f };
        number |= u64::from(bits) << (7 * place);
        if is_last {
            break;
        }
    }
    let magnitude = i64::try_from(number >> 1).map_err(|_| BROKEN)?;
    Ok(if number & 1 == 0 {
        magnitude
    } else {
        !magnitude
    })
}

/// A count of a fixed size. None is negative.
fn take_word(rest: &mut &[u8], size: u32) -> Result<i64, &'static str> {
    let count = match size {
        2 => i16::from_be_bytes(take(rest)?).into(),
        4 => i32::from_be_bytes(take(rest)?).into(),
        _ => i64::from_be_bytes(take(rest)?),
    };
    if count < 0 { Err(BROKEN) } else { Ok(count) }
}

fn take_u64(rest: &mut &[u8]) -> Result<u64, &'static str> {
    take(rest).map(u64::from_be_bytes)
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, &'static str> {
    take(rest).map(u32::from_be_bytes)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], &'static str> {
    let (bytes, behind) = rest.split_first_chunk().ok_or(BROKEN)?;
    *rest = behind;
    Ok(*bytes)
}
