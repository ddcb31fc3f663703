//! Mutations of an input, as in damaged, hostile and unusual files.

use crate::random::Random;
use crate::seeds::Seeds;

/// Texts with a meaning to a parser, a terminal, a spreadsheet or a workflow.
const TOKENS: [&str; 44] = [
    "-1",
    "0",
    "-0",
    "1e999",
    "-1e999",
    "1e-400",
    "NaN",
    "Infinity",
    "null",
    "true",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "999999",
    "1000000",
    "999999999",
    "1000000000",
    "-2",
    "0.99996",
    "-0.99996",
    "1e15",
    "\"",
    "'",
    "\\",
    ",",
    ";",
    "\t",
    "|",
    "{",
    "}",
    "[",
    "]",
    "<",
    "&lt;",
    "]]>",
    "\n",
    "\r\n",
    "::set-output name=x::y",
    "##[error]x",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{9b}1m",
    "scenario",
    "@octocat",
];

/// The most mutations of one input.
const MOST: usize = 8;

/// The largest size of a mutated input, in bytes.
const LONGEST: usize = 2_000_000;

/// Mutates an input several times.
pub(crate) fn mutate(text: &mut Vec<u8>, random: &mut Random, seeds: &Seeds) {
    for _ in 0..=random.below(MOST) {
        once(text, random, seeds);
        text.truncate(LONGEST);
    }
}

fn once(text: &mut Vec<u8>, random: &mut Random, seeds: &Seeds) {
    let at = place(text, random);
    match random.below(14) {
        0 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 | 2 => drop(text.splice(at..at, random.pick(&TOKENS).bytes())),
        3 | 4 => replace(
            text,
            at,
            u8::is_ascii_digit,
            random.pick(&TOKENS[..21]).as_bytes(),
        ),
        5 => drop(text.drain(at..(at + random.below(64)).min(text.len()))),
        6 => text.truncate(at),
        7 => {
            let line = line(text, at);
            let times = if random.once_in(10) {
                2_000
            } else {
                1 + random.below(4)
            };
            let repeated = text[line.clone()].repeat(times);
            text.splice(line.end..line.end, repeated);
        }
        8 => {
            let moved: Vec<u8> = text.drain(line(text, at)).collect();
            let to = line(text, place(text, random)).start;
            text.splice(to..to, moved);
        }
        9 => {
            // Insert a part of another fixture.
            let other = seeds.input(random);
            let from = place(&other, random);
            let to = (from + random.below(4_000)).min(other.len());
            text.splice(at..at, other[from..to].iter().copied());
        }
        10 => {
            // Deep nesting or long names.
            let to = (at + 1 + random.below(12)).min(text.len());
            let times = if random.once_in(10) {
                20_000
            } else {
                random.below(300)
            };
            let repeated = text[at..to].repeat(times);
            text.splice(to..to, repeated);
        }
        11 => {
            let long = [b'x'; 1100];
            let word = if random.once_in(8) {
                &long[..]
            } else {
                random.pick(&TOKENS).as_bytes()
            };
            replace(text, at, u8::is_ascii_alphabetic, word);
        }
        12 => text.retain(|byte| *byte != b'\r'),
        // A byte order mark, or UTF-16.
        _ if random.once_in(2) => drop(text.splice(0..0, [0xef, 0xbb, 0xbf])),
        _ if random.once_in(4) => {
            let wide = String::from_utf8_lossy(text)
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect();
            *text = wide;
        }
        _ => {}
    }
}

fn place(text: &[u8], random: &mut Random) -> usize {
    random.below(text.len() + 1)
}

/// Replaces the next word or number; `belongs` recognises its bytes.
fn replace(text: &mut Vec<u8>, from: usize, belongs: fn(&u8) -> bool, other: &[u8]) {
    let Some(start) = text[from..].iter().position(belongs).map(|at| from + at) else {
        return;
    };
    let length = text[start..]
        .iter()
        .take_while(|byte| belongs(byte))
        .count();
    text.splice(start..start + length, other.iter().copied());
}

fn line(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = text[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let end = text[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(text.len(), |end| at + end + 1);
    start..end
}
