//! Draws a flame graph as SVG without scripts, with callees above their callers.

use std::collections::BTreeMap;
use std::fmt::Write;

use perf_report::svg::escaped;

use crate::why::profile::names::short;
use crate::why::profile::{Call, Profile, Unit};

const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
const MARGIN: f64 = 28.0;
/// The minimum width of a drawn function.
const NARROWEST: f64 = 0.5;
/// The approximate width of a letter.
const LETTER: f64 = 6.7;
/// The relative change with the strongest colour.
const STRONGEST: f64 = 0.5;
/// The maximum depth of reconstructed stacks.
const DEEPEST: usize = 48;
/// The minimum share of the total for a function in reconstructed stacks.
const LEAST: f64 = 0.002;

const STYLE: &str = "\
svg{background:#fff;color-scheme:light dark}text{font:11px ui-monospace,monospace;fill:#1a1a1a}\
rect{stroke:#fff;stroke-width:.6}.s{fill:#d9d4cc}\
@media(prefers-color-scheme:dark){svg{background:#16181d}.t{fill:#e6e6e6}rect{stroke:#16181d}}";

/// Draws a flame graph of the current profile. With a base, functions that cost more are red, and those that cost less blue.
pub fn svg(title: &str, base: Option<&Profile>, current: &Profile) -> String {
    let (base, current) = (base.map(Profile::in_shares), current.in_shares());
    let root = build_tree(base.as_ref(), &current);
    let whole = root.costs[1].max(f64::MIN_POSITIVE);
    let mut graph = Graph {
        scale: WIDTH / whole,
        is_compared: base.is_some(),
        unit: current.unit,
        svg: String::new(),
    };
    let height = 2.0 * MARGIN + graph.height(&root).max(ROW);
    let _ = writeln!(
        graph.svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\"><style>{STYLE}</style>\n\
         <title>{title}</title><text class=\"t\" x=\"8\" y=\"18\">{title}</text>",
        title = escaped(title)
    );
    graph.draw("all", &root, 0.0, height - MARGIN);
    let legend = if base.is_some() {
        "red: costs more, blue: costs less than the base"
    } else {
        ""
    };
    let _ = writeln!(
        graph.svg,
        "<text class=\"t\" x=\"8\" y=\"{}\">{legend}</text></svg>",
        height - 9.0
    );
    graph.svg
}

struct Graph {
    scale: f64,
    is_compared: bool,
    unit: Unit,
    svg: String,
}

impl Graph {
    /// The height of a function and its callees, without those that are too narrow.
    fn height(&self, node: &Node) -> f64 {
        if node.costs[1] * self.scale < NARROWEST {
            return 0.0;
        }
        let callees = node.children.values().map(|child| self.height(child));
        ROW + callees.fold(0.0, f64::max)
    }

    fn draw(&mut self, name: &str, node: &Node, x: f64, bottom: f64) {
        let width = node.costs[1] * self.scale;
        if width < NARROWEST {
            return;
        }
        let (y, name) = (bottom - ROW, short(name));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few hundred letters"
        )]
        let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
        let _ = writeln!(
            self.svg,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{ROW}\" {}/>\
             <text x=\"{:.1}\" y=\"{:.0}\">{}</text></g>",
            escaped(&self.title(&name, node)),
            self.color(node),
            x + 3.0,
            y + 13.0,
            escaped(&fit_name(&name, letters))
        );
        let mut left = x;
        for (name, child) in &node.children {
            self.draw(name, child, left, y);
            left += child.costs[1] * self.scale;
        }
    }

    fn title(&self, name: &str, node: &Node) -> String {
        let [base, current] = node.costs;
        let share = 100.0 * current * self.scale / WIDTH;
        let now = format!("{name}: {} ({share:.1}%)", self.unit.format(current));
        if self.is_compared {
            format!("{now}, base {}", self.unit.format(base))
        } else {
            now
        }
    }

    /// Red for growth and blue for shrinkage, light enough for dark text in both themes.
    fn color(&self, node: &Node) -> String {
        let [base, current] = node.costs;
        let change = if self.is_compared {
            (current - base) / current.max(base) / STRONGEST
        } else {
            0.0
        };
        let faded = 215.0 - 115.0 * change.abs().min(1.0);
        match change {
            change if change > 0.02 => format!("fill=\"rgb(250,{faded:.0},{faded:.0})\""),
            change if change < -0.02 => format!("fill=\"rgb({faded:.0},{:.0},250)\"", faded + 20.0),
            _ => "class=\"s\"".to_owned(),
        }
    }
}

/// Shortens a name to fit: removes its type, or adds an ellipsis.
fn fit_name(name: &str, letters: usize) -> String {
    let fits = |name: &str| name.chars().count() <= letters;
    if fits(name) {
        return name.to_owned();
    }
    let method = name
        .rsplit("::")
        .next()
        .filter(|method| !method.starts_with('{') && !name.contains('<'));
    let name = method.unwrap_or(name);
    match letters {
        0..3 => String::new(),
        _ if fits(name) => name.to_owned(),
        _ => name.chars().take(letters - 1).chain(['…']).collect(),
    }
}

/// A function at one position in the call tree, with its inclusive costs in base and head.
#[derive(Debug, Default)]
struct Node {
    costs: [f64; 2],
    children: BTreeMap<String, Node>,
}

/// Builds the call tree.
fn build_tree(base: Option<&Profile>, current: &Profile) -> Node {
    let mut root = Node::default();
    for (side, profile) in [(0, base), (1, Some(current))] {
        let Some(profile) = profile else { continue };
        root.costs[side] = profile.total();
        if profile.stacks.is_empty() {
            add_calls(&mut root, profile, side);
        }
        for (frames, cost) in &profile.stacks {
            let mut node = &mut root;
            for frame in frames {
                let name = profile.functions[*frame].name.clone();
                node = node.children.entry(name).or_default();
                node.costs[side] += cost;
            }
        }
    }
    root
}

/// Adds stacks that are reconstructed from calls.
fn add_calls(root: &mut Node, profile: &Profile, side: usize) {
    let mut calls = vec![Vec::new(); profile.functions.len()];
    let mut is_called = vec![false; profile.functions.len()];
    for call in &profile.calls {
        calls[call.caller].push(call);
        is_called[call.callee] |= call.caller != call.callee;
    }
    let unrolled = Unrolled {
        profile,
        calls,
        side,
        least: profile.total() * LEAST,
    };
    for (function, known) in profile.functions.iter().enumerate() {
        if !is_called[function] {
            unrolled.enter(root, function, known.inclusive, &mut Vec::new());
        }
    }
}

/// Reconstructs stacks from calls, by dividing each callee's cost among its callers.
struct Unrolled<'p> {
    profile: &'p Profile,
    calls: Vec<Vec<&'p Call>>,
    side: usize,
    least: f64,
}

impl Unrolled<'_> {
    fn enter(&self, parent: &mut Node, function: usize, cost: f64, path: &mut Vec<usize>) {
        let known = &self.profile.functions[function];
        if cost < self.least || path.len() >= DEEPEST {
            return;
        }
        let node = parent.children.entry(known.name.clone()).or_default();
        node.costs[self.side] += cost;
        path.push(function);
        let (back, forward): (Vec<&Call>, Vec<&Call>) = self.calls[function]
            .iter()
            .copied()
            .partition(|call| self.leads_back(call.callee, path));
        // Calls back into the path, such as in the start of a C program, count the cost a second time.
        let repeated: f64 = back
            .iter()
            .filter(|call| call.callee != function)
            .map(|call| call.cost)
            .sum();
        let share = (cost / (known.inclusive - repeated).max(cost)).min(1.0);
        for call in forward {
            self.enter(node, call.callee, call.cost * share, path);
        }
        path.pop();
    }

    /// True if a function is in the path, or calls one in the path and costs almost nothing otherwise.
    fn leads_back(&self, function: usize, path: &[usize]) -> bool {
        let is_back = |call: &&&Call| path.contains(&call.callee);
        let forward: f64 = self.calls[function]
            .iter()
            .filter(|call| !is_back(call))
            .map(|call| call.cost)
            .sum();
        let rest = self.profile.functions[function].own + forward;
        path.contains(&function)
            || (rest < self.least && self.calls[function].iter().any(|call| is_back(&call)))
    }
}
