//! A document as blocks with one empty line between them.

/// A document that is written block by block.
#[derive(Default)]
pub(crate) struct Blocks(String);

impl Blocks {
    /// Adds a block; an empty one is left out.
    pub(crate) fn push(&mut self, block: impl AsRef<str>) {
        let block = block.as_ref();
        if !block.is_empty() {
            self.0.push_str(if self.0.is_empty() { "" } else { "\n" });
            self.0.push_str(block);
            self.0.push('\n');
        }
    }

    /// Adds what is folded away below its summary, which is HTML.
    pub(crate) fn push_folded(&mut self, summary: &str, text: &str) {
        self.push(format!("<details><summary>{summary}</summary>\n\n{text}\n\n</details>"));
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// A list, an item a line.
pub(crate) fn items(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}
