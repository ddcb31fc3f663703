//! Groups the findings about the inputs for reports.

use indexmap::IndexMap;
use perf_model::diagnostic::named;
use perf_model::row::Name;
use perf_verdict::SideFinding;

/// Findings with the same text about the same side.
#[derive(Clone, Debug)]
pub struct FindingGroup<'c> {
    /// True if the findings are about the baseline.
    pub is_in_baseline: bool,
    /// The finding's text, which is not escaped.
    pub text: &'c str,
    /// The affected benchmarks; empty if the finding is about the whole input.
    pub benchmarks: Vec<&'c Name>,
    /// The 1-based input line, if the group contains only one finding.
    pub line: Option<u64>,
}

/// Groups findings by side and text. Findings about a whole input come first.
pub fn grouped_findings<'c>(
    findings: impl IntoIterator<Item = &'c SideFinding>,
) -> Vec<FindingGroup<'c>> {
    let mut groups: IndexMap<(bool, bool, &str), FindingGroup<'_>> = IndexMap::new();
    for SideFinding {
        finding,
        is_in_baseline,
        ..
    } in findings
    {
        let has_benchmark = finding.benchmark.is_some();
        let key = (has_benchmark, *is_in_baseline, finding.text.as_str());
        if let Some(group) = groups.get_mut(&key) {
            group.benchmarks.extend(&finding.benchmark);
            group.line = None;
        } else {
            let group = FindingGroup {
                is_in_baseline: *is_in_baseline,
                text: &finding.text,
                benchmarks: finding.benchmark.iter().collect(),
                line: finding.line,
            };
            groups.insert(key, group);
        }
    }
    let mut groups: Vec<FindingGroup<'_>> = groups.into_values().collect();
    groups.sort_by_key(|group| !group.benchmarks.is_empty());
    groups
}

impl FindingGroup<'_> {
    /// Formats the finding as ``a, b, c and 2 more: text``. `name` formats a benchmark, and `text` the finding's text.
    pub fn sentence(&self, name: impl Fn(&Name) -> String, text: fn(&str) -> String) -> String {
        const NAMED: usize = 3;
        let names: Vec<String> = self.benchmarks.iter().map(|one| name(one)).collect();
        let subject = named(&names, NAMED);
        let colon = if subject.is_empty() { "" } else { ": " };
        format!("{subject}{colon}{}", text(self.text))
    }
}
