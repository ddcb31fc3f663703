//! The job summary: the outcome of the refresh, and the numbers themselves where nothing else keeps them.

use std::fmt::Write;

use perf_cli::term::printable;

use crate::content::PublishedFile;

/// Room that is left for the lines around the files, in bytes.
const AROUND: usize = 4096;

/// A heading and a sentence; with `numbers`, these files, as far as `room` bytes allow.
pub(crate) fn summary(title: &str, sentence: &str, numbers: &[PublishedFile], room: usize) -> String {
    let mut text = format!("### {title}\n\n{}\n", inert(sentence));
    for version in numbers {
        let Some(content) = &version.content else { continue };
        let path = inert(&printable(version.path.as_str()));
        let block = block(&String::from_utf8_lossy(content));
        // Writing to a string cannot fail.
        let _ = if text.len() + block.len() + AROUND <= room {
            write!(text, "\n<details><summary>{path}</summary>\n\n{block}\n</details>\n")
        } else {
            write!(text, "\n{path} is too large to be shown here: {} bytes\n", content.len())
        };
    }
    text
}

/// A fenced block, whose fence is longer than any in the text.
fn block(content: &str) -> String {
    let longest = content.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if content.ends_with('\n') || content.is_empty() { "" } else { "\n" };
    format!("{fence}text\n{content}{end}{fence}\n")
}

/// A sentence whose only markup is code and bare addresses.
fn inert(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('@', "&#64;")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    fn version(path: &str, content: &str) -> PublishedFile {
        PublishedFile { path: path.parse().unwrap(), content: Some(content.into()) }
    }

    #[test]
    fn numbers_are_shown_as_they_are() {
        let numbers = [
            version("perf.csv", "scenario,platform\na,b"),
            version("perf.md", "````text\n</details>\n````\n"),
        ];
        assert_snapshot!(summary("Numbers", "`main` takes no commits, says <b>@octo</b>", &numbers, 100_000), @"
        ### Numbers

        `main` takes no commits, says &lt;b>&#64;octo&lt;/b>

        <details><summary>perf.csv</summary>

        ```text
        scenario,platform
        a,b
        ```

        </details>

        <details><summary>perf.md</summary>

        `````text
        ````text
        </details>
        ````
        `````

        </details>
        ");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let numbers = [version("a.csv", &"1".repeat(5000)), version("b.csv", "2\n")];
        assert_snapshot!(summary("Numbers", "Lost", &numbers, 5000), @"
        ### Numbers

        Lost

        a.csv is too large to be shown here: 5000 bytes

        <details><summary>b.csv</summary>

        ```text
        2
        ```

        </details>
        ");
    }

    proptest! {
        #[test]
        fn no_content_leaves_its_block(content in "[`a\n]{0,40}") {
            let block = block(&content);
            let fence = block.lines().next().unwrap().trim_end_matches("text").to_owned();
            let inside = block.strip_prefix(&format!("{fence}text\n")).unwrap();
            let inside = inside.strip_suffix(&format!("{fence}\n")).unwrap();
            prop_assert!(inside.is_empty() || inside.ends_with('\n'));
            prop_assert!(!inside.contains(&fence));
        }

        #[test]
        fn it_never_takes_more_room_than_there_is(sizes in prop::collection::vec(0..9000_usize, 0..5), room in 9000..30_000_usize) {
            let numbers: Vec<_> = sizes.iter().map(|size| version("a", &"x".repeat(*size))).collect();
            prop_assert!(summary("Numbers", "Lost", &numbers, room).len() <= room);
        }
    }
}
