//! Reads Go profiles in the format of `go tool pprof -raw`.

use std::collections::HashMap;

use anyhow::Context;

use super::Profile;
use super::build::Builder;

const TRUNCATED: &str = "the profile is truncated";

/// Reads samples. Inlined functions have separate frames.
pub fn read(text: &str) -> anyhow::Result<Profile> {
    let (_, rest) = text
        .split_once("Samples:\n")
        .context("the profile contains no samples")?;
    let (samples, rest) = rest.split_once("\nLocations\n").context(TRUNCATED)?;
    let (locations, _) = rest.split_once("\nMappings").context(TRUNCATED)?;
    let mut builder = Builder::default();
    let places = places(locations, &mut builder);
    // The first line contains the names of the values.
    let mut stacks = Vec::new();
    for line in samples.lines().skip(1) {
        // Labels are on separate lines.
        let Some((values, stack)) = line.split_once(": ") else {
            continue;
        };
        let Some(Ok(count)) = values.split_whitespace().next().map(str::parse::<f64>) else {
            continue;
        };
        let mut frames = Vec::new();
        for id in stack.split_whitespace() {
            let place = places.get(id).context(TRUNCATED)?;
            frames.extend(place);
        }
        frames.reverse();
        stacks.push((frames, count));
    }
    let [runner, collector] =
        ["testing.(*B).runN", "runtime.GC"].map(|name| builder.function(name, None));
    let is_measured = |frames: &[usize]| {
        let at = frames.iter().position(|frame| *frame == runner);
        at.is_some_and(|at| frames.get(at + 1).is_some_and(|next| *next != collector))
    };
    if stacks.iter().any(|(frames, _)| is_measured(frames)) {
        // The other stacks belong to the benchmark tool, such as garbage collections between two runs.
        stacks.retain(|(frames, _)| is_measured(frames));
    }
    for (frames, count) in stacks {
        builder.stack(frames, count);
    }
    builder.of_stacks()
}

/// The functions at each location, innermost first.
fn places<'t>(locations: &'t str, builder: &mut Builder) -> HashMap<&'t str, Vec<usize>> {
    let (mut places, mut last) = (HashMap::<&str, Vec<usize>>::new(), "");
    for line in locations.lines() {
        // `1: 0x43f09e M=1 name file:line s=0`, followed by lines for the functions into which it is inlined.
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.get(1).is_some_and(|word| word.starts_with("0x")) {
            last = words[0].trim_end_matches(':');
            places.entry(last).or_default();
            words.drain(..2);
        }
        words.retain(|word| !word.starts_with("M=") && !word.starts_with("s="));
        let [name, place @ ..] = &words[..] else {
            continue;
        };
        let place = place.join(" ");
        let (file, number) = place.rsplit_once(':').unwrap_or((&place, ""));
        let function = builder.function(name, Some(file));
        builder.line(function, number.parse().unwrap_or_default());
        places.entry(last).or_default().push(function);
    }
    places
}
