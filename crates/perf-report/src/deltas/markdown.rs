//! The report as Markdown, as the template `deltas.md.hbs` has it, without a template engine.

use super::count::List;
use super::{Deltas, ScopeDeltas, Unfolded};
use crate::blocks::{Blocks, items};

impl Deltas {
    /// The report.
    pub fn to_markdown(&self) -> String {
        let mut blocks = Blocks::default();
        blocks.push(&self.headline);
        if self.blind.count.is_shown() {
            blocks.push("**Cannot fail**: these metrics would pass at ten times the cost.");
            blocks.push(items(self.blind.items()));
        }
        self.scopes.iter().filter(|scope| scope.is_shown()).for_each(|scope| push_scope(&mut blocks, scope));
        if self.stale_waivers.count.is_shown() {
            blocks.push("Expired or unused waivers:");
            blocks.push(items(self.stale_waivers.items()));
        }
        self.details.shown().iter().for_each(|details| push_details(&mut blocks, details));
        blocks.push(self.details.more().unwrap_or_default());
        push_folded(&mut blocks, "Not compared", &self.uncompared);
        push_folded(&mut blocks, "Waived", &self.waived);
        push_folded(&mut blocks, "Too noisy for their limits", &self.noisy);
        push_folded(&mut blocks, "Trend", &self.trend);
        self.notes.items().for_each(|note| blocks.push(format!("> {note}")));
        if !self.legend.is_empty() {
            blocks.push(format!("<sub>{}</sub>", self.legend));
        }
        blocks.push(&self.left_out);
        blocks.finish()
    }
}

fn push_scope(blocks: &mut Blocks, scope: &ScopeDeltas) {
    if !scope.heading.is_empty() {
        blocks.push(format!("#### {}", scope.heading));
    }
    if !scope.shift.is_empty() {
        blocks.push(format!("This scope has an {}.", scope.shift));
    }
    blocks.push(scope.table.to_markdown());
    for (what, list) in
        [("Missing (only in the baseline)", &scope.missing), ("New (no baseline)", &scope.new)]
    {
        if list.count.is_shown() {
            blocks.push(format!("{what}: {}.", list.items().collect::<Vec<_>>().join(", ")));
        }
    }
    if scope.rest.count.is_shown() {
        blocks.push_folded(&scope.rest_summary, &scope.rest.to_markdown());
    }
}

fn push_details(blocks: &mut Blocks, details: &Unfolded) {
    let lines = items(details.lines.iter().cloned());
    let command = match details.command.as_str() {
        "" => String::new(),
        command => format!("\n\n```sh\n{command}\n```"),
    };
    blocks.push_folded(&format!("Why {}", details.summary), &(lines + &command));
}

fn push_folded(blocks: &mut Blocks, summary: &str, list: &List) {
    if list.count.is_shown() {
        blocks.push_folded(summary, &items(list.items()));
    }
}
