//! The report as Markdown, as the template `deltas.md.hbs` has it, without a template engine.

use super::count::{List, Rows};
use super::model::{Chart, Deltas};
use crate::blocks::{Blocks, items};

impl Deltas {
    /// The report.
    pub fn to_markdown(&self) -> String {
        let mut blocks = Blocks::default();
        blocks.push(format!("### {}", self.headline));
        self.shifts.items().for_each(|shift| blocks.push(shift));
        self.failing.items().for_each(|failing| blocks.push(failing));
        blocks.push(&self.confirm);
        blocks.push(self.table.to_markdown());
        push_names(&mut blocks, "New (no baseline)", &self.new);
        self.uncompared.items().for_each(|reason| blocks.push(reason));
        if self.stale_waivers.count.is_shown() {
            blocks.push("Expired or unused waivers:");
            blocks.push(items(self.stale_waivers.items()));
        }
        self.notes.items().for_each(|note| blocks.push(format!("> {note}")));
        self.push_charts(&mut blocks);
        self.push_decided(&mut blocks);
        push_folded(&mut blocks, &self.blind_summary, &self.blind);
        push_folded(&mut blocks, &self.waived_summary, &self.waived);
        push_folded(&mut blocks, "Too noisy for their limits", &self.noisy);
        push_folded(&mut blocks, "Changes of level in the history", &self.trend);
        push_rows(&mut blocks, &self.shifted_summary, &self.shifted);
        if self.within.count.is_shown() {
            let mut text = Blocks::default();
            text.push(self.within.to_markdown());
            text.push(&self.same);
            blocks.push_folded(&self.within_summary, text.finish().trim_end());
        }
        if !self.footer.is_empty() {
            blocks.push(format!("<sub>{}</sub>", self.footer));
        }
        blocks.push(&self.left_out);
        blocks.finish()
    }

    fn push_charts(&self, blocks: &mut Blocks) {
        if self.charts.count.is_shown() {
            let drawn = |chart: &Chart| format!("```mermaid\n{}\n```", chart.mermaid);
            let all: Vec<String> = self.charts.shown().iter().map(drawn).collect();
            blocks.push_folded(&self.charts_summary, &all.join("\n\n"));
        }
    }

    fn push_decided(&self, blocks: &mut Blocks) {
        if !self.decided.count.is_shown() {
            return;
        }
        let mut text = items(self.decided.items());
        if !self.command.is_empty() {
            text = format!("{text}\n\n{}\n\n```sh\n{}\n```", self.command_title, self.command);
        }
        blocks.push_folded(&self.decided_summary, &text);
    }
}

fn push_names(blocks: &mut Blocks, what: &str, names: &List) {
    if names.count.is_shown() {
        blocks.push(format!("{what}: {}.", names.items().collect::<Vec<_>>().join(", ")));
    }
}

fn push_folded(blocks: &mut Blocks, summary: &str, list: &List) {
    if list.count.is_shown() {
        blocks.push_folded(summary, &items(list.items()));
    }
}

fn push_rows(blocks: &mut Blocks, summary: &str, rows: &Rows) {
    if rows.count.is_shown() {
        blocks.push_folded(summary, &rows.to_markdown());
    }
}
