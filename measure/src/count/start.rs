//! Whether a program is started by a dynamic linker, like the no-op.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::bench_tools::started_program;

use crate::process::CommandSpec;

/// How many bytes of a program to read for its headers.
const HEAD: u64 = 1 << 16;
/// The program header type for the path of the dynamic linker.
const INTERPRETER: u64 = 3;

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

/// Whether an ELF file specifies a dynamic linker; `None` for other files.
fn has_dynamic_linker(head: &[u8]) -> Option<bool> {
    let rest = head.strip_prefix(b"\x7fELF")?;
    let [class, order, ..] = rest else {
        return None;
    };
    let is_little = *order == 1;
    // Offset and size of each field, by the width of addresses.
    let (offset, size_of_header, number) = match class {
        1 => ((28, 4), (42, 2), (44, 2)),
        2 => ((32, 8), (54, 2), (56, 2)),
        _ => return None,
    };
    let field = |place| number_at(head, place, is_little);
    let (offset, size, number) = (field(offset)?, field(size_of_header)?, field(number)?);
    for header in 0..number {
        let place = offset.checked_add(header.checked_mul(size)?)?;
        let kind = number_at(head, (usize::try_from(place).ok()?, 4), is_little)?;
        if kind == INTERPRETER {
            return Some(true);
        }
    }
    Some(false)
}

/// Reads an unsigned number of this many bytes.
fn number_at(bytes: &[u8], (at, size): (usize, usize), is_little: bool) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(size)?)?;
    let mut number = 0;
    for index in 0..size {
        let byte = field[if is_little { size - 1 - index } else { index }];
        number = number << 8 | u64::from(byte);
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64-bit ELF header with program headers of these types.
    fn elf(kinds: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 * kinds.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[32], bytes[54]) = (64, 56);
        bytes[56] = u8::try_from(kinds.len()).unwrap();
        for (at, kind) in kinds.iter().enumerate() {
            bytes[64 + 56 * at] = *kind;
        }
        bytes
    }

    #[test]
    fn program_without_interpreter_header_is_static() {
        assert_eq!(has_dynamic_linker(&elf(&[6, 3, 1])), Some(true));
        assert_eq!(has_dynamic_linker(&elf(&[1, 2])), Some(false));
        assert_eq!(has_dynamic_linker(b"#!/bin/sh\n"), None);
        assert_eq!(has_dynamic_linker(b"\x7fELF"), None);
        let cut = &elf(&[1, 1])[..100];
        assert_eq!(has_dynamic_linker(cut), None, "headers beyond the end");
        let mut hostile = elf(&[1]);
        hostile[32..40].fill(0xff);
        assert_eq!(has_dynamic_linker(&hostile), None);
    }
}
