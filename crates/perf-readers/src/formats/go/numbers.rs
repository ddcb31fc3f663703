//! The numbers on a line of results: `BenchmarkName-8  100  12.5 ns/op`.

use perf_model::row::Value;

/// The iterations of a benchmark, and its values with their units.
pub(crate) struct Numbers<'a> {
    pub rounds: u64,
    pub values: Vec<(Value, &'a str)>,
    /// The reason for the first invalid number.
    pub not_finite: Option<String>,
}

/// The numbers, or why they cannot be read.
type Read<'a> = Result<Numbers<'a>, String>;

/// The name and the numbers of a line of results; `None` when it is something else.
pub(crate) fn result(line: &str) -> Option<(&str, Read<'_>)> {
    if !line.starts_with("Benchmark") {
        return None;
    }
    let is_plain = |byte: &u8| byte.is_ascii() && !is_space(*byte);
    let end = line.bytes().take_while(is_plain).count();
    let is_ascii = line.as_bytes().get(end).is_some_and(u8::is_ascii);
    let (name, rest) = if is_ascii {
        (&line[..end], &line[end + 1..])
    } else {
        line.split_once(char::is_whitespace)?
    };
    let numbers = numbers(rest)?;
    let is_bare = numbers
        .as_ref()
        .is_ok_and(|numbers| numbers.values.is_empty() && numbers.not_finite.is_none());
    (!is_bare || rest.contains('\t')).then_some((name, numbers))
}

/// Reads the number of iterations, then values with their units; `None` if the text is something else.
pub(crate) fn numbers(text: &str) -> Option<Read<'_>> {
    if text.is_ascii() {
        read(text, words(text))
    } else {
        read(text, text.split_whitespace())
    }
}

/// As `char::is_whitespace`, for ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// The words of a text that is ASCII.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(|byte| !is_space(byte))?;
        let length = rest[start..]
            .bytes()
            .position(is_space)
            .unwrap_or(rest.len() - start);
        let (word, behind) = rest[start..].split_at(length);
        rest = behind;
        Some(word)
    })
}

fn read<'a>(text: &'a str, mut words: impl Iterator<Item = &'a str>) -> Option<Read<'a>> {
    let rounds = words.next()?;
    // A tab stands behind the rounds, but in prose.
    let is_tabbed = || {
        text.trim_start()[rounds.len()..]
            .trim_start_matches(' ')
            .starts_with('\t')
    };
    // Some group what they paste.
    let count = rounds
        .parse()
        .or_else(|_| rounds.replace(',', "").parse())
        .ok()?;
    let mut numbers = Numbers {
        rounds: count,
        values: Vec::with_capacity(4),
        not_finite: None,
    };
    while let Some(number) = words.next() {
        let value = Value::parse(number);
        let is_float = || number.parse::<f64>().is_ok();
        let Some(unit) = words.next() else {
            let is_number = value.is_some() || is_float();
            return is_number.then(|| Err(format!("line is cut off: `{number}` has no unit")));
        };
        match value {
            Some(_) if Value::parse(unit).is_some() => return None,
            Some(value) => numbers.values.push((value, unit)),
            None if is_float() => {
                let problem = || format!("number is not finite: `{number}` (unit `{unit}`)");
                numbers.not_finite.get_or_insert_with(problem);
            }
            None if is_tabbed() || unit.ends_with("/op") => {
                return Some(Err(format!("invalid number `{number}` (unit `{unit}`)")));
            }
            None => return None,
        }
    }
    Some(Ok(numbers))
}
