//! Scripts that read the manifest themselves, such as the generator of a temporary Unity project: without a
//! reference to the manifest in their code, they have versions of their own.

use perf_model::packages::Consumer;

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::source::{SourceFile, SourceSpan};

const BLOCKS: &[(&str, &str)] = &[("/*", "*/"), ("<#", "#>")];

/// Checks a script; `false` if it does not exist.
pub(super) fn check(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> bool {
    let Ok(source) = checker.open(path) else {
        return true;
    };
    let Some(source) = source else { return false };
    let code = code(&source);
    let manifest = checker
        .source
        .path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    for text in std::iter::once(&manifest)
        .chain(&consumer.mentions)
        .filter(|text| !code.contains(text.as_str()))
    {
        let message = format!("the code does not mention `{text}`");
        let hint = if *text == manifest {
            format!("read the versions from `{}`", checker.source.path)
        } else {
            "restore the reference, or remove it from this consumer's `mentions`".to_owned()
        };
        checker
            .find(
                FindingRule::Reference,
                &SourceSpan::start(&source),
                message,
                hint,
            )
            .expected(text);
    }
    true
}

/// The words that are not in comments, as far as `#`, `//`, `/* */` and `<# #>` are comments in the script's
/// language. A mark within a word belongs to a URL or a path.
pub(super) fn code(source: &SourceFile) -> String {
    let mut code = String::new();
    let mut open: Option<&str> = None;
    for line in source.text.lines() {
        for word in line.split_whitespace() {
            let block = BLOCKS
                .iter()
                .find(|(start, _)| open.is_none() && word.starts_with(start));
            open = open.or(block.map(|(_, end)| *end));
            if let Some(end) = open {
                open = open.filter(|_| !word.contains(end));
            } else if word.starts_with('#') || word.starts_with("//") {
                break;
            } else {
                code.push_str(word);
                code.push(' ');
            }
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_code() {
        let text = "<# a\nb #> c # d\n  // e\nhttps://f x/* /* g\n*/ h\n/*i*/ j\n#k";
        assert_eq!(
            code(&SourceFile::new("x.ps1", text)),
            "c https://f x/* h j "
        );
    }
}
