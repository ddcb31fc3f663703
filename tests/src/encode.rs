//! Text in the encodings of other systems.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The text with Windows line endings.
pub fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// UTF-8 with a byte order mark.
pub fn utf8_with_mark(text: &str) -> Vec<u8> {
    [b"\xEF\xBB\xBF", text.as_bytes()].concat()
}

/// UTF-16 with a byte order mark, like the output of a redirection in PowerShell 5.
pub fn utf16_le(text: &str) -> Vec<u8> {
    utf16(text, u16::to_le_bytes)
}

/// UTF-16 with a byte order mark, big-endian.
pub fn utf16_be(text: &str) -> Vec<u8> {
    utf16(text, u16::to_be_bytes)
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(bytes)
        .collect()
}

/// Compresses like `gzip`.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}
