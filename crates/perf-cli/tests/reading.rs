//! Reading as streams and as whole texts, and the errors.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use perf_cli::{file, input};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::error_text;

const LOG: &str = "scenario,platform\nFlood,µs 表 🐎\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .unwrap_or_default()
}

fn utf16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(bytes)
        .collect()
}

/// Reads in pieces of `size` bytes, so nothing depends on the caller's buffer.
fn pieces(path: &Path, size: usize) -> anyhow::Result<Vec<u8>> {
    let mut input = input::open(path)?;
    let (mut whole, mut piece) = (Vec::new(), vec![0; size]);
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(whole),
            Ok(length) => whole.extend_from_slice(&piece[..length]),
            Err(error) => return Err(input::cannot_read(&input.name, error).into()),
        }
    }
}

fn streamed(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let folder = TempDir::new()?;
    let path = folder.path().join("run.log");
    fs::write(&path, bytes)?;
    let whole = pieces(&path, 1 << 20)?;
    assert_eq!(pieces(&path, 3)?, whole);
    Ok(whole)
}

#[test]
fn every_encoding_arrives_as_the_same_text() {
    let marked = format!("\u{feff}{LOG}").into_bytes();
    let (little, big) = (
        utf16(LOG, true, u16::to_le_bytes),
        utf16(LOG, true, u16::to_be_bytes),
    );
    let bare = [
        utf16(LOG, false, u16::to_le_bytes),
        utf16(LOG, false, u16::to_be_bytes),
    ];
    for bytes in [LOG.as_bytes().to_vec(), marked, little, big]
        .into_iter()
        .chain(bare)
    {
        assert_eq!(streamed(&bytes).unwrap(), LOG.as_bytes(), "{bytes:?}");
        assert_eq!(
            streamed(&gzip(&bytes)).unwrap(),
            LOG.as_bytes(),
            "gzip of {bytes:?}"
        );
    }
}

#[test]
fn long_input_is_read_completely() {
    let long = "Flood,Editor,5201314,🐎\n".repeat(50_000);
    assert!(streamed(long.as_bytes()).unwrap() == long.as_bytes());
    assert!(streamed(&gzip(long.as_bytes())).unwrap() == long.as_bytes());
    assert!(streamed(&gzip(&utf16(&long, true, u16::to_le_bytes))).unwrap() == long.as_bytes());
}

#[test]
fn joined_gzip_files_are_one_text() {
    assert_eq!(
        streamed(&[gzip(b"one\n"), gzip(b"two\n")].concat()).unwrap(),
        b"one\ntwo\n"
    );
}

#[test]
fn binary_content_passes_unchanged() {
    for bytes in [
        &b""[..],
        b"\x1f",
        b"\xff",
        b"\xef\xbb",
        b"a\0b\xff\xfe\0\0\x80",
        b"\0\0\0\0\0\0\0\0\0\0",
    ] {
        assert_eq!(streamed(bytes).unwrap(), bytes);
    }
    assert_eq!(streamed(b"\xff\xfea\0b").unwrap(), "a\u{fffd}".as_bytes());
    assert_eq!(
        streamed(b"\xff\xfe\0\xd8a\0").unwrap(),
        "\u{fffd}a".as_bytes()
    );
}

#[test]
fn broken_gzip_error_contains_file_and_cause() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run.log.gz");
    let noise: Vec<u8> = (0..90_000_u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let whole = gzip(&noise);
    let tell = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        error_text(&pieces(&path, 1 << 20).unwrap_err(), folder.path())
    };
    let mut damaged = whole.clone();
    let end = damaged.len();
    damaged[end - 6] ^= 1;
    insta::assert_snapshot!(tell(&whole[..end - 100]), @"cannot read `DIR/run.log.gz`: incomplete deflate stream");
    insta::assert_snapshot!(tell(&whole[..5]), @"cannot read `DIR/run.log.gz`: unexpected end of file");
    insta::assert_snapshot!(tell(&damaged), @"cannot read `DIR/run.log.gz`: corrupt gzip stream does not have a matching checksum");
    insta::assert_snapshot!(tell(b"\x1f\x8bno gzip at all"), @"cannot read `DIR/run.log.gz`: invalid gzip header");
}

#[test]
fn open_error_contains_the_path() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("bench-Results.csv"), "x").unwrap();
    fs::write(path("unrelated.md"), "x").unwrap();
    let open = |name: &str| error_text(&input::open(&path(name)).unwrap_err(), folder.path());
    insta::assert_snapshot!(open("bench-result.csv"), @"
    `DIR/bench-result.csv` does not exist
    hint: did you mean `DIR/bench-Results.csv`?
    ");
    insta::assert_snapshot!(open("baseline.csv"), @"`DIR/baseline.csv` does not exist");
    insta::assert_snapshot!(open("nowhere/run.log"), @"
    `DIR/nowhere/run.log` does not exist
    hint: no folder `DIR/nowhere`
    ");
    let text = |name: &str| error_text(&file::read_text(&path(name)).unwrap_err(), folder.path());
    insta::assert_snapshot!(text("."), @"
    cannot read `DIR/.`: it is a directory
    hint: pass a file in it
    ");
    insta::assert_snapshot!(error_text(&input::open(folder.path()).unwrap_err(), folder.path()), @"
    cannot read `DIR`: it is a directory
    hint: pass a file in it
    ");
    insta::assert_snapshot!(error_text(&input::open(Path::new("")).unwrap_err(), folder.path()), @"
    cannot read a file without a name
    hint: is a variable empty?
    ");
}

#[test]
fn a_text_is_read_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("page.md");
    for text in ["", "\u{feff}# a\r\nb", "a\0b", LOG] {
        fs::write(&path, text).unwrap();
        assert_eq!(file::read_text(&path).unwrap(), text);
        assert_eq!(
            file::read_text_if_exists(&path).unwrap().as_deref(),
            Some(text)
        );
    }
}

#[test]
fn a_text_that_is_not_utf8_is_reported_with_its_place() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("page.md");
    let tell = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        error_text(&file::read_text(&path).unwrap_err(), folder.path())
    };
    insta::assert_snapshot!(tell(b"one\ntwo\nth\xffree"), @"`DIR/page.md` is not UTF-8: line 3, byte offset 10");
    insta::assert_snapshot!(tell(b"\xe4"), @"`DIR/page.md` is not UTF-8: line 1, byte offset 0");
    insta::assert_snapshot!(tell(&utf16("# page\n", true, u16::to_le_bytes)), @"
    `DIR/page.md` is not UTF-8: line 1, byte offset 0
    hint: it looks like UTF-16LE; save it as UTF-8
    ");
    insta::assert_snapshot!(tell(&utf16("# caf\u{e9} \u{e9}\n", false, u16::to_be_bytes)), @"
    `DIR/page.md` is not UTF-8: line 1, byte offset 11
    hint: it looks like UTF-16BE; save it as UTF-8
    ");
    assert_eq!(
        tell(b"one\n\xff"),
        error_text(
            &file::read_text_if_exists(&path).unwrap_err(),
            folder.path()
        )
    );
}

#[test]
fn too_large_text_is_rejected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("page.md");
    let sparse = fs::File::create(&path).unwrap();
    sparse.set_len(file::MAX_TEXT).unwrap();
    assert_eq!(file::read_text(&path).unwrap().len() as u64, file::MAX_TEXT);
    sparse.set_len(file::MAX_TEXT + 1).unwrap();
    let error = file::read_text(&path).unwrap_err();
    insta::assert_snapshot!(error_text(&error, folder.path()), @"`DIR/page.md` is too large for a text file: more than 64 MiB");
}

#[test]
fn only_an_absent_file_counts_as_absent() {
    let folder = TempDir::new().unwrap();
    let absent = |path: &str| {
        file::read_text_if_exists(&folder.path().join(path)).map(|text| text.is_none())
    };
    assert!(absent("baseline.csv").unwrap());
    assert!(absent("nowhere/baseline.csv").unwrap());
    fs::write(folder.path().join("file"), "x").unwrap();
    assert!(!absent("file").unwrap());
    assert!(absent(".").is_err());
    assert!(file::read_text_if_exists(Path::new("")).is_err());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use perf_cli::failure;

    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_not_absent() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("baseline.csv");
        symlink("gone.csv", &path).unwrap();
        let error = file::read_text_if_exists(&path).unwrap_err();
        insta::assert_snapshot!(error_text(&error, folder.path()), @"`DIR/baseline.csv` is a link to `gone.csv`, which does not exist");
        symlink("baseline.csv", folder.path().join("gone.csv")).unwrap();
        assert!(
            error_text(&input::open(&path).unwrap_err(), folder.path())
                .starts_with("cannot read `DIR/baseline.csv`: ")
        );
    }

    #[test]
    fn a_hostile_name_is_reported_harmlessly() {
        let error = input::open(Path::new("a\u{1b}[2J\n::error::.log")).unwrap_err();
        insta::assert_snapshot!(failure::message(&error), @r"`a�[2J\n::error::.log` does not exist");
    }

    #[test]
    fn a_file_under_a_file_is_not_absent() {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        assert!(file::read_text_if_exists(&folder.path().join("file/baseline.csv")).is_err());
    }

    #[test]
    fn an_unreadable_file_is_reported_with_its_path() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("run.log");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // Root can read it anyway.
        if let Err(error) = file::read_text_if_exists(&path) {
            insta::assert_snapshot!(error_text(&error, folder.path()), @"cannot read `DIR/run.log`: Permission denied (os error 13)");
            assert!(input::open(&path).is_err());
        }
    }

    #[test]
    fn endless_file_is_an_error_and_empty_one_is_read() {
        let error = file::read_text(Path::new("/dev/zero")).unwrap_err();
        insta::assert_snapshot!(failure::message(&error), @"`/dev/zero` is too large for a text file: more than 64 MiB");
        assert_eq!(file::read_text(Path::new("/dev/null")).unwrap(), "");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_can_be_read_and_any_text_survives(bytes: Vec<u8>, text in "[a-z]{8}\\PC*", size in 1..40_usize) {
        let folder = TempDir::new()?;
        let path = folder.path().join("run.log");
        for start in [&b""[..], b"\x1f\x8b", b"\x1f\x8b\x08\0", b"\xff\xfe", b"\xfe\xff"] {
            fs::write(&path, [start, &bytes].concat())?;
            let _ = pieces(&path, size);
            let _ = file::read_text(&path);
        }
        for encoded in [utf16(&text, true, u16::to_be_bytes), text.clone().into_bytes()] {
            fs::write(&path, gzip(&encoded))?;
            prop_assert_eq!(pieces(&path, size).unwrap_or_default(), text.as_bytes());
        }
    }
}
