//! Draws a flame graph as SVG without scripts, with callees above their callers.

use std::fmt::Write;

use crate::why::profile::names::short;
use crate::why::profile::tree::{self, Node};
use crate::why::profile::{Profile, Unit};

const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
const MARGIN: f64 = 28.0;
/// The minimum width of a drawn function.
const NARROWEST: f64 = 0.5;
/// The approximate width of a letter.
const LETTER: f64 = 6.7;
/// The relative change with the strongest colour.
const STRONGEST: f64 = 0.5;

const STYLE: &str = "\
svg{background:#fff;color-scheme:light dark}text{font:11px ui-monospace,monospace;fill:#1a1a1a}\
rect{stroke:#fff;stroke-width:.6}.s{fill:#d9d4cc}\
@media(prefers-color-scheme:dark){svg{background:#16181d}.t{fill:#e6e6e6}rect{stroke:#16181d}}";

/// Draws a flame graph of the current profile. With a base, functions that cost more are red, and those that cost less blue.
pub fn svg(title: &str, base: Option<&Profile>, current: &Profile) -> String {
    let (base, current) = (base.map(Profile::in_shares), current.in_shares());
    let root = tree::build(base.as_ref(), &current);
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
        title = escape_xml(title)
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
            escape_xml(&self.title(&name, node)),
            self.color(node),
            x + 3.0,
            y + 13.0,
            escape_xml(&fit_name(&name, letters))
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

fn escape_xml(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
