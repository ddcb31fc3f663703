//! What replaces versions and origins of npm packages: overrides and patches in `package.json`, and the settings of
//! npm, Yarn and pnpm in files beside it or above.

use std::rc::Rc;

use perf_model::packages::{Kind, Manifest};
use semver::{Version, VersionReq};

use super::{MANIFEST, declared, name_end};
use crate::checker::{Checker, Reported};
use crate::consumer::origin::Registry;
use crate::consumer::{Choice, Declared};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::{tree, version};

const PNPM: &str = "pnpm-workspace.yaml";
const YARN: &str = ".yarnrc.yml";

/// A file with `catalog:` versions, which the packages of a workspace share.
type Catalogs = (Rc<Source>, Node);

#[derive(Default)]
pub(super) struct Settings {
    pub redirects: Vec<Declared>,
    pub registries: Vec<Registry>,
    catalogs: Vec<Catalogs>,
}

impl Settings {
    /// Reads the settings that apply to a `package.json`.
    pub fn read(checker: &mut Checker<'_>, source: &Rc<Source>, root: &Node) -> Result<Self, Reported> {
        let mut settings = Self::default();
        settings.package(checker.manifest, source, root);
        for folder in tree::ancestors(tree::folder(&source.path)) {
            for name in [".npmrc", ".yarnrc"] {
                if let Some(file) = checker.open(&tree::join(folder, name))? {
                    settings.lines(&file);
                }
            }
            let mut is_workspace = false;
            for name in [PNPM, YARN] {
                let Some(file) = checker.open(&tree::join(folder, name))? else { continue };
                let root = checker.yaml(&file)?;
                settings.yaml(checker.manifest, &file, &root);
                is_workspace |= name == PNPM;
                settings.catalogs.push((file, root));
            }
            let path = tree::join(folder, MANIFEST);
            if path != source.path
                && let Some(file) = checker.open(&path)?
            {
                let root = checker.json(&file)?;
                if is_workspace || root.get("workspaces").is_some() {
                    settings.package(checker.manifest, &file, &root);
                }
            }
        }
        Ok(settings)
    }

    /// `overrides` of npm, `resolutions` of Yarn, and the table of pnpm.
    fn package(&mut self, manifest: &Manifest, source: &Rc<Source>, root: &Node) {
        let pnpm = root.get("pnpm");
        let tables =
            [root.get("overrides"), root.get("resolutions"), pnpm.and_then(|pnpm| pnpm.get("overrides"))];
        for entry in tables.into_iter().flatten().flat_map(Node::entries) {
            self.replaced(manifest, source, entry);
        }
        for table in [Some(root), pnpm].into_iter().flatten() {
            self.patched(source, table);
        }
    }

    fn yaml(&mut self, manifest: &Manifest, source: &Rc<Source>, root: &Node) {
        let first = self.redirects.len();
        for entry in root.get("overrides").map_or(&[][..], Node::entries) {
            self.replaced(manifest, source, entry);
        }
        self.patched(source, root);
        for redirect in &mut self.redirects[first..] {
            redirect.fix = None;
        }
        for (path, serves) in
            [(&["npmRegistryServer"][..], None), (&["registry"], None), (&["registries", "default"], None)]
        {
            self.registry(source, root.at(path), serves);
        }
        for entry in root.get("registries").map_or(&[][..], Node::entries) {
            let serves = entry.key.starts_with('@').then(|| format!("{}/*", entry.key));
            self.registry(source, Some(&entry.node).filter(|_| serves.is_some()), serves);
        }
        for entry in root.get("npmScopes").map_or(&[][..], Node::entries) {
            self.registry(source, entry.node.get("npmRegistryServer"), Some(format!("@{}/*", entry.key)));
        }
    }

    fn registry(&mut self, source: &Rc<Source>, node: Option<&Node>, serves: Option<String>) {
        if let Some((node, url)) = node.and_then(|node| Some((node, node.text()?))) {
            let place = Place::new(source, node.span.clone());
            self.registries.push(Registry { url: url.to_owned(), place, serves });
        }
    }

    /// `.npmrc` has `key = value` in each line, `.yarnrc` has `key value`.
    fn lines(&mut self, source: &Rc<Source>) {
        let mut offset = 0;
        for line in source.text.split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let Some((key, value)) =
                line.split_once(['=', ' ', '\t']).filter(|_| !line.starts_with(['#', ';']))
            else {
                continue;
            };
            let (key, value) = (unquoted(key), unquoted(value.trim_start_matches(['=', ' ', '\t'])));
            let serves = match key.strip_suffix("registry") {
                Some("") => None,
                Some(scope) if scope.ends_with(':') => Some(format!("{}/*", scope.trim_end_matches(':'))),
                _ => continue,
            };
            let at = start + line.find(value).unwrap_or_default();
            let place = Place::new(source, at..at + value.len());
            self.registries.push(Registry { url: value.to_owned(), place, serves });
        }
    }

    fn replaced(&mut self, manifest: &Manifest, source: &Rc<Source>, entry: &Entry) {
        let Some((name, range)) = selected(&entry.key) else { return };
        // In npm, `.` is the package itself beside overrides for its dependencies.
        let node = entry.node.get(".").unwrap_or(&entry.node);
        let is_reference = node.text().is_some_and(|text| text.starts_with('$'));
        if node.text().is_some() && !is_reference && range.is_none_or(|range| applies(manifest, name, range))
        {
            self.redirects.push(declared(manifest, source, name, node));
        }
    }

    /// `patchedDependencies`: the pinned version with other code.
    fn patched(&mut self, source: &Rc<Source>, table: &Node) {
        for entry in table.get("patchedDependencies").map_or(&[][..], Node::entries) {
            self.redirects.push(Declared {
                id: entry.key[..name_end(&entry.key)].to_owned(),
                found: entry.node.text().unwrap_or_default().to_owned(),
                choice: Choice::Elsewhere("a patched copy"),
                place: Place::new(source, entry.at.clone()),
                prefix: "",
                fix: None,
            });
        }
    }

    /// The declaration that `catalog:` or `catalog:name` stands for.
    pub fn catalog(&self, manifest: &Manifest, name: &str, text: &str) -> Option<Declared> {
        let catalog = text.strip_prefix("catalog:")?.trim();
        self.catalogs.iter().find_map(|(source, root)| {
            let named = root.at(&["catalogs", if catalog.is_empty() { "default" } else { catalog }, name]);
            let default = || root.at(&["catalog", name]).filter(|_| matches!(catalog, "" | "default"));
            Some(Declared { fix: None, ..declared(manifest, source, name, named.or_else(default)?) })
        })
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// The package that a key selects everywhere, and the range of versions; `None` for one below another package.
fn selected(key: &str) -> Option<(&str, Option<&str>)> {
    let key = key.strip_prefix("**/").unwrap_or(key);
    // In pnpm, `parent>child`; the mark is also an operator of ranges.
    let nests = |(at, _): (usize, &str)| !key[..at].is_empty() && !key[..at].ends_with([' ', '|', '@']);
    if key.match_indices('>').any(nests) {
        return None;
    }
    let end = name_end(key);
    let name = &key[..end];
    let slashes = name.matches('/').count();
    let range = key[end..].strip_prefix('@').map(|range| range.strip_prefix("npm:").unwrap_or(range));
    (slashes == usize::from(name.starts_with('@'))).then_some((name, range))
}

/// Whether a range has the pinned version, as far as it can be read.
fn applies(manifest: &Manifest, name: &str, range: &str) -> bool {
    let pin = manifest.pins_of(Kind::Npm).find(|pin| pin.id == name);
    let Some(pin) = pin.and_then(|pin| Version::parse(pin.version).ok()) else { return true };
    if version::is_exact(Kind::Npm, range) {
        return range == pin.to_string();
    }
    VersionReq::parse(&range.trim().replace(' ', ",")).map_or(true, |range| range.matches(&pin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_select_a_package_everywhere_or_below_another() {
        let everywhere =
            ["mitt", "**/mitt", "mitt@^3", "mitt@>=1 <4", "@a/b", "@a/b@npm:1.0.0"].map(selected);
        let expected = [("mitt", None), ("mitt", None), ("mitt", Some("^3")), ("mitt", Some(">=1 <4"))];
        assert_eq!(everywhere[..4], expected.map(Some));
        assert_eq!(everywhere[4..], [Some(("@a/b", None)), Some(("@a/b", Some("1.0.0")))]);
        assert_eq!(["a/mitt", "a>mitt", "a@1>mitt", "@a/b/mitt", "a/**/mitt"].map(selected), [None; 5]);
    }
}
