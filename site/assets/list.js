// The list of all series: search, filters, order, and the visible rows.
"use strict";

/* The loaded data and the current view, shared with the other scripts. */
const site = { data: null, chunks: new Map(), matches: [], open: null };

/* Creates an element with attributes and children. Strings are set as text, so no name becomes markup. */
function make(tag, attributes, ...children) {
  const isSvg = tag === "svg" || tag === "path";
  const element = isSvg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

/* Called by `data/index.js`. */
function perfSite(data) {
  site.data = data;
  const { series, names, metrics, scopes, machines } = data;
  site.place = new Map(series.id.map((id, at) => [id, at]));
  site.words = series.id.map((_, at) =>
    [names[series.name[at]], metrics[series.metric[at]], scopes[series.scope[at]], machines[series.machine[at]]]
      .join("\n")
      .toLowerCase(),
  );
  if (byId("compare")) return startCompare();
  choices("scope", scopes);
  choices("machine", machines);
  choices("metric", metrics);
  nameImprovements();
  byId("list").hidden = false;
  window.addEventListener("hashchange", readAddress);
  window.addEventListener("scroll", drawSoon, { passive: true });
  window.addEventListener("resize", redraw);
  byId("controls").addEventListener("input", filterAndSay);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("rows").addEventListener("keydown", moveInList);
  byId("save").addEventListener("click", () => save("benchmarks.csv", "text/csv", csv(listed())));
  readAddress();
}

/* The rows of the list in their current order. */
function listed() {
  const { series, names, metrics, scopes, machines } = site.data;
  const row = (at) => [
    names[series.name[at]],
    metrics[series.metric[at]],
    scopes[series.scope[at]],
    machines[series.machine[at]],
    ...["newest", "reference", "change", "verdict"].map((column) => series[column][at]),
  ];
  return [["benchmark", "metric", "scope", "machine", "newest", "compared with", "change", "verdict"], ...site.matches.map(row)];
}

/* Fills a filter. A filter with a single choice is hidden. */
function choices(id, names) {
  const select = byId(id);
  names.forEach((name, at) => select.append(make("option", { value: at }, name || "not recorded")));
  select.parentElement.hidden = names.length < 2;
}

/* Labels the choice of improvements with the words in their rows: faster, less. */
function nameImprovements() {
  const { state, verdict } = site.data.series;
  const words = [...new Set(verdict.filter((_, at) => state[at] === "improved"))].join(", ");
  if (words) document.querySelector("#state [value=improved]").textContent = words[0].toUpperCase() + words.slice(1);
}

/* The common beginning and end of all names, which rows omit. */
function sharedEnds() {
  const { prefix, suffix } = site.data;
  const parts = [prefix && [" begin with ", make("code", {}, prefix)], suffix && [" end with ", make("code", {}, suffix)]];
  return parts.filter(Boolean).flatMap((part, at) => [at > 0 ? " and" : ". Names", ...part]);
}

/* The address contains the current view, so it can be shared: `#id=…` for a series, otherwise search and filters. */
const FILTERS = { scope: "scopes", machine: "machines", metric: "metrics" };

function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  // A series covers the list, which stays unchanged.
  const isOne = asked.has("id") || asked.has("benchmark");
  if (!isOne) setFilters(asked);
  if (!isOne || site.matches.length === 0) filter();
  showSeries(asked);
}

function setFilters(asked) {
  byId("search").value = asked.get("q") || "";
  for (const [id, names] of Object.entries(FILTERS)) {
    const at = asked.has(id) ? site.data[names].indexOf(asked.get(id)) : -1;
    byId(id).value = at < 0 ? "" : String(at);
  }
  for (const id of ["state", "order"]) {
    const select = byId(id);
    select.value = asked.get(id) || "";
    if (select.selectedIndex < 0) select.value = "";
  }
}

function address() {
  const said = new URLSearchParams();
  const put = (name, value) => value && said.set(name, value);
  put("q", byId("search").value);
  for (const [id, names] of Object.entries(FILTERS)) {
    if (byId(id).value !== "") said.set(id, site.data[names][byId(id).value]);
  }
  put("state", byId("state").value);
  put("order", byId("order").value);
  return `#${said}`;
}

function filterAndSay() {
  filter();
  replaceAddress(address());
}

/* Writes an address once it has not changed for a moment, because browsers limit the changes per second. */
let nextAddress = 0;

function replaceAddress(hash) {
  clearTimeout(nextAddress);
  nextAddress = setTimeout(() => {
    try {
      history.replaceState(null, "", hash);
    } catch {
      // Browsers may forbid this for a page opened from disk; the address then stays unchanged.
    }
  }, 100);
}

function filter() {
  const { series } = site.data;
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.keys(FILTERS)
    .filter((id) => byId(id).value !== "")
    .map((id) => [series[id], Number(byId(id).value)]);
  const state = byId("state").value;
  const isShown = (at) =>
    (state === "" || (state === "changed" ? series.changed[at] >= 0 : series.state[at] === state)) &&
    wanted.every(([column, value]) => column[at] === value) &&
    words.every((word) => site.words[at].includes(word));
  site.matches = series.id.map((_, at) => at).filter(isShown);
  const order = ORDERS[byId("order").value];
  if (order) site.matches.sort((a, b) => order(a, b, site.data) || a - b);
  const all = series.id.length;
  const count = site.matches.length;
  const [few, many] = [count, all].map((number) => number.toLocaleString("en-US"));
  byId("count").textContent = count === all ? `${many} charts` : `${few} of ${many} charts`;
  byId("table").setAttribute("aria-rowcount", count + 1);
  redraw();
}

const ORDERS = {
  recent: (a, b, { series }) => series.changed[b] - series.changed[a],
  worst: (a, b, { series }) => series.loss[b] - series.loss[a],
  best: (a, b, { series }) => series.loss[a] - series.loss[b],
  name: (a, b, { series, names }) => names[series.name[a]].localeCompare(names[series.name[b]]),
};

/* The visible rows, by their position in the list. */
const drawn = new Map();
let rowHeight = 48;
let isWaiting = false;

function drawSoon() {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    draw();
  });
}

function redraw() {
  for (const row of drawn.values()) row.remove();
  drawn.clear();
  rowHeight = window.matchMedia("(max-width: 700px)").matches ? 72 : 48;
  byId("rows").style.height = `${site.matches.length * rowHeight}px`;
  draw();
}

/* Keeps visible rows, and inserts the missing ones in the order of the list. */
function draw() {
  if (byId("overview").hidden) return;
  const rows = byId("rows");
  const above = -rows.getBoundingClientRect().top;
  const first = Math.max(0, Math.floor(above / rowHeight) - 10);
  const last = Math.min(site.matches.length, Math.ceil((above + window.innerHeight) / rowHeight) + 10);
  for (const [at, row] of drawn) {
    if (at < first || at >= last) {
      row.remove();
      drawn.delete(at);
    }
  }
  let next = null;
  for (let at = last - 1; at >= first; at -= 1) {
    let row = drawn.get(at);
    if (!row) {
      row = rowOf(at);
      rows.insertBefore(row, next);
      drawn.set(at, row);
    }
    next = row;
  }
}

function rowOf(at) {
  const { series, names, metrics } = site.data;
  const one = site.matches[at];
  const cell = (...children) => make("span", { role: "cell" }, ...children);
  const name = names[series.name[one]];
  const [path, leaf] = folded(name);
  const link = make("a", { href: `#id=${series.id[one]}`, title: name }, shortening(leaf));
  // A level change is not a change of the newest value.
  const changed = series.state[one] === series.class[one] ? series.class[one] : "";
  const row = make(
    "div",
    { role: "row", class: "row", "aria-rowindex": at + 2 },
    make("span", { role: "cell", class: "name" }, link, make("small", {}, [path, placeOf(one)].filter(Boolean).join(" · "))),
    cell(metrics[series.metric[one]]),
    cell(series.newest[one]),
    cell(series.reference[one]),
    make("span", { role: "cell", class: changed }, series.change[one]),
    make("span", { role: "cell", class: series.class[one] }, verdictOf(one)),
    cell(spark(series.spark[one])),
  );
  row.style.top = `${at * rowHeight}px`;
  row.style.height = `${rowHeight}px`;
  return row;
}

const SIGNS = { regressed: "✖ ", inconclusive: "? ", improved: "★ ", within: "✔ " };

function verdictOf(at) {
  const { series } = site.data;
  const sign = series.state[at] === series.class[at] ? SIGNS[series.state[at]] : "";
  return (sign || "") + series.verdict[at];
}

/* The length of the longest name that fits into a row, and of its end that is always shown. */
const LONGEST = 48;
const TAIL = 12;

/* A name without the common beginning and end, split into a long identifier's path and the rest. */
function folded(name) {
  const { prefix, suffix } = site.data;
  const inner = suffix && name.endsWith(suffix) ? `${name.slice(0, -suffix.length)}…` : name;
  const rest = prefix && inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
  if (rest.length <= LONGEST || /\s/.test(rest)) return ["", rest];
  const ends = [...rest.matchAll(/[./:]+/g)].map((found) => found.index + found[0].length);
  const end = ends.find((at) => rest.length - at <= LONGEST) || 0;
  return rest.length - end < 20 ? ["", rest] : [rest.slice(0, end), rest.slice(end)];
}

/* The name of a series without the common beginning and end, with line breaks allowed after separators and before humps. */
function nameOf(at) {
  const { series, names } = site.data;
  const parts = folded(names[series.name[at]]).join("").split(/(?<=[_/:.\-,=+([;&])(?![_/:.\-,=+([;&])|(?<=[a-z])(?=[A-Z])/);
  return make("bdi", {}, ...parts.flatMap((part, at) => (at > 0 ? [make("wbr"), part] : [part])));
}

/* Narrow columns hide the middle of a name, because related names differ at their ends. */
function shortening(name) {
  const end = name.length > 2 * TAIL ? name.length - TAIL : name.length;
  return make("bdi", {}, make("span", {}, name.slice(0, end)), make("span", {}, name.slice(end)));
}

function placeOf(at) {
  const { series, scopes, machines } = site.data;
  return [scopes[series.scope[at]], machines[series.machine[at]]].filter(Boolean).join(" · ");
}

/* A line through the digits of a small chart. */
function spark(digits) {
  const step = 100 / Math.max(1, digits.length - 1);
  const points = Array.from(digits, (digit, at) => `${Math.round(at * step)} ${37 - parseInt(digit, 36)}`);
  const line = points.length === 1 ? `M0 ${points[0].split(" ")[1]}h100` : `M${points.join("L")}`;
  const options = { class: "spark", viewBox: "-1 0 102 39", preserveAspectRatio: "none", "aria-hidden": "true" };
  return make("svg", options, make("path", { d: line, "vector-effect": "non-scaling-stroke" }));
}

/* Arrow keys, Home and End move from row to row, including rows that are not visible yet. */
function moveInList(event) {
  const row = event.target.closest(".row");
  const at = row ? Number(row.getAttribute("aria-rowindex")) - 2 : -1;
  const last = site.matches.length - 1;
  const page = Math.max(1, Math.floor(window.innerHeight / rowHeight) - 2);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const target = Math.min(last, Math.max(0, to));
  const top = byId("rows").getBoundingClientRect().top + window.scrollY + target * rowHeight;
  if (top < window.scrollY || top + rowHeight > window.scrollY + window.innerHeight) {
    window.scrollTo(0, top - window.innerHeight / 2);
  }
  draw();
  drawn.get(target)?.querySelector("a").focus({ preventScroll: true });
}
