//! The changes that a run would make, for people to read.

use perf_cli::term::printable_lines;

use perf_github::Conversation;

use crate::plan::{CommentChange, CommentPlan, Newer};

/// The plan for a pull request in words, with the whole of each text, harmless to a log that obeys commands.
pub(crate) fn described(place: &Conversation, plan: &CommentPlan) -> String {
    let newer = plan.outdated_by.as_ref().map(|newer| match newer {
        Newer::Report(stamp) => format!("would keep the newer report of {}\n", stamp.head.short()),
        Newer::Commit(head) => {
            format!("would wait for the report of {}, the newest commit\n", head.short())
        }
    });
    let changes = plan.changes.iter().map(|change| self::change(place, change));
    let described: String = newer.into_iter().chain(changes).collect();
    if described.is_empty() { "would change nothing\n".to_owned() } else { described }
}

fn change(place: &Conversation, change: &CommentChange) -> String {
    match change {
        CommentChange::Create(body) => format!("would comment on {place}:\n{}", indented(body)),
        CommentChange::Update(id, body) => {
            format!("would update comment {id} of {place}:\n{}", indented(body))
        }
        CommentChange::Delete(id) => format!("would delete comment {id} of {place}\n"),
        CommentChange::Hide(id, _) => format!("would hide comment {id} of {place}\n"),
    }
}

fn indented(body: &str) -> String {
    printable_lines(body).lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}
