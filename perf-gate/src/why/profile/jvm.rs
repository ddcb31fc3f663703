//! Reads JVM samples in the format of `jfr print --json --events jdk.ExecutionSample`.

use serde::Deserialize;

use crate::why::profile::build::Builder;
use crate::why::profile::{Profile, Unreadable, from_json};

const TOOL: &str = "the JVM";

#[derive(Deserialize)]
struct File {
    recording: Recording,
}

#[derive(Deserialize)]
struct Recording {
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    values: Values,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Values {
    stack_trace: Option<Stack>,
}

#[derive(Deserialize)]
struct Stack {
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    method: Method,
    line_number: i64,
}

#[derive(Deserialize)]
struct Method {
    r#type: Class,
    name: String,
}

#[derive(Deserialize)]
struct Class {
    name: String,
}

/// Reads the recordings of all processes.
pub fn read(texts: &[&str]) -> Result<Profile, Unreadable> {
    let mut builder = Builder::default();
    for text in texts {
        let file: File = from_json(TOOL, text)?;
        for stack in file
            .recording
            .events
            .iter()
            .filter_map(|event| event.values.stack_trace.as_ref())
        {
            let mut frames = Vec::new();
            for frame in stack.frames.iter().rev() {
                let class = frame.method.r#type.name.replace('/', ".");
                // The profile contains no paths, so derive the file from the class name.
                let outer = frame
                    .method
                    .r#type
                    .name
                    .split('$')
                    .next()
                    .unwrap_or_default();
                let function = builder.function(
                    &format!("{class}.{}", frame.method.name),
                    Some(&format!("{outer}.java")),
                );
                builder.line(
                    function,
                    u32::try_from(frame.line_number).unwrap_or_default(),
                );
                frames.push(function);
            }
            builder.stack(frames, 1.0);
        }
    }
    builder.of_stacks(TOOL)
}
