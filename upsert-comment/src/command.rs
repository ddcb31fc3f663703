//! Commands in comments on a pull request: `/bench [FILTER]` and `/perf accept BENCHMARK --reason TEXT`.
//!
//! Only users with write access may give commands. GitHub's API decides who has access, not the event. A command
//! applies to the newest commit. Comment text is never executed: the filter is an output, which a workflow passes on as
//! a value.

mod accept;
mod parse;

use clap::Parser;
use perf_cli::actions::write_output;
use perf_cli::{Common, Exit, Failure, term};
use perf_github::Actions;

use self::accept::Acceptance;
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
    let login = comment.author.as_ref().map_or("", |author| &author.login);
    if login.is_empty() || !client.may_write(login)? {
        let login = term::printable(login);
        term::note(&format!("`{login}` may not write to the repository"));
        client.react(comment.id, "-1")?;
        return outputs(&[]);
    }
    let pull = client.pull(number)?;
    let done = match &parsed {
        Err(usage) => Err((*usage).to_owned()),
        Ok(_) if !pull.open => Err("The pull request is closed.".to_owned()),
        Ok(Command::Bench { .. }) if pull.is_from_fork() => Err(
            "The head is in a fork: its code would run with a token for this repository. The pull request's own workflow measures it."
                .to_owned(),
        ),
        Ok(Command::Bench { filter }) => Ok(("bench", "eyes", filter.as_str(), None)),
        Ok(Command::Accept { benchmark, reason }) => {
            let acceptance = Acceptance {
                client: &client,
                key: &cli.key,
                viewer: client.viewer()?,
                pull: &pull,
                login,
                run: actions.run_url(),
                reason,
            };
            let accepted = acceptance.accept(benchmark)?;
            accepted.map(|reply| ("accept", "+1", "", Some(reply)))
        }
    };
    let (word, reaction, filter, reply) = match done {
        Ok(done) => done,
        Err(why) => ("", "confused", "", Some(why)),
    };
    client.react(comment.id, reaction)?;
    if let Some(reply) = &reply {
        client.create_comment(number, reply)?;
    }
    if word.is_empty() {
        return outputs(&[]);
    }
    outputs(&[
        ("command", word),
        ("number", &number.to_string()),
        ("sha", pull.head.sha.as_str()),
        ("filter", filter),
    ])
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
