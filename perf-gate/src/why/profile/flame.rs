//! Draws a flame graph as SVG without scripts, with callees above their callers.

use std::collections::BTreeMap;
use std::fmt::Write;

use perf_report::svg::escaped;

use super::names::short;
use super::{Call, Profile, Unit};

const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
const MARGIN: f64 = 28.0;
/// The minimum width of a drawn function in pixels.
const NARROWEST: f64 = 0.5;
/// The relative change that gets the strongest colour.
const STRONGEST: f64 = 0.5;
/// The maximum depth of reconstructed stacks.
const DEEPEST: usize = 48;
/// Reconstructed stacks leave out functions that cost less than this share of the total.
const LEAST: f64 = 0.002;

const STYLE: &str = "\
svg{background:#fff;color-scheme:light dark}text{font:11px ui-monospace,monospace;fill:#1a1a1a}\
rect{stroke:#fff;stroke-width:.6}.s{fill:#d9d4cc}\
@media(prefers-color-scheme:dark){svg{background:#16181d}.t{fill:#e6e6e6}rect{stroke:#16181d}}";

/// Draws a flame graph of the current profile. If there is a base, functions that cost more are red, and functions that
/// cost less are blue.
pub fn svg(title: &str, base: Option<&Profile>, current: &Profile) -> String {
    let (base, current) = (base.map(Profile::in_shares), current.in_shares());
    let root = build_tree(base.as_ref(), &current);
    let mut graph = Graph {
        scale: WIDTH / root.costs[1].max(f64::MIN_POSITIVE),
        is_compared: base.is_some(),
        unit: current.unit,
        functions: String::new(),
    };
    let top = graph.draw("all", &root, 0.0, -MARGIN) - MARGIN;
    let legend = match base {
        Some(_) => "red: costs more, blue: costs less than the base",
        None => "",
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 {top} {WIDTH} {height}\" \
         role=\"img\"><style>{STYLE}</style>\n\
         <title>{title}</title><text class=\"t\" x=\"8\" y=\"{}\">{title}</text>\n\
         {}<text class=\"t\" x=\"8\" y=\"-9\">{legend}</text></svg>\n",
        top + 18.0,
        graph.functions,
        height = -top,
        title = escaped(title)
    )
}

struct Graph {
    scale: f64,
    is_compared: bool,
    unit: Unit,
    functions: String,
}

impl Graph {
    /// Draws a function and its callees. Returns the y coordinate of the highest callee's upper edge. Each function is a
    /// nested SVG, which cuts off long names.
    fn draw(&mut self, name: &str, node: &Node, x: f64, bottom: f64) -> f64 {
        let width = node.costs[1] * self.scale;
        if width < NARROWEST {
            return bottom;
        }
        let y = bottom - ROW;
        let name = short(name);
        let _ = writeln!(
            self.functions,
            "<svg x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{ROW}\"><title>{}</title>\
             <rect width=\"100%\" height=\"100%\" {}/><text x=\"3\" y=\"13\">{}</text></svg>",
            escaped(&self.title(&name, node)),
            self.color(node),
            escaped(&name)
        );
        let (mut left, mut top) = (x, y);
        for (name, child) in &node.children {
            top = top.min(self.draw(name, child, left, y));
            left += child.costs[1] * self.scale;
        }
        top
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
        let change = (current - base) / current.max(base) / STRONGEST;
        let faded = 215.0 - 115.0 * change.abs().min(1.0);
        if !self.is_compared || change.abs() <= 0.02 {
            "class=\"s\"".to_owned()
        } else if change > 0.0 {
            format!("fill=\"rgb(250,{faded:.0},{faded:.0})\"")
        } else {
            format!("fill=\"rgb({faded:.0},{:.0},250)\"", faded + 20.0)
        }
    }
}

/// A function at one position in the call tree, with its inclusive costs in base and head.
#[derive(Debug, Default)]
struct Node {
    costs: [f64; 2],
    children: BTreeMap<String, Node>,
}

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

/// Adds stacks that are reconstructed from calls, for a profile without stacks.
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
        // Calls back into the path, such as at the start of a C program, would add the same cost twice.
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

    /// True if a function is in the path, or if it calls a function in the path and costs almost nothing apart from that.
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
