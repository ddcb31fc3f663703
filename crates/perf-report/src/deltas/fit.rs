//! A report within a length: what matters most is shown, and the report says what it leaves out.

use perf_markdown::cut::{Limit, cut};

use super::Deltas;
use super::count::Count;
use crate::number::thousands;

impl Deltas {
    /// The report as `render` writes it, with as many rows and entries as `limit` has room for: first what regressed,
    /// last what is within its limits.
    ///
    /// # Errors
    /// Those of `render`.
    pub fn within<E>(
        mut self,
        limit: Limit,
        render: impl Fn(&Self) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut text = render(&self)?;
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
            text = render(&self)?;
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
        for scope in &mut self.scopes {
            scope.table.count.show(scope.table.regressed, &mut room);
        }
        for count in self.counts() {
            count.show(usize::MAX, &mut room);
        }
        self.left_out = self.left_out();
    }

    /// All tables and lists, the most important first.
    fn counts(&mut self) -> Vec<&mut Count> {
        let mut counts = vec![&mut self.regressions.count, &mut self.blind.count];
        let mut rest = Vec::new();
        for scope in &mut self.scopes {
            counts.extend([&mut scope.missing.count, &mut scope.table.count, &mut scope.new.count]);
            rest.push(&mut scope.rest.count);
        }
        counts.extend([&mut self.stale_waivers.count, &mut self.notes.count, &mut self.details.count]);
        let lists = [&mut self.uncompared, &mut self.waived, &mut self.noisy, &mut self.trend];
        counts.extend(lists.map(|list| &mut list.count));
        counts.extend(rest);
        counts
    }

    /// `Left out to fit the length limit: 290 rows and 12 other entries. The JSON report has all of them.`
    fn left_out(&self) -> String {
        let rows = self.scopes.iter().flat_map(|scope| [scope.table.count, scope.rest.count]);
        let lists = self.scopes.iter().flat_map(|scope| [scope.missing.count, scope.new.count]);
        let lists = lists.chain([self.blind.count, self.stale_waivers.count, self.notes.count]);
        let lists =
            lists.chain([self.uncompared.count, self.waived.count, self.noisy.count, self.trend.count]);
        let counted = |count: usize, one: &str, several: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{} {several}", thousands(&count.to_string()))),
        };
        let hidden = [
            counted(rows.map(Count::hidden).sum(), "row", "rows"),
            counted(
                lists.chain([self.details.count]).map(Count::hidden).sum(),
                "other entry",
                "other entries",
            ),
        ];
        let hidden: Vec<String> = hidden.into_iter().flatten().collect();
        if hidden.is_empty() {
            return String::new();
        }
        format!(
            "Left out to fit the length limit: {}. The JSON report has all of them.",
            hidden.join(" and ")
        )
    }
}
