//! The report as Markdown of a limited length. The most important entries are shown, and the others are counted.

use serde::Serialize;

use super::Report;
use super::commands::Commands;
use super::context::Entry;
use super::rows::{Row, SAME, base_title, needs_metric, shared_ends};
use super::sections::{Section, SectionKind};
use super::state::RowState;
use crate::markdown::cut::{Limit, cut};
use crate::markdown::escape::{html, inline, line_start, message};
use crate::markdown::table::{Align, Table};
use crate::names::{BenchmarkName, breakable};
use crate::number::counted;
use crate::subject::NO_BREAK;
use crate::template::{self, TemplateError};

/// The maximum number of prominent rows outside of a fold. A report should be readable at a glance.
const MOST_OPEN: usize = 30;

/// A part of the report that can be shortened to its first entries.
struct Block {
    /// The title of the fold, as HTML; empty if the block is not folded.
    summary: String,
    /// The text before the entries, such as a table header.
    before: String,
    entries: Vec<String>,
    separator: &'static str,
    after: String,
    /// The number of further entries, which are never shown.
    beyond: usize,
    shown: usize,
}

/// The variables of the report template.
#[derive(Serialize)]
struct Variables<'r> {
    remarks: &'r [String],
    headline: &'r str,
    provenance: String,
    blocks: Vec<ShownBlock>,
    functions: &'r str,
    footer: &'r str,
    left_out: String,
}

#[derive(Serialize)]
struct ShownBlock {
    summary: String,
    body: String,
}

impl Report {
    /// The headline as Markdown, without heading characters.
    pub(super) fn markdown_headline(&self) -> String {
        format!("{} perf-gate: {}", self.icon, message(&self.headline))
    }

    /// Returns the headline and the provenance as Markdown, with other text below them.
    pub fn markdown_around(&self, text: &str) -> String {
        let mut parts = vec![format!("### {}", self.markdown_headline())];
        parts.push(self.provenance.join(" · "));
        parts.push(text.trim().to_owned());
        if !self.footer.is_empty() {
            parts.push(format!("<sub>{}</sub>", self.footer));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }

    /// Returns the report as Markdown, with as many entries as the limit allows. Regressions are shown first, rows within
    /// limits last.
    ///
    /// # Errors
    /// Fails if the template does not fit the report.
    pub fn markdown(&self, limit: Limit) -> Result<String, TemplateError> {
        let mut blocks = self.blocks();
        let mut text = self.filled(&blocks)?;
        if limit.holds(&text) {
            return Ok(text);
        }
        let entries: usize = blocks.iter().map(|block| block.entries.len()).sum();
        let mut fitting = None;
        // Use a binary search for the largest number of entries that fits. Each entry has at least one character.
        let (mut least, mut most) = (0, entries.min(limit.most()) + 1);
        while least < most {
            let middle = least + (most - least) / 2;
            show(&mut blocks, middle);
            text = self.filled(&blocks)?;
            if limit.holds(&text) {
                least = middle + 1;
                fitting = Some(text.clone());
            } else {
                most = middle;
            }
        }
        let cut = || cut(&text, limit, "The rest of the report does not fit here.").into_owned();
        Ok(fitting.unwrap_or_else(cut))
    }

    fn filled(&self, blocks: &[Block]) -> Result<String, TemplateError> {
        let shown = blocks.iter().filter(|block| block.shown > 0);
        template::fill(
            template::REPORT,
            &Variables {
                remarks: &self.remarks,
                headline: &self.markdown_headline(),
                provenance: self.provenance.join(" · "),
                blocks: shown.map(Block::show).collect(),
                functions: &self.functions,
                footer: &self.footer,
                left_out: self.left_out(blocks),
            },
        )
    }

    /// Returns the blocks in the order of the report.
    fn blocks(&self) -> Vec<Block> {
        let above = |section: &&Section| section.kind < SectionKind::New;
        let mut blocks: Vec<Block> = self
            .sections
            .iter()
            .filter(above)
            .map(section_block)
            .collect();
        let prominent = &self.rows.prominent;
        let (open, folded) = prominent.split_at(prominent.len().min(MOST_OPEN));
        blocks.push(Block {
            after: self.accept.clone(),
            ..rows_block("", open)
        });
        blocks.push(table_block(&self.measured));
        blocks.push(rows_block(&counted(folded.len(), "more row"), folded));
        let below = self.sections.iter().filter(|section| !above(section));
        blocks.extend(below.map(section_block));
        let shifted = &self.rows.shifted;
        blocks.push(rows_block(&self.rows.shifted_title(), shifted));
        let within = rows_block(&self.rows.within_title(), &self.rows.within);
        blocks.push(Block {
            beyond: self.rows.beyond,
            after: self.rows.without_row_sentence(),
            ..within
        });
        blocks.retain(|block| !block.entries.is_empty());
        blocks
    }

    /// Formats the number of hidden entries: `Left out: 302 entries (see the JSON report).`
    fn left_out(&self, blocks: &[Block]) -> String {
        let hidden = blocks
            .iter()
            .map(|block| block.entries.len() - block.shown + block.beyond);
        match hidden.sum() {
            0 => String::new(),
            hidden => {
                let rest = self.rest.as_deref().unwrap_or("see the JSON report");
                format!("Left out: {} ({rest}).", counted(hidden, "entry"))
            }
        }
    }
}

/// Sets each block's number of shown entries, so that the first `room` entries of the report are shown.
fn show(blocks: &mut [Block], mut room: usize) {
    for block in blocks {
        block.shown = block.entries.len().min(room);
        room -= block.shown;
    }
}

impl Block {
    fn show(&self) -> ShownBlock {
        let mut body = self.before.clone() + &self.entries[..self.shown].join(self.separator);
        if !self.after.is_empty() {
            body = format!("{body}\n\n{}", self.after);
        }
        ShownBlock {
            summary: self.summary.clone(),
            body,
        }
    }
}

fn section_block(section: &Section) -> Block {
    let mut entries = Vec::new();
    for entry in &section.entries {
        entries.push(match section.kind {
            SectionKind::Charts => entry.text.clone(),
            SectionKind::Notes => format!("> {}", message(&entry.text)),
            SectionKind::StaleWaivers => format!("- {}", line_start(&entry.text)),
            kind if kind > SectionKind::Charts => format!("- {}", entry.markdown()),
            _ => entry.markdown(),
        });
    }
    let mut before = String::new();
    let mut separator = "\n\n";
    if section.kind == SectionKind::StaleWaivers {
        before = format!("{}\n\n", section.title);
        separator = "\n";
    } else if section.kind > SectionKind::Charts {
        separator = "\n";
    }
    let is_fold = section.kind >= SectionKind::Charts;
    let mut after = Vec::new();
    for Commands { title, lines } in &section.commands {
        after.push(format!("{title}\n\n```sh\n{}\n```", lines.join("\n")));
    }
    Block {
        summary: if is_fold {
            html(&section.title)
        } else {
            String::new()
        },
        before,
        separator,
        after: after.join("\n\n"),
        beyond: 0,
        shown: entries.len(),
        entries,
    }
}

impl Entry {
    fn markdown(&self) -> String {
        let text = message(&self.text);
        let Some(name) = &self.name else {
            return text;
        };
        let name = name.markdown(true, false);
        let metric = self.metric.as_ref();
        let metric = metric.map_or(String::new(), |metric| format!(", {}", inline(metric)));
        let chart = self.chart.as_ref();
        let chart = chart.map_or(String::new(), |address| format!(" [Chart]({address})"));
        format!("{name}{metric}: {text}{chart}")
    }
}

/// Returns a table of rows. The table must be narrow enough for both numbers to be visible on a phone. So the icon is
/// in the cell of the change, units may wrap below their numbers, and the metric comes last or after the name.
fn rows_block(title: &str, rows: &[Row]) -> Block {
    let shared = shared_ends(rows);
    let has_metric = needs_metric(rows);
    let benchmark = match &*shared.title() {
        "" => "Benchmark".to_owned(),
        ends => format!("Benchmark in {}", breakable(ends)),
    };
    let mut header = vec![
        "Change".to_owned(),
        benchmark,
        base_title(rows),
        "Head".to_owned(),
    ];
    // Without icons, align the changes to the right. With icons, align the icons.
    let has_icons = rows.iter().any(|row| !row.icon.is_empty());
    let change = if has_icons { Align::None } else { Align::Right };
    let mut align = vec![change, Align::None, Align::Right, Align::Right];
    if has_metric {
        header.push("Metric".to_owned());
        align.push(Align::None);
    }
    let mut lines = Vec::new();
    for row in rows {
        let name: BenchmarkName = row.name.within(shared);
        let is_strong = row.state.is_explained() || row.state == RowState::Missing;
        let head = number(&row.figures.head);
        let mut name = name.markdown(is_strong, shared.is_long);
        if row.figures.has_metric && !has_metric {
            name = format!("{name}, {}", inline(&row.metric));
        }
        let mut cells = vec![
            change_cell(row),
            name,
            number(&row.figures.base),
            if row.figures.is_absent {
                format!("*{head}*")
            } else {
                head
            },
        ];
        if has_metric {
            let mut metric = inline(&row.metric);
            if !row.state.is_gated() {
                metric += " (not gated)";
            }
            cells.push(metric);
        }
        lines.push(cells);
    }
    Block {
        summary: html(title),
        ..table_block(&Table {
            header,
            align,
            rows: lines,
        })
    }
}

/// Returns a block whose entries are a table's rows.
fn table_block(table: &Table) -> Block {
    let mut entries = table.compact();
    let header: Vec<String> = entries.drain(..entries.len().min(2)).collect();
    Block {
        summary: String::new(),
        before: format!("{}\n", header.join("\n")),
        separator: "\n",
        after: String::new(),
        beyond: 0,
        shown: entries.len(),
        entries,
    }
}

/// Formats the icon, the state if the change does not show it, and the change.
fn change_cell(row: &Row) -> String {
    let change = match row.figures.change.as_str() {
        // Escaping is unnecessary for a single tilde.
        SAME => SAME.to_owned(),
        change if row.figures.has_metric => number(change.trim_end_matches(&row.metric).trim_end()),
        change => number(change),
    };
    let state = match row.state {
        RowState::Missing | RowState::Unmeasured => row.word,
        RowState::Inconclusive if change.is_empty() => row.word,
        RowState::Inconclusive => "inconclusive:",
        _ => "",
    };
    let mut parts = vec![row.icon, state, &change];
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// Formats a number whose unit may wrap to the next line.
fn number(text: &str) -> String {
    inline(&text.replace(NO_BREAK, " "))
}
