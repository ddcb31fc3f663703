//! Decodes a byte stream to UTF-8: gzip, then UTF-16 and byte order marks.

use std::io::{self, Cursor, Read};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

/// The number of bytes to read first: most files in a results folder are smaller.
const HEAD: usize = 8 * 1024;
/// The number of bytes for detecting an encoding.
const LOOKED_AT: usize = 512;
/// The number of UTF-16 bytes to decode at a time.
const CHUNK: usize = 64 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];

pub(crate) type Stream = Box<dyn Read + Send>;

/// The text of `source`: decompressed if it is gzip, UTF-8 if it is UTF-16, without a byte order mark. Other content
/// passes unchanged from `source` into the reader's buffer.
pub(crate) fn text(mut source: impl Read + Send + 'static) -> io::Result<Stream> {
    let head = head(&mut source)?;
    if !head.starts_with(&GZIP) {
        return utf8(head, source);
    }
    let mut unpacked = Gunzip(MultiGzDecoder::new(Cursor::new(head).chain(source)));
    let head = self::head(&mut unpacked)?;
    utf8(head, unpacked)
}

/// The first bytes of a stream; fewer than [`HEAD`] only at its end.
fn head(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    source.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn utf8(mut head: Vec<u8>, rest: impl Read + Send + 'static) -> io::Result<Stream> {
    let (encoding, mark) = Encoding::for_bom(&head)
        .unwrap_or_else(|| (unmarked(&head[..head.len().min(LOOKED_AT)]), 0));
    let is_all = head.len() < HEAD;
    head.drain(..mark);
    let head = Cursor::new(head);
    if encoding == UTF_8 && is_all {
        return Ok(Box::new(head));
    }
    let whole = head.chain(rest);
    if encoding == UTF_8 {
        return Ok(Box::new(whole));
    }
    let mut decoder = DecodeReaderBytesBuilder::new();
    decoder.encoding(Some(encoding)).bom_sniffing(false);
    Ok(Box::new(decoder.build_with_buffer(whole, vec![0; CHUNK])?))
}

/// The encoding of text without a byte order mark: UTF-16 if nearly every other byte is NUL, as in English text, and no
/// byte between them is.
pub(crate) fn unmarked(head: &[u8]) -> &'static Encoding {
    let pairs = head.chunks_exact(2);
    let count = pairs.len();
    let (first, second) = pairs.fold((0, 0), |(first, second), pair| {
        (
            first + usize::from(pair[0] == 0),
            second + usize::from(pair[1] == 0),
        )
    });
    let nearly_all = |nuls: usize| count >= 4 && nuls * 4 >= count * 3;
    match (first, second) {
        (0, nuls) if nearly_all(nuls) => UTF_16LE,
        (nuls, 0) if nearly_all(nuls) => UTF_16BE,
        _ => UTF_8,
    }
}

/// A gzip decoder whose errors mention gzip.
struct Gunzip<R>(MultiGzDecoder<R>);

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            kind @ io::ErrorKind::UnexpectedEof => io::Error::new(kind, "gzip data ends early"),
            kind @ (io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                io::Error::new(kind, format!("gzip data is damaged: {error}"))
            }
            _ => error,
        })
    }
}
