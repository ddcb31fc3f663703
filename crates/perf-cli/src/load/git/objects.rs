//! Reads the contents of committed files with a single `git cat-file`.

use std::io::{self, BufRead, BufReader, Read};
use std::process::ChildStdout;

use crate::file::MAX_TEXT;
use crate::git::Git;

/// Limit for the bytes of all contents: a history is kept in memory, and anybody can commit a large file.
const MOST: u64 = 8 * MAX_TEXT;

/// The result of reading a requested file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectContent {
    Text(Vec<u8>),
    /// Why its content cannot be read.
    Unreadable(String),
}

/// Reads these objects, in this order.
pub(super) fn read(git: &Git, names: &[&str]) -> anyhow::Result<Vec<ObjectContent>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked: String = names.iter().flat_map(|name| [name, "\n"]).collect();
    let read =
        |stdout: ChildStdout| objects(BufReader::with_capacity(64 * 1024, stdout), names.len());
    let streamed = git.streamed(&["cat-file", "--batch", "--buffer"], &asked, read, |_| true)?;
    if streamed.output.len() < names.len() && !streamed.stderr.is_empty() {
        return Err(git
            .refused("cannot read committed files", &streamed.stderr)
            .into());
    }
    Ok(streamed.output)
}

fn objects(mut from: impl BufRead, count: usize) -> io::Result<Vec<ObjectContent>> {
    let (mut objects, mut left) = (Vec::new(), MOST);
    let mut header = Vec::new();
    while objects.len() < count {
        header.clear();
        // A header is a name, a word and a number, so this is long enough.
        if from.by_ref().take(256).read_until(b'\n', &mut header)? == 0 {
            break;
        }
        objects.push(object(&header, &mut from, &mut left)?);
    }
    Ok(objects)
}

/// Reads one object: `<name> blob <size>`, then the content and a line end; or `<name> missing`.
fn object(header: &[u8], from: &mut impl BufRead, left: &mut u64) -> io::Result<ObjectContent> {
    let header = String::from_utf8_lossy(header);
    let mut words = header.split_whitespace().skip(1);
    let (kind, size) = (
        words.next().unwrap_or_default(),
        words.next().and_then(|size| size.parse::<u64>().ok()),
    );
    let Some(size) = size else {
        let why = "the clone does not have its content, and could not fetch it".to_owned();
        return Ok(ObjectContent::Unreadable(why));
    };
    if kind != "blob" || size > MAX_TEXT || size > *left {
        io::copy(&mut from.take(size + 1), &mut io::sink())?;
        let limit = MAX_TEXT / (1024 * 1024);
        return Ok(ObjectContent::Unreadable(match kind {
            "blob" if size > MAX_TEXT => format!("it has more than {limit} MiB"),
            "blob" => format!(
                "all versions together have more than {} MiB",
                MOST / (1024 * 1024)
            ),
            _ => format!("it is a {kind}, not a file"),
        }));
    }
    *left -= size;
    let mut text = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    from.take(size).read_to_end(&mut text)?;
    if text.len() as u64 != size || from.read(&mut [0])? != 1 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(ObjectContent::Text(text))
}
