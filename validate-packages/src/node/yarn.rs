//! Lock files of Yarn: in version 1, a line of descriptors for each package, and indented lines with a key and a value.

use std::rc::Rc;

use super::{Node, NodeValue, ObjectEntry, SyntaxError};
use crate::source::{SourceFile, SourceSpan};

/// Reads a lock file of Yarn 1, or of later versions, which write YAML.
pub(crate) fn read(source: &Rc<SourceFile>) -> Result<Node, SyntaxError> {
    if source
        .text
        .lines()
        .any(|line| line.starts_with("__metadata:"))
    {
        return super::yaml(source);
    }
    let mut packages: Vec<(SourceSpan, Vec<ObjectEntry>)> = Vec::new();
    for (offset, line) in source.lines() {
        let text = line.trim_end();
        let start = offset + (text.len() - text.trim_start().len());
        let at = SourceSpan::new(source, start..offset + text.len());
        match (text.strip_suffix(':'), text.strip_prefix("  ")) {
            _ if text.starts_with('#') => {}
            (Some(name), None) => packages.push((at.part(0..name.trim_start().len()), Vec::new())),
            // Deeper lines are the dependencies of the package.
            (_, Some(field)) if !field.starts_with(' ') => {
                if let (Some((_, fields)), Some(entry)) = (packages.last_mut(), entry(&at)) {
                    fields.push(entry);
                }
            }
            _ => {}
        }
    }
    let package = |(at, fields): (SourceSpan, Vec<ObjectEntry>)| ObjectEntry {
        key: at.text().replace('"', ""),
        node: Node {
            place: at.clone(),
            value: NodeValue::Object(fields.into()),
        },
        at,
    };
    let packages: Vec<ObjectEntry> = packages.into_iter().map(package).collect();
    Ok(Node::new(
        source,
        0..source.text.len(),
        NodeValue::Object(packages.into()),
    ))
}

fn entry(field: &SourceSpan) -> Option<ObjectEntry> {
    let (key, value) = field.text().split_once(' ')?;
    let place = field.part(key.len() + 1..field.text().len());
    let value = NodeValue::String(value.trim_matches('"').to_owned());
    Some(ObjectEntry {
        key: key.trim_matches('"').to_owned(),
        at: field.part(0..key.len()),
        node: Node { place, value },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_descriptors_and_fields() {
        let text = "# yarn lockfile v1\n\n\n\"@a/b@^1.0.0\", \"@a/b@1.0.1\":\n  version \"1.0.1\"\n  resolved \"https://r.org/b.tgz#1\"\n  dependencies:\n    version \"2\"\n";
        let root = read(&Rc::new(SourceFile::new("yarn.lock", text))).unwrap();
        let [package] = root.entries() else {
            panic!("{} packages", root.entries().len())
        };
        assert_eq!(package.key, "@a/b@^1.0.0, @a/b@1.0.1");
        let version = package.node.get("version").unwrap();
        assert_eq!(
            (version.text(), version.place.text()),
            (Some("1.0.1"), "\"1.0.1\"")
        );
    }
}
