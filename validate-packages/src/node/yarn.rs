//! Lock files of Yarn 1: a line of descriptors for each package, and indented lines with a key and a value.

use std::ops::Range;

use super::{Entry, Node, Value};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Node {
    let mut packages: Vec<(Range<usize>, Vec<Entry>)> = Vec::new();
    let mut offset = 0;
    for line in source.text.split_inclusive('\n') {
        let text = line.trim_end();
        let start = offset + (text.len() - text.trim_start().len());
        let end = offset + text.len();
        offset += line.len();
        match (text.strip_suffix(':'), text.strip_prefix("  ")) {
            _ if text.starts_with('#') => {}
            (Some(_), None) => packages.push((start..end - 1, Vec::new())),
            // Deeper lines are the dependencies of the package.
            (_, Some(field)) if !field.starts_with(' ') => {
                if let (Some((_, fields)), Some(entry)) = (packages.last_mut(), entry(field, start)) {
                    fields.push(entry);
                }
            }
            _ => {}
        }
    }
    let package = |(at, fields): (Range<usize>, Vec<Entry>)| Entry {
        key: source.slice(&at).replace('"', ""),
        node: Node { span: at.clone(), value: Value::Object(fields.into()) },
        at,
    };
    let packages: Vec<Entry> = packages.into_iter().map(package).collect();
    Node { span: 0..source.text.len(), value: Value::Object(packages.into()) }
}

fn entry(field: &str, start: usize) -> Option<Entry> {
    let (key, value) = field.split_once(' ')?;
    let span = start + key.len() + 1..start + field.len();
    let value = Value::String(value.trim_matches('"').to_owned());
    Some(Entry {
        key: key.trim_matches('"').to_owned(),
        at: start..start + key.len(),
        node: Node { span, value },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_descriptors_and_fields() {
        let text = "# yarn lockfile v1\n\n\n\"@a/b@^1.0.0\", \"@a/b@1.0.1\":\n  version \"1.0.1\"\n  resolved \"https://r.org/b.tgz#1\"\n  dependencies:\n    version \"2\"\n";
        let root = read(&Source::new("yarn.lock", text));
        let [package] = root.entries() else { panic!("{} packages", root.entries().len()) };
        assert_eq!(package.key, "@a/b@^1.0.0, @a/b@1.0.1");
        let version = package.node.get("version").unwrap();
        assert_eq!((version.text(), &text[version.span.clone()]), (Some("1.0.1"), "\"1.0.1\""));
    }
}
