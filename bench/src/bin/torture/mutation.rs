//! Changes to an input: what damaged, hostile and merely unusual files have.

use crate::random::Random;
use crate::seeds::Seeds;

/// Texts that mean something to a parser, a terminal, a spreadsheet or a workflow.
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

/// The most changes of one input.
const MOST: usize = 8;

/// Upper bound on the size of a changed input, in bytes.
const LONGEST: usize = 2_000_000;

/// Changes an input several times.
pub(crate) fn mutate(text: &mut Vec<u8>, random: &mut Random, seeds: &Seeds) {
    for _ in 0..=random.below(MOST) {
        once(text, random, seeds);
        text.truncate(LONGEST);
    }
}

fn once(text: &mut Vec<u8>, random: &mut Random, seeds: &Seeds) {
    match random.below(14) {
        0 => flip(text, random),
        1 | 2 => insert(text, random),
        3 | 4 => replace_number(text, random),
        5 => remove(text, random),
        6 => text.truncate(random.below(text.len() + 1)),
        7 => repeat_line(text, random),
        8 => swap_lines(text, random),
        9 => splice(text, random, seeds),
        10 => repeat_piece(text, random),
        11 => replace_word(text, random),
        12 => text.retain(|byte| *byte != b'\r'),
        _ => encode(text, random),
    }
}

fn place(text: &[u8], random: &mut Random) -> usize {
    random.below(text.len() + 1)
}

fn flip(text: &mut [u8], random: &mut Random) {
    let at = random.below(text.len());
    if let Some(byte) = text.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn insert(text: &mut Vec<u8>, random: &mut Random) {
    let at = place(text, random);
    let token = random.pick(&TOKENS).as_bytes();
    text.splice(at..at, token.iter().copied());
}

/// Puts another number where one is.
fn replace_number(text: &mut Vec<u8>, random: &mut Random) {
    let from = place(text, random);
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = text[from..].iter().position(is_digit).map(|at| from + at) else { return };
    let length = text[start..].iter().take_while(|byte| is_digit(byte)).count();
    let number = random.pick(&TOKENS[..21]).as_bytes();
    text.splice(start..start + length, number.iter().copied());
}

/// Puts a text that means something where a word is.
fn replace_word(text: &mut Vec<u8>, random: &mut Random) {
    let from = place(text, random);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let Some(start) = text[from..].iter().position(is_letter).map(|at| from + at) else { return };
    let length = text[start..].iter().take_while(|byte| is_letter(byte)).count();
    let long = [b'x'; 1100];
    let word = if random.once_in(8) { &long[..] } else { random.pick(&TOKENS).as_bytes() };
    text.splice(start..start + length, word.iter().copied());
}

fn remove(text: &mut Vec<u8>, random: &mut Random) {
    let from = place(text, random);
    let to = (from + random.below(64)).min(text.len());
    text.drain(from..to);
}

/// The line at a random place.
fn line(text: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let at = place(text, random);
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1);
    start..end
}

fn repeat_line(text: &mut Vec<u8>, random: &mut Random) {
    let line = line(text, random);
    let times = if random.once_in(10) { 2_000 } else { 1 + random.below(4) };
    let repeated = text[line.clone()].repeat(times);
    text.splice(line.end..line.end, repeated);
}

fn swap_lines(text: &mut Vec<u8>, random: &mut Random) {
    let one = line(text, random);
    let moved: Vec<u8> = text.drain(one).collect();
    let at = line(text, random).start;
    text.splice(at..at, moved);
}

/// Puts a part of another fixture in.
fn splice(text: &mut Vec<u8>, random: &mut Random, seeds: &Seeds) {
    let other = seeds.input(random);
    let from = place(&other, random);
    let to = (from + random.below(4_000)).min(other.len());
    let at = place(text, random);
    text.splice(at..at, other[from..to].iter().copied());
}

/// Repeats some bytes: deep nesting, long names.
fn repeat_piece(text: &mut Vec<u8>, random: &mut Random) {
    let from = place(text, random);
    let to = (from + 1 + random.below(12)).min(text.len());
    let times = if random.once_in(10) { 20_000 } else { random.below(300) };
    let repeated = text[from..to].repeat(times);
    text.splice(to..to, repeated);
}

/// UTF-16, or a byte order mark.
fn encode(text: &mut Vec<u8>, random: &mut Random) {
    if random.once_in(2) {
        text.splice(0..0, [0xef, 0xbb, 0xbf]);
    } else if random.once_in(4) {
        let wide = String::from_utf8_lossy(text).encode_utf16().flat_map(u16::to_le_bytes).collect();
        *text = wide;
    }
}
