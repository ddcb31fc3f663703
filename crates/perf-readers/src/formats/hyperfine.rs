//! hyperfine's `--export-json`, which contains every run's time for each command, in seconds.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("hyperfine")
    .about("hyperfine --export-json: time of every run, user and system time, memory")
    .keys("{", KEYS)
    .document(|input, sink| json::pieces(input, sink, &[&["results", "*"]], rows));

const KEYS: KeySets = &[
    (&["results", "command", "mean"], Likeness::Yes),
    (
        &["results", "command"],
        Likeness::Near("has `results` with a `command`, but without `mean`"),
    ),
    (
        &["results", "mean", "stddev", "user", "system"],
        Likeness::Near("has `results`, but without `command`"),
    ),
];

const COMMAND: Shape = Shape::of("a command", &["command"]);

const HEADLINE: [(&str, &str); 4] = [
    ("timeS", "mean"),
    ("timeS.stddev", "stddev"),
    ("timeS.min", "min"),
    ("timeS.max", "max"),
];

fn rows(piece: &Piece<'_>, sink: &mut Rows<'_>) {
    let Some(command) = piece.object(COMMAND, sink) else {
        return;
    };
    let name = sink.apart(name(&command), command.text_or_empty("command"));
    let cells = Cells::of(&name);
    let (times, memory) = (
        command.samples("times"),
        command.samples("memory_usage_byte"),
    );
    // `null` means that a signal ended the run.
    let is_failed = |code: &Json<'_>| *code != Json::Number(Value::Int(0));
    let exit_codes = command.list("exit_codes");
    let failures = exit_codes.iter().filter(|code| is_failed(code)).count();
    for ((run, time), run_index) in times.iter().enumerate().zip(0..) {
        let has_failed = exit_codes.get(run).is_some_and(is_failed);
        let sample = Cells { run_index, ..cells }.failed_if(has_failed);
        let memory = memory.get(run).copied().flatten();
        let metrics = [("timeS", *time), ("memoryBytes", memory)];
        sink.measured(piece.line, &sample, metrics);
    }
    // The summary includes failed runs, so it is not used if there are any.
    if failures > 0 {
        if times.is_empty() {
            sink.without_metrics(piece.line, &cells, Outcome::Failed);
        }
        return;
    }
    // With a row for every run, a summary row adds nothing.
    let mut summary = if times.is_empty() {
        command.metrics(&HEADLINE)
    } else {
        Metrics::default()
    };
    summary.extend(command.metrics(&[("userS", "user"), ("systemS", "system")]));
    if times.is_empty() || !summary.is_empty() {
        sink.measured(piece.line, &cells, &summary);
    }
}

/// Returns the command, followed by the parameters, which a custom name does not contain.
fn name(timed: &Json<'_>) -> String {
    let parameters = timed.at("parameters").entries().iter();
    let parameters = parameters.map(|(name, value)| command::shown(&format!("{name}={value}")));
    with_details(
        &command::shown(timed.text_or_empty("command")),
        &parameters.collect::<Vec<_>>(),
    )
}
