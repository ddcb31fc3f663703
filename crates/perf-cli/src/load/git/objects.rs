//! The contents of committed files, all by one `git cat-file`.

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::Failure;
use crate::file::MAX_TEXT;
use crate::git::Git;

/// Upper bound on the bytes of all contents: a history is kept in memory, and anybody can commit a large file.
const MOST: u64 = 8 * MAX_TEXT;

/// The result of reading a requested file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectContent {
    /// Its content.
    Text(Vec<u8>),
    /// The reason why its content cannot be read.
    Unreadable(String),
}

/// Reads the objects of these names, in their order.
pub(super) fn read(git: &Git, names: &[&str]) -> anyhow::Result<Vec<ObjectContent>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut command = git.command(&["cat-file", "--batch", "--buffer"]);
    command.stdin(std::process::Stdio::piped());
    let mut child = command.spawn().map_err(|error| git.cannot_start(error))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let asked: String = names.iter().flat_map(|name| [name, "\n"]).collect();
    let (read, said) = std::thread::scope(|scope| {
        // A pipe holds little: git does not take more names while nobody takes contents.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(asked.as_bytes())));
        let said = scope.spawn(move || {
            let mut said = Vec::new();
            stderr.map(|mut stderr| stderr.read_to_end(&mut said));
            said
        });
        let read = match stdout {
            Some(stdout) => objects(BufReader::with_capacity(64 * 1024, stdout), names.len()),
            None => Ok(Vec::new()),
        };
        if read.is_err() {
            let _ = child.kill();
        }
        (read, said.join().unwrap_or_default())
    });
    // What matters is what it said before it ended.
    let _ = child.wait();
    let objects =
        read.map_err(|error| Failure::new("cannot read what `git cat-file` says").because(error))?;
    if objects.len() < names.len() && !said.is_empty() {
        return Err(git.refused("cannot read committed files", &said).into());
    }
    Ok(objects)
}

fn objects(mut from: impl BufRead, count: usize) -> io::Result<Vec<ObjectContent>> {
    let (mut objects, mut left) = (Vec::new(), MOST);
    let mut header = Vec::new();
    while objects.len() < count {
        header.clear();
        // No header is longer than a name, a word and a number.
        if from.by_ref().take(256).read_until(b'\n', &mut header)? == 0 {
            break;
        }
        objects.push(object(&header, &mut from, &mut left)?);
    }
    Ok(objects)
}

/// One object behind its header: `<name> blob <size>`, then the content and a line end; or `<name> missing`.
fn object(header: &[u8], from: &mut impl BufRead, left: &mut u64) -> io::Result<ObjectContent> {
    let header = String::from_utf8_lossy(header);
    let mut words = header.split_whitespace().skip(1);
    let (kind, size) =
        (words.next().unwrap_or_default(), words.next().and_then(|size| size.parse::<u64>().ok()));
    let Some(size) = size else {
        let why = "the clone does not have its content, and could not fetch it".to_owned();
        return Ok(ObjectContent::Unreadable(why));
    };
    if kind != "blob" || size > MAX_TEXT || size > *left {
        io::copy(&mut from.take(size + 1), &mut io::sink())?;
        let limit = MAX_TEXT / (1024 * 1024);
        return Ok(ObjectContent::Unreadable(match kind {
            "blob" if size > MAX_TEXT => format!("it has more than {limit} MiB"),
            "blob" => format!("all versions together have more than {} MiB", MOST / (1024 * 1024)),
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
