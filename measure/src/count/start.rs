//! Whether a program is started by a dynamic linker, like the no-op.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::bench_tools::started_program;

use crate::process::CommandSpec;

/// How many bytes of a program to search. Linkers put the path directly after the headers.
const HEAD: u64 = 1 << 12;

/// Whether the command starts a static program, which takes fewer instructions to start than the no-op.
pub fn is_static(line: &CommandSpec) -> bool {
    let Some(program) = started_program(&line.words) else {
        return false;
    };
    let Some(path) = find(program, &line.folder) else {
        return false;
    };
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && has_dynamic_linker(&head) == Some(false)
}

/// Finds a program by its path or in `PATH`.
fn find(word: &std::ffi::OsStr, folder: &Path) -> Option<PathBuf> {
    if Path::new(word).components().count() > 1 {
        return Some(folder.join(word));
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|path| path.join(word))
        .find(|path| path.is_file())
}

/// Whether the beginning of an ELF file contains the path of a dynamic linker, such as `/lib64/ld-linux-x86-64.so.2` or
/// `/lib/ld-musl-x86_64.so.1`; `None` for other files.
fn has_dynamic_linker(head: &[u8]) -> Option<bool> {
    head.starts_with(b"\x7fELF")
        .then(|| head.windows(4).any(|four| four == b"/ld-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_without_dynamic_linker_is_static() {
        let dynamic = b"\x7fELF\x02\x01\0\0/lib64/ld-linux-x86-64.so.2\0";
        assert_eq!(has_dynamic_linker(dynamic), Some(true));
        assert_eq!(has_dynamic_linker(b"\x7fELF\x02\x01"), Some(false));
        assert_eq!(has_dynamic_linker(b"#!/bin/sh\n"), None);
    }
}
