//! One assembly definition.

use std::collections::BTreeSet;

use perf_model::packages::{Manifest, OneOrMany};

use super::references;
use crate::checker::Checker;
use crate::consumer::is_ignored;
use crate::finding::FindingRule;
use crate::manifest::UNITY_PREFIX;
use crate::node::Node;
use crate::version;

/// The name that stands for the Unity editor in `versionDefines`.
const EDITOR: &str = "Unity";

/// The symbols that assemblies produce and require. Symbols that are missing according to a finding are included, so that
/// they are not reported again.
#[derive(Default)]
pub(super) struct Symbols {
    pub produced: BTreeSet<String>,
    pub required: BTreeSet<String>,
}

/// One entry of `versionDefines`.
struct VersionDefine<'n> {
    id: &'n str,
    symbol: &'n str,
    id_node: &'n Node,
    symbol_node: &'n Node,
    expression: Option<&'n Node>,
}

/// The package-related parts of an assembly definition.
struct Assembly<'n> {
    root: &'n Node,
    is_gate: bool,
    defines: Vec<VersionDefine<'n>>,
    constraints: Vec<(&'n Node, &'n str)>,
}

/// Checks an assembly definition. If `is_listed` is true, the assembly is always a gate.
pub(super) fn check(
    checker: &mut Checker<'_>,
    root: &Node,
    is_listed: bool,
    ignored: &[String],
    symbols: &mut Symbols,
) {
    let manifest = checker.manifest;
    let items = root.list(&["defineConstraints"]).iter();
    let constraints: Vec<_> = items
        .filter_map(|node| Some((node, node.text()?)))
        .collect();
    let mut required = constraints.iter().flat_map(|(_, text)| words(text));
    let is_gate = is_listed || required.any(|word| owner(manifest, word).is_some());
    let entries = root.list(&["versionDefines"]).iter();
    let defines = entries
        .filter_map(|node| read_define(checker, node))
        .collect();
    let assembly = Assembly {
        root,
        is_gate,
        defines,
        constraints,
    };
    for (index, define) in assembly.defines.iter().enumerate() {
        let VersionDefine { id, symbol, .. } = define;
        symbols.produced.insert((*symbol).to_owned());
        let mut earlier = assembly.defines[..index].iter();
        if earlier.any(|other| (other.id, other.symbol) == (id, symbol)) {
            if is_gate || owner(manifest, symbol).is_some() {
                let message = format!("duplicate entry of `{id}` for `{symbol}`");
                checker
                    .find(
                        FindingRule::VersionDefine,
                        &define.id_node.place,
                        message,
                        "keep one entry",
                    )
                    .found(*id);
            }
        } else if check_owner(checker, &assembly, define, ignored, symbols) {
            if is_gate {
                check_required(checker, &assembly, define, symbols);
                references::check(checker, assembly.root, define.id, define.id_node);
            }
            check_expression(checker, define);
        }
    }
    for (node, text) in &assembly.constraints {
        check_produced(checker, &assembly, node, text, symbols);
    }
}

/// Reads an entry of `versionDefines`. If Unity cannot use the entry, adds a finding and returns `None`.
fn read_define<'n>(checker: &mut Checker<'_>, node: &'n Node) -> Option<VersionDefine<'n>> {
    let (name, define) = (node.string("name"), node.string("define"));
    if let (Some((id_node, id)), Some((symbol_node, symbol))) = (name, define) {
        return Some(VersionDefine {
            id,
            symbol,
            id_node,
            symbol_node,
            expression: node.get("expression"),
        });
    }
    let message = "`name` and `define` of a `versionDefines` entry must be strings";
    let hint = "write the ID of a package, and the symbol that it defines";
    checker
        .find(FindingRule::VersionDefine, &node.place, message, hint)
        .found(node.place.text());
    None
}

/// A package's symbols in the manifest.
fn symbols_of<'m>(manifest: &'m Manifest, id: &str) -> &'m [String] {
    let symbols = manifest.defines.get(id);
    symbols.map_or(&[][..], OneOrMany::as_slice)
}

fn owner<'m>(manifest: &'m Manifest, symbol: &str) -> Option<&'m str> {
    let mut defines = manifest.defines.iter();
    let found = defines.find(|(_, symbols)| symbols.as_slice().iter().any(|own| own == symbol));
    found.map(|(id, _)| id.as_str())
}

/// Checks that an entry produces its symbol from the package that owns the symbol, and returns whether it does. The
/// package's forks may also produce the symbol, and a package may produce additional symbols.
fn check_owner(
    checker: &mut Checker<'_>,
    assembly: &Assembly<'_>,
    define: &VersionDefine<'_>,
    ignored: &[String],
    symbols: &mut Symbols,
) -> bool {
    let manifest = checker.manifest;
    let VersionDefine { id, symbol, .. } = define;
    let owner = owner(manifest, symbol);
    if owner == Some(id) {
        return true;
    }
    let own = symbols_of(manifest, id);
    let produces = |id: &str, symbol: &str| {
        let mut defines = assembly.defines.iter();
        defines.any(|define| (define.id, define.symbol) == (id, symbol))
    };
    if let Some(first) = own.first()
        && !own.iter().any(|symbol| produces(id, symbol))
    {
        symbols.produced.extend(own.iter().cloned());
        symbols.required.extend(own.iter().cloned());
        let hint = format!("write `{first}`");
        let message = format!("`{id}` does not produce its own symbol");
        checker
            .find(
                FindingRule::VersionDefine,
                &define.symbol_node.place,
                message,
                hint,
            )
            .found(*symbol)
            .expected(first);
    } else if let Some(owner) = owner {
        if !produces(owner, symbol) {
            let message = format!("`{symbol}` is produced by a package that does not own it");
            let hint = format!("set it to `{owner}`, or use another symbol");
            checker
                .find(
                    FindingRule::VersionDefine,
                    &define.id_node.place,
                    message,
                    hint,
                )
                .found(*id)
                .expected(owner);
        }
    } else if own.is_empty() {
        // Outside the listed folders, an assembly may require symbols of Unity's own packages that are not pinned.
        let mut constraints = assembly.constraints.iter();
        let is_required = constraints.any(|(_, text)| text.trim() == *symbol);
        let is_gate = assembly.is_gate || is_required && !id.starts_with(UNITY_PREFIX);
        let is_known = *id == EDITOR || manifest.is_pinned_for_unity(id);
        if is_gate && !is_known && !is_ignored(ignored, id) {
            let manifest = &checker.source.path;
            let hint = format!("pin it in `{manifest}`, or add it to the consumer's `ignore`");
            let message = format!("the assembly gates on `{id}`, which is not pinned");
            checker
                .find(FindingRule::Unpinned, &define.id_node.place, message, hint)
                .found(*id);
        }
    }
    false
}

/// Checks that a gate requires a symbol of each package for which it produces one.
fn check_required(
    checker: &mut Checker<'_>,
    assembly: &Assembly<'_>,
    define: &VersionDefine<'_>,
    symbols: &mut Symbols,
) {
    let symbol = define.symbol;
    let own = symbols_of(checker.manifest, define.id);
    let is_required = |text: &str| own.iter().any(|symbol| text.trim() == symbol);
    if assembly
        .constraints
        .iter()
        .any(|(_, text)| is_required(text))
    {
        return;
    }
    symbols.required.extend(own.iter().cloned());
    let message = format!("`{symbol}` is produced but not required");
    let hint =
        format!("add `{symbol}` to `defineConstraints`, without `!` and without alternatives");
    let place = &define.symbol_node.place;
    checker
        .find(FindingRule::DefineConstraint, place, message, hint)
        .expected(symbol);
}

/// Checks that an entry's expression admits the pinned version. If it does not, Unity silently leaves the code out of the
/// build.
fn check_expression(checker: &mut Checker<'_>, define: &VersionDefine<'_>) {
    let (manifest, id) = (checker.manifest, define.id);
    let mut sections = [&manifest.packages, &manifest.integration_packages].into_iter();
    let (Some(pin), Some(node)) = (sections.find_map(|pins| pins.get(id)), define.expression)
    else {
        return;
    };
    let Some(text) = node.text() else { return };
    if !version::is_exact_for_unity(pin) {
        return;
    }
    let message = match version::admits(text, pin) {
        Some(true) => return,
        Some(false) => {
            format!("the expression excludes the pinned `{id}`: its code is never compiled")
        }
        None => "invalid version expression".to_owned(),
    };
    let hint = "leave it empty, or write a range that includes the pin, such as `[1.0,2.0)`";
    checker
        .find(FindingRule::VersionDefine, &node.place, message, hint)
        .found(text)
        .expected(pin);
}

/// Checks that the assembly produces each required symbol.
fn check_produced(
    checker: &mut Checker<'_>,
    assembly: &Assembly<'_>,
    node: &Node,
    text: &str,
    symbols: &mut Symbols,
) {
    for symbol in words(text) {
        symbols.required.insert(symbol.to_owned());
        let Some(owner) = owner(checker.manifest, symbol) else {
            continue;
        };
        // An incorrect entry for the package or the symbol has its own finding.
        let mut defines = assembly.defines.iter();
        if !defines.any(|define| define.id == owner || define.symbol == symbol) {
            let message = format!("`{symbol}` is required but not produced");
            let hint = entry(owner, symbol);
            checker
                .find(FindingRule::DefineConstraint, &node.place, message, hint)
                .found(text)
                .expected(owner);
        }
    }
}

/// The symbols of a constraint such as `!A || B`.
fn words(constraint: &str) -> impl Iterator<Item = &str> {
    let words = constraint.split("||");
    words.map(|word| word.trim().trim_start_matches('!').trim())
}

/// A hint to add a missing entry to `versionDefines`.
pub(super) fn entry(id: &str, symbol: &str) -> String {
    format!(
        "add `{{\"name\": \"{id}\", \"expression\": \"\", \"define\": \"{symbol}\"}}` to `versionDefines`"
    )
}
