//! One assembly definition.

use std::collections::{BTreeSet, HashSet};

use perf_model::packages::{Manifest, OneOrMany};

use super::references::References;
use crate::checker::Checker;
use crate::consumer::is_ignored;
use crate::finding::{Finding, FindingRule};
use crate::manifest::UNITY_PREFIX;
use crate::node::Node;
use crate::version;

/// The resource that stands for the editor's own version.
const EDITOR: &str = "Unity";

/// One entry of `versionDefines`.
#[derive(Clone, Copy)]
struct VersionDefine<'c> {
    id: &'c str,
    symbol: &'c str,
    id_node: &'c Node,
    symbol_node: &'c Node,
    expression: Option<&'c Node>,
}

pub(super) struct Assembly<'c, 't> {
    checker: &'c mut Checker<'t>,
    root: &'c Node,
    ignored: &'c [String],
    is_gate: bool,
    defines: Vec<VersionDefine<'c>>,
    constraints: Vec<&'c Node>,
    /// The symbols it produces, or should produce according to a finding.
    pub produced: BTreeSet<String>,
    /// The symbols it requires, or should require according to a finding.
    pub required: BTreeSet<String>,
}

impl<'c, 't> Assembly<'c, 't> {
    pub fn read(
        checker: &'c mut Checker<'t>,
        root: &'c Node,
        named: bool,
        ignored: &'c [String],
    ) -> Self {
        let constraints: Vec<&Node> = root.list(&["defineConstraints"]).iter().collect();
        let mut texts = constraints.iter().filter_map(|node| node.text());
        let is_gate = named
            || texts.any(|text| words(text).any(|word| owner(checker.manifest, word).is_some()));
        let defines = root
            .list(&["versionDefines"])
            .iter()
            .filter_map(|node| define(checker, node))
            .collect();
        Self {
            checker,
            root,
            ignored,
            is_gate,
            defines,
            constraints,
            produced: BTreeSet::new(),
            required: BTreeSet::new(),
        }
    }

    pub fn check(&mut self) {
        let mut seen = HashSet::new();
        for define in self.defines.clone() {
            self.produced.insert(define.symbol.to_owned());
            if !seen.insert((define.id, define.symbol)) {
                self.duplicate(define);
            } else if self.is_own(define) {
                self.is_required(define);
                self.admits_the_pin(define);
                self.is_referenced(define);
            }
        }
        for constraint in self.constraints.clone() {
            self.is_produced(constraint);
        }
    }

    fn find(
        &mut self,
        rule: FindingRule,
        node: &Node,
        message: String,
        hint: impl Into<String>,
    ) -> &mut Finding {
        self.checker.find(rule, &node.place, message, hint)
    }

    /// The manifest's symbols of a package.
    fn own(&self, id: &str) -> &'t [String] {
        self.checker
            .manifest
            .defines
            .get(id)
            .map_or(&[][..], OneOrMany::as_slice)
    }

    /// True if this assembly has an entry for a package, with one of some symbols.
    fn produces(&self, id: &str, symbols: &[String]) -> bool {
        self.defines
            .iter()
            .any(|define| define.id == id && symbols.iter().any(|symbol| symbol == define.symbol))
    }

    fn duplicate(
        &mut self,
        VersionDefine {
            id,
            symbol,
            id_node,
            ..
        }: VersionDefine<'_>,
    ) {
        if self.is_gate || owner(self.checker.manifest, symbol).is_some() {
            let message = format!("duplicate entry of `{id}` for `{symbol}`");
            self.find(
                FindingRule::VersionDefine,
                id_node,
                message,
                "keep one entry",
            )
            .found(id);
        }
    }

    /// True if an entry produces a symbol from the package that owns it. Forks of that package may produce it
    /// too, and the package may produce other symbols besides its own.
    fn is_own(
        &mut self,
        VersionDefine {
            id,
            symbol,
            id_node,
            symbol_node,
            ..
        }: VersionDefine<'_>,
    ) -> bool {
        let manifest = self.checker.manifest;
        let owner = owner(manifest, symbol);
        let from_owner = owner.is_some_and(|owner| self.produces(owner, &[symbol.to_owned()]));
        match (self.own(id), owner) {
            _ if owner == Some(id) => return true,
            (own @ [first, ..], _) if !self.produces(id, own) => {
                self.produced.extend(own.iter().cloned());
                self.required.extend(own.iter().cloned());
                let other =
                    owner.map(|owner| format!(", or name `{owner}`, which owns this symbol"));
                let hint = format!("write `{first}`{}", other.unwrap_or_default());
                let message = format!("`{id}` does not produce its own symbol");
                self.find(FindingRule::VersionDefine, symbol_node, message, hint)
                    .found(symbol)
                    .expected(first);
            }
            (_, Some(owner)) if !from_owner => {
                let message = format!("`{symbol}` is produced by a package that does not own it");
                let hint = format!("name `{owner}`, or use another symbol");
                self.find(FindingRule::VersionDefine, id_node, message, hint)
                    .found(id)
                    .expected(owner);
            }
            ([], None) => self.is_pinned(id, symbol, id_node),
            _ => {}
        }
        false
    }

    /// Whether the assembly is compiled only if this package produces this symbol. Outside of the listed folders, Unity's
    /// own packages are not compared.
    fn gates_on(&self, symbol: &str, id: &str) -> bool {
        let mut constraints = self.constraints.iter().filter_map(|node| node.text());
        let is_required = constraints.any(|text| text.trim() == symbol);
        self.is_gate || is_required && !id.starts_with(UNITY_PREFIX)
    }

    /// Reports a gate on a package that is not pinned.
    fn is_pinned(&mut self, id: &str, symbol: &str, id_node: &Node) {
        let is_known = id == EDITOR || self.checker.manifest.is_pinned_for_unity(id);
        if self.gates_on(symbol, id) && !is_known && !is_ignored(self.ignored, id) {
            let hint = format!(
                "pin it in `{}`, or add it to the consumer's `ignore`",
                self.checker.source.path
            );
            let message = format!("the assembly gates on `{id}`, which is not pinned");
            self.find(FindingRule::Unpinned, id_node, message, hint)
                .found(id);
        }
    }

    fn is_required(
        &mut self,
        VersionDefine {
            id,
            symbol,
            symbol_node,
            ..
        }: VersionDefine<'_>,
    ) {
        let own = self.own(id);
        let mut texts = self.constraints.iter().filter_map(|node| node.text());
        if !self.is_gate || texts.any(|text| own.iter().any(|symbol| text.trim() == symbol)) {
            return;
        }
        self.required.extend(own.iter().cloned());
        let mentions = |node: &Node| {
            node.text()
                .is_some_and(|text| words(text).any(|word| word == symbol))
        };
        let near = self.constraints.iter().copied().find(|node| mentions(node));
        let found = near.and_then(Node::text);
        let hint = match found {
            Some(text) => {
                format!("write `{symbol}` alone: `{text}` also compiles without the package")
            }
            None => format!("add `{symbol}` to `defineConstraints`"),
        };
        let message = format!("`{symbol}` is produced but not required");
        let finding = self.find(
            FindingRule::DefineConstraint,
            near.unwrap_or(symbol_node),
            message,
            hint,
        );
        finding.expected(symbol).found = found.map(str::to_owned);
    }

    /// An expression that excludes the pinned version silently removes the code from the build.
    fn admits_the_pin(&mut self, VersionDefine { id, expression, .. }: VersionDefine<'_>) {
        let (manifest, Some(node)) = (self.checker.manifest, expression) else {
            return;
        };
        let Some(text) = node.text() else { return };
        let pin = manifest
            .packages
            .get(id)
            .or_else(|| manifest.integration_packages.get(id));
        let Some(pin) = pin.filter(|pin| version::is_exact_for_unity(pin)) else {
            return;
        };
        let message = match version::admits(text, pin) {
            Some(true) => return,
            Some(false) => {
                format!("the expression excludes the pinned `{id}`: its code is never compiled")
            }
            None => "invalid version expression".to_owned(),
        };
        let hint = "leave it empty, or write a range that includes the pin, such as `[1.0,2.0)`";
        self.find(FindingRule::VersionDefine, node, message, hint)
            .found(text)
            .expected(pin);
    }

    /// A gate compiles with the package, so it must reference the package's assembly.
    fn is_referenced(&mut self, VersionDefine { id, id_node, .. }: VersionDefine<'_>) {
        let references = References::read(self.root);
        let Some(names) = references
            .missing(self.checker.manifest, id)
            .filter(|_| self.is_gate)
        else {
            return;
        };
        let hint = match names.first() {
            Some(name) => format!("add `{name}` to `references`"),
            None => format!(
                "add its assembly to `references`; if one of them is, name it in `assemblies` of `{}`",
                self.checker.source.path
            ),
        };
        let node = self.root.get("references").unwrap_or(id_node);
        let message = format!("the assembly requires `{id}`, but does not reference it");
        let finding = self.find(FindingRule::Reference, node, message, hint);
        finding.expected = Some(names.join(", ")).filter(|names| !names.is_empty());
    }

    fn is_produced(&mut self, constraint: &Node) {
        let Some(text) = constraint.text() else {
            return;
        };
        for symbol in words(text) {
            self.required.insert(symbol.to_owned());
            let Some(owner) = owner(self.checker.manifest, symbol) else {
                continue;
            };
            // A wrong entry has its own finding.
            if !self
                .defines
                .iter()
                .any(|define| define.id == owner || define.symbol == symbol)
            {
                let message = format!("`{symbol}` is required but not produced");
                let finding = self.find(
                    FindingRule::DefineConstraint,
                    constraint,
                    message,
                    entry(owner, symbol),
                );
                finding.found(text).expected(owner);
            }
        }
    }
}

/// An entry, unless Unity cannot use it, which is a finding.
fn define<'c>(checker: &mut Checker<'_>, node: &'c Node) -> Option<VersionDefine<'c>> {
    if let (Some((id_node, id)), Some((symbol_node, symbol))) =
        (node.string("name"), node.string("define"))
    {
        return Some(VersionDefine {
            id,
            symbol,
            id_node,
            symbol_node,
            expression: node.get("expression"),
        });
    }
    let (key, hint) = match node.string("name") {
        None => ("name", "write the id of a package"),
        Some(_) => ("define", "write the symbol that the package defines"),
    };
    let place = &node.get(key).unwrap_or(node).place;
    let message = format!("`{key}` of a `versionDefines` entry is not a string");
    checker
        .find(FindingRule::VersionDefine, place, message, hint)
        .found(place.text());
    None
}

fn owner<'t>(manifest: &'t Manifest, symbol: &str) -> Option<&'t str> {
    let owns = |symbols: &[String]| symbols.iter().any(|own| own == symbol);
    manifest
        .defines
        .iter()
        .find(|(_, symbols)| owns(symbols.as_slice()))
        .map(|(id, _)| id.as_str())
}

/// The symbols of a constraint such as `!A || B`.
fn words(constraint: &str) -> impl Iterator<Item = &str> {
    constraint
        .split("||")
        .map(|word| word.trim().trim_start_matches('!').trim())
}

/// The hint for a missing entry.
pub(super) fn entry(id: &str, symbol: &str) -> String {
    format!(
        "add `{{\"name\": \"{id}\", \"expression\": \"\", \"define\": \"{symbol}\"}}` to `versionDefines`"
    )
}
