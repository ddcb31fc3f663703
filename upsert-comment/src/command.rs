//! Commands in comments on a pull request: `/bench [FILTER]` and `/perf accept BENCHMARK --reason TEXT`.
//!
//! Only users with write access may give commands, according to GitHub and not to the event. A command applies to the newest
//! commit. Comment text is never executed: the filter is an output, which a workflow passes on as a value.

mod accept;
mod parse;

use clap::Parser;
use perf_cli::actions::write_output;
use perf_cli::{Common, Exit, Failure, term};
use perf_github::{Account, Actions, ApiError, Client, Conversation, Pull};

use self::parse::Command;
use crate::marker::CommentKey;

/// Answer a command in a comment on a pull request: `/bench [FILTER]` or `/perf accept BENCHMARK --reason TEXT`
#[derive(Parser)]
#[command(name = "perf-command", version, after_help = EXAMPLES)]
pub struct CommandCli {
    /// The key of the comment with the report, and of the status that is set when all regressions are accepted
    #[arg(short, long, value_name = "NAME", default_value_t)]
    key: CommentKey,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
For a workflow with the event `issue_comment`: see
docs/how-to/accept-a-slowdown.md. GITHUB_TOKEN needs `pull-requests: write`,
and `statuses: write` or `checks: write` to accept.

Step outputs: command= (`bench`, `accept`, or empty), number=, sha= (the pull
request's newest commit) and filter= (untrusted: never put it into a script).

Exit codes: 0 answered, or not a command; 2 wrong usage or an error";

/// A command on a pull request.
struct Asked<'a> {
    client: &'a Client,
    key: &'a CommentKey,
    /// Our own account, which answers.
    viewer: Account,
    pull: Pull,
    place: Conversation,
    /// The user who gave the command.
    login: String,
    /// The URL of this workflow run.
    run: Option<String>,
}

/// The answer to a command: whether it was carried out, and a reply in addition to the reaction.
struct Answer {
    is_done: bool,
    reply: Option<String>,
}

/// Runs the command.
pub fn command(cli: &CommandCli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    let actions = Actions::from_env()?;
    let (Some(comment), Some(number)) = (&actions.event.comment, actions.event.commented_pull())
    else {
        term::note("the event is not a comment on a pull request");
        return outputs(&[]);
    };
    let Some(parsed) = parse::command(&comment.body) else {
        return outputs(&[]);
    };
    let client = actions.client()?;
    let login = comment
        .author
        .as_ref()
        .map(|author| author.login.clone())
        .unwrap_or_default();
    if login.is_empty() || !client.may_write(&login)? {
        term::note(&format!(
            "`{}` may not write to the repository",
            term::printable(&login)
        ));
        client.react(comment.id, "-1")?;
        return outputs(&[]);
    }
    let asked = Asked {
        viewer: client.viewer()?,
        pull: client.pull(number)?,
        place: Conversation::Pull(number),
        client: &client,
        key: &cli.key,
        login,
        run: actions.run_url(),
    };
    let answer = asked.answer(&parsed)?;
    let (word, reaction, filter) = match &parsed {
        Ok(Command::Bench { filter }) if answer.is_done => ("bench", "eyes", filter.as_deref()),
        Ok(Command::Accept { .. }) if answer.is_done => ("accept", "+1", None),
        _ => ("", "confused", None),
    };
    client.react(comment.id, reaction)?;
    if let Some(reply) = &answer.reply {
        client.create_comment(&asked.place, reply)?;
    }
    if !answer.is_done {
        return outputs(&[]);
    }
    let (sha, number) = (asked.pull.head.sha.to_string(), number.to_string());
    let filter = filter.unwrap_or_default();
    outputs(&[
        ("command", word),
        ("number", &number),
        ("sha", &sha),
        ("filter", filter),
    ])
}

impl Asked<'_> {
    fn answer(&self, command: &Result<Command, String>) -> Result<Answer, ApiError> {
        let refused = |why: String| {
            Ok(Answer {
                is_done: false,
                reply: Some(why),
            })
        };
        match command {
            Err(usage) => refused(usage.clone()),
            Ok(_) if !self.pull.open => refused("The pull request is closed.".to_owned()),
            Ok(Command::Bench { .. }) if self.pull.is_from_fork() => refused(
                "The head is in a fork: its code would run with a token for this repository. The pull request's own workflow measures it."
                    .to_owned(),
            ),
            Ok(Command::Bench { .. }) => Ok(Answer { is_done: true, reply: None }),
            Ok(Command::Accept { benchmark, reason }) => self.accept(benchmark, reason),
        }
    }
}

/// Writes the outputs of the step. Outputs that aren't given are empty.
fn outputs(given: &[(&str, &str)]) -> anyhow::Result<Exit> {
    let path = std::env::var_os("GITHUB_OUTPUT")
        .filter(|path| !path.is_empty())
        .ok_or_else(|| {
            Failure::new("GITHUB_OUTPUT is not set")
                .hint("run `perf-gate ci answer` as a workflow step")
        })?;
    for (name, value) in given {
        write_output(path.as_ref(), name, value)?;
    }
    Ok(Exit::Ok)
}
