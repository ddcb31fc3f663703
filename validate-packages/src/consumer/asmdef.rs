//! Unity assembly definitions: code that needs a package is compiled only where the package is.
//!
//! `versionDefines` *produces* a symbol when a package is present at a version that its expression lets in;
//! `defineConstraints` *requires* symbols for the assembly to be compiled at all. A gate is whole when the
//! same file produces each symbol from the right package and requires it.

use std::collections::BTreeSet;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use crate::checker::Checker;
use crate::finding::{Finding, Rule};
use crate::node::Node;
use crate::source::{Place, Source};
use crate::{tree, version};

/// Checks every assembly definition of the Unity consumers, each once.
pub(super) fn check<'a>(checker: &mut Checker<'_>, consumers: impl Iterator<Item = &'a Consumer>) {
    if checker.manifest.defines.is_empty() {
        return;
    }
    let project = [".".to_owned()];
    let folders: BTreeSet<String> = consumers
        .filter(|consumer| consumer.kind == Kind::Unity)
        .flat_map(|consumer| consumer.asmdefs.as_deref().unwrap_or(&project).to_vec())
        .collect();
    let files: BTreeSet<String> = folders.iter().flat_map(|folder| files(checker, folder)).collect();
    let mut produced = BTreeSet::new();
    for file in &files {
        let Ok(Some(source)) = checker.open(file) else { continue };
        let Ok(root) = checker.json(&source) else { continue };
        produced.extend(Gates::read(checker, &source, &root).check());
    }
    if !folders.is_empty() {
        never_produced(checker, &folders, &produced);
    }
}

fn files(checker: &mut Checker<'_>, folder: &str) -> Vec<String> {
    let Some(path) = tree::resolve(".", folder) else {
        let finding = Finding::new(
            Rule::Consumer,
            &checker.key_place(&["consumers"]),
            "a folder of `asmdefs` must stay in the project",
        );
        checker.find(finding.found(folder).hint("write it from the project's root, with `/`"));
        return Vec::new();
    };
    let found = checker.list(&path, ".asmdef");
    if found.as_ref().is_ok_and(Vec::is_empty) {
        let finding = Finding::new(
            Rule::Consumer,
            &checker.key_place(&["consumers"]),
            "a folder of `asmdefs` has no assembly definitions",
        );
        checker.find(finding.found(folder).hint("name the folders of the code that uses the packages"));
    }
    found.unwrap_or_default()
}

fn never_produced(checker: &mut Checker<'_>, folders: &BTreeSet<String>, produced: &BTreeSet<String>) {
    let manifest = checker.manifest;
    for (id, symbol) in manifest
        .defines
        .iter()
        .filter(|(id, symbol)| manifest.packages.contains_key(*id) && !produced.contains(*symbol))
    {
        let searched = folders.iter().map(|folder| format!("`{folder}`")).collect::<Vec<_>>().join(", ");
        let finding = Finding::new(
            Rule::VersionDefine,
            &checker.place(&["defines", id]),
            format!("no assembly definition produces `{symbol}` (searched: {searched})"),
        );
        let hint = format!(
            "add `{{\"name\": \"{id}\", \"expression\": \"\", \"define\": \"{symbol}\"}}` to the `versionDefines` of the assembly that uses it"
        );
        checker.find(finding.expected(symbol).hint(hint));
    }
}

/// One assembly definition.
struct Gates<'c, 't> {
    checker: &'c mut Checker<'t>,
    source: &'c Rc<Source>,
    /// `versionDefines`: package, expression and symbol, each with its node.
    defines: Vec<(&'c Node, &'c Node, Option<&'c Node>)>,
    constraints: Vec<&'c Node>,
}

impl<'c, 't> Gates<'c, 't> {
    fn read(checker: &'c mut Checker<'t>, source: &'c Rc<Source>, root: &'c Node) -> Self {
        let defines = root.get("versionDefines").map_or(&[][..], Node::items).iter();
        let defines =
            defines.filter_map(|node| Some((node.get("name")?, node.get("define")?, node.get("expression"))));
        let constraints = root.get("defineConstraints").map_or(&[][..], Node::items).iter().collect();
        Self { checker, source, defines: defines.collect(), constraints }
    }

    /// The symbols that this file produces or, being wrong about one of ours, should; that is a finding already.
    fn check(mut self) -> BTreeSet<String> {
        let mut produced = BTreeSet::new();
        for (name, define, expression) in self.defines.clone() {
            let own = name.text().and_then(|id| self.checker.manifest.defines.get(id));
            produced.extend(own.cloned().into_iter().chain(define.text().map(str::to_owned)));
            if self.produces(name, define) {
                self.is_required(define);
                self.lets_in(name, expression);
            }
        }
        for constraint in self.constraints.clone() {
            self.is_produced(constraint);
        }
        produced
    }

    fn add(
        &mut self,
        rule: Rule,
        node: &Node,
        message: String,
        values: (Option<&str>, Option<&str>),
        hint: String,
    ) {
        let finding = Finding::new(rule, &Place::new(self.source, node.span.clone()), message).hint(hint);
        self.checker.find(Finding {
            found: values.0.map(str::to_owned),
            expected: values.1.map(str::to_owned),
            ..finding
        });
    }

    fn owner(&self, symbol: &str) -> Option<&'t str> {
        self.checker.manifest.defines.iter().find(|(_, own)| *own == symbol).map(|(id, _)| id.as_str())
    }

    /// Whether a `versionDefines` entry makes one of the manifest's symbols from its own package.
    fn produces(&mut self, name: &Node, define: &Node) -> bool {
        let (Some(id), Some(symbol)) = (name.text(), define.text()) else { return false };
        let manifest = self.checker.manifest;
        match (manifest.defines.get(id), self.owner(symbol)) {
            (Some(expected), _) if expected == symbol => return true,
            (Some(expected), owner) => {
                let message = format!("`{id}` produces another symbol than its own");
                let other = owner
                    .map(|owner| format!(", or name `{owner}`, whose symbol this is"))
                    .unwrap_or_default();
                let hint = format!("write `{expected}`{other}");
                self.add(Rule::VersionDefine, define, message, (Some(symbol), Some(expected)), hint);
            }
            (None, Some(owner)) => {
                let message = format!("`{symbol}` is produced by another package than its own");
                let hint = format!("name `{owner}`, or use another symbol");
                self.add(Rule::VersionDefine, name, message, (Some(id), Some(owner)), hint);
            }
            (None, None) => {}
        }
        false
    }

    fn is_required(&mut self, define: &Node) {
        let symbol = define.text().unwrap_or_default();
        let mut texts = self.constraints.iter().filter_map(|node| node.text());
        if texts.any(|text| text.trim() == symbol) {
            return;
        }
        let near = self
            .constraints
            .iter()
            .copied()
            .find(|node| node.text().is_some_and(|text| words(text).any(|word| word == symbol)));
        let message = format!("`{symbol}` is produced and not required");
        let hint = match near.and_then(Node::text) {
            Some(text) => format!("`{text}` also compiles without the package: write `{symbol}` alone"),
            None => format!("add `{symbol}` to `defineConstraints`"),
        };
        self.add(
            Rule::DefineConstraint,
            near.unwrap_or(define),
            message,
            (near.and_then(Node::text), Some(symbol)),
            hint,
        );
    }

    /// An expression that shuts the pinned version out removes the code from the build without a word.
    fn lets_in(&mut self, name: &Node, expression: Option<&Node>) {
        let (Some(node), Some(id)) = (expression, name.text()) else { return };
        let (manifest, Some(text)) = (self.checker.manifest, node.text()) else { return };
        let pin = manifest.packages.get(id).or_else(|| manifest.integration_packages.get(id));
        let Some(pin) = pin.filter(|pin| version::is_exact(Kind::Unity, pin)) else { return };
        let message = match version::admits(text, pin) {
            Some(true) => return,
            Some(false) => {
                format!("the expression shuts out the pinned `{id}`, so its code is never compiled")
            }
            None => "the expression is not one that Unity reads".to_owned(),
        };
        let hint = "leave it empty, or write a range such as `[1.0,2.0)` that holds the pin".to_owned();
        self.add(Rule::VersionDefine, node, message, (Some(text), Some(pin)), hint);
    }

    fn is_produced(&mut self, constraint: &Node) {
        let Some(text) = constraint.text() else { return };
        for symbol in words(text) {
            let Some(owner) = self.owner(symbol) else { continue };
            // With a wrong symbol it is a finding already.
            if self
                .defines
                .iter()
                .any(|(name, define, _)| name.text() == Some(owner) || define.text() == Some(symbol))
            {
                continue;
            }
            let message = format!("`{symbol}` is required and not produced");
            let hint = format!(
                "add `{{\"name\": \"{owner}\", \"expression\": \"\", \"define\": \"{symbol}\"}}` to `versionDefines`"
            );
            self.add(Rule::DefineConstraint, constraint, message, (Some(text), Some(owner)), hint);
        }
    }
}

/// The symbols of a constraint such as `!A || B`.
fn words(constraint: &str) -> impl Iterator<Item = &str> {
    constraint.split("||").map(|word| word.trim().trim_start_matches('!').trim())
}
