//! A report within a length: what matters most is shown, and the report says what it leaves out.

use crate::markdown::cut::{Limit, cut};

use super::count::Count;
use crate::deltas::model::DeltasModel;
use crate::number::counted;
use crate::template::{Layout, TemplateError};

impl DeltasModel {
    /// The report in a layout, with as many rows and entries as `limit` has room for: first what regressed, last what is
    /// within its limits.
    pub fn within(mut self, limit: Limit, layout: &Layout) -> Result<String, TemplateError> {
        let mut text = layout.fill(&self)?;
        if limit.holds(&text) {
            return Ok(text);
        }
        let entries: usize = self.counts().into_iter().map(|count| count.written()).sum();
        let mut fits = None;
        // Each entry takes at least one character.
        let (mut least, mut most) = (0, entries.min(limit.most()) + 1);
        while least < most {
            let middle = least + (most - least) / 2;
            self.show(middle);
            text = layout.fill(&self)?;
            if limit.holds(&text) {
                least = middle + 1;
                fits = Some(text.clone());
            } else {
                most = middle;
            }
        }
        Ok(fits.unwrap_or_else(|| cut(&text, limit, "The report does not fit here.").into_owned()))
    }

    /// Shows the `room` most important entries.
    fn show(&mut self, mut room: usize) {
        self.counts().into_iter().for_each(Count::hide);
        self.table.count.show(self.table.grave, &mut room);
        for count in self.counts() {
            count.show(usize::MAX, &mut room);
        }
        self.left_out = self.left_out();
    }

    /// All tables and lists, the most important first.
    pub(crate) fn counts(&mut self) -> [&mut Count; 16] {
        [
            &mut self.shifts.count,
            &mut self.failing.count,
            &mut self.table.count,
            &mut self.uncompared.count,
            &mut self.stale_waivers.count,
            &mut self.notes.count,
            &mut self.new.count,
            &mut self.rest.count,
            &mut self.decided.count,
            &mut self.charts.count,
            &mut self.blind.count,
            &mut self.waived.count,
            &mut self.noisy.count,
            &mut self.trend.count,
            &mut self.shifted.count,
            &mut self.within.count,
        ]
    }

    /// `Left out to fit the length limit: 290 rows and 12 other entries. The JSON report has all of them.`
    fn left_out(&mut self) -> String {
        let rows = [&self.table, &self.rest, &self.shifted, &self.within]
            .map(|rows| rows.count.hidden())
            .iter()
            .sum();
        let all: usize = self.counts().into_iter().map(|count| count.hidden()).sum();
        let hidden = [(rows, "row"), (all - rows, "other entry")];
        let hidden = hidden.into_iter().filter(|(count, _)| *count > 0);
        let hidden: Vec<String> = hidden.map(|(count, noun)| counted(count, noun)).collect();
        match hidden.join(" and ") {
            none if none.is_empty() => none,
            hidden => format!(
                "Left out to fit the length limit: {hidden}. The JSON report has all of them."
            ),
        }
    }
}
