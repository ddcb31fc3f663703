//! Workflow commands in a log, such as `::error::`.

/// A workflow command in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// `error`, `warning`, `notice`, ….
    pub name: String,
    /// The text after the name: `title=…`.
    pub properties: String,
    /// The message, with its line breaks.
    pub text: String,
}

/// The workflow commands in a log, except between `stop-commands` and its token.
pub fn commands(log: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let mut stopped: Option<String> = None;
    for line in log.lines() {
        let line = line.trim();
        if let Some(token) = &stopped {
            if line == format!("::{token}::") {
                stopped = None;
            }
            continue;
        }
        assert!(!line.contains("##["), "an old command: {line}");
        let Some(command) = command(line) else {
            continue;
        };
        if command.name == "stop-commands" {
            assert!(
                command.text.len() >= 32,
                "the token `{}` can be guessed",
                command.text
            );
            stopped = Some(command.text);
        } else {
            found.push(command);
        }
    }
    assert_eq!(stopped, None, "commands stay stopped");
    found
}

fn command(line: &str) -> Option<Command> {
    let (head, text) = line.strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let text = text
        .replace("%0A", "\n")
        .replace("%0D", "\r")
        .replace("%25", "%");
    Some(Command {
        name: name.to_owned(),
        properties: properties.to_owned(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopped_commands_are_ignored() {
        let token = "0123456789abcdef0123456789abcdef";
        let log = format!(
            "::stop-commands::{token}\n::error::no\n::{token}::\n  ::error title=a b::yes%0Ahint\n"
        );
        let [only] = &commands(&log)[..] else {
            panic!("one command")
        };
        assert_eq!(
            (&*only.name, &*only.properties, &*only.text),
            ("error", "title=a b", "yes\nhint")
        );
    }

    #[test]
    #[should_panic(expected = "commands stay stopped")]
    fn stopped_commands_must_be_resumed() {
        commands("::stop-commands::0123456789abcdef0123456789abcdef\n");
    }
}
