// Two commits: the changes between them, the largest loss first.
"use strict";

/* A difference of at least this many standard deviations is a change. */
const DEVIATIONS = 4;

/* The rows of the table. */
let rows = [];

function startCompare() {
  const { runs } = site.data;
  byId("commits").append(
    ...runs.map((_, at) => make("option", { value: runName(at) }, [dayOf(at), runs[at][2]].filter(Boolean).join(" "))).reverse(),
  );
  for (const id of ["from", "to"]) byId(id).addEventListener("change", () => (location.hash = `${byId("from").value}..${byId("to").value}`));
  byId("swap").addEventListener("click", () => (location.hash = `${byId("to").value}..${byId("from").value}`));
  byId("shown").addEventListener("input", showChanges);
  byId("save").addEventListener("click", () => save("compared.csv", "text/csv", csv(comparedRows())));
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", compareRuns);
  compareRuns();
}

/* Reads the two commits from the address, `#A..B`; the default is the newest two. */
async function compareRuns() {
  const { runs, series, chunk } = site.data;
  const [first, second] = decodeURIComponent(location.hash.slice(1)).split(/\.{2,3}/);
  const named = [first, second].map((text) => findRun(text?.trim()));
  const [from, to] = location.hash.length > 1 ? named : [runs.length - 2, runs.length - 1];
  byId("from").value = from < 0 ? first || "" : runName(from);
  byId("to").value = to < 0 ? second || "" : runName(to);
  byId("compared").replaceChildren();
  if (from < 0 || to < 0) {
    byId("count").textContent = `No measured commit begins with ${from < 0 ? first || "nothing" : second || "nothing"}.`;
    return;
  }
  byId("count").textContent = "Loading the values …";
  try {
    const chunks = await Promise.all(Array.from({ length: Math.ceil(series.id.length / chunk) }, (_, number) => load(number)));
    rows = chunks.flat().map((points, at) => compared(points, at, from, to));
    rows.sort((a, b) => Math.abs(b.size) - Math.abs(a.size) || a.at - b.at);
    showChanges();
  } catch (error) {
    byId("count").textContent = `${error.message}: is the site complete?`;
  }
}

/* The values of a series at or before each run, and whether they differ by more than its noise, or in level. */
function compared(points, at, from, to) {
  const until = (run) => points.runs.findLastIndex((one) => one <= run);
  const places = [until(from), until(to)];
  const [before, after] = places.map((place) => points.values[place]);
  const row = { points, at, before, after, size: 0, changed: false, level: null, places };
  if (before === undefined || after === undefined || places[0] === places[1]) return row;
  const [low, high] = [...places].sort((a, b) => a - b);
  row.level = points.changes.findLast(([change]) => change > low && change <= high) || null;
  const size = before > 0 && after > 0 ? Math.log(after / before) : Math.sign(after - before);
  row.size = points.lower === false ? -size : size;
  row.changed = row.level !== null || Math.abs(size) > DEVIATIONS * deviation(points.values);
  return row;
}

/* The standard deviation of the difference between neighbours, as a logarithm, ignoring the few large ones. */
function deviation(values) {
  const steps = values.slice(1).map((value, at) => (value > 0 && values[at] > 0 ? Math.abs(Math.log(value / values[at])) : 0));
  steps.sort((a, b) => a - b);
  return 1.4826 * (steps[Math.floor(steps.length / 2)] || 0);
}

/* Losses first, then gains; the largest first in both. */
function shownRows() {
  const shown = byId("shown").value === "all" ? rows.filter((row) => row.places[1] >= 0 && row.places[0] >= 0) : rows.filter((row) => row.changed);
  return [...shown.filter((row) => row.size > 0), ...shown.filter((row) => row.size <= 0)];
}

const wordOf = ({ points, size }) => (size === 0 ? "" : points.words[size > 0 ? 0 : 1]);

function changeOf({ before, after }) {
  return before > 0 ? shareText((after - before) / before) : "";
}

function comparedRows() {
  const { series, metrics } = site.data;
  const row = (one) => [site.data.names[series.name[one.at]], metrics[series.metric[one.at]], placeOf(one.at), one.before, one.after, changeOf(one).replace("−", "-"), wordOf(one)];
  return [["benchmark", "metric", "place", byId("from").value, byId("to").value, "change", ""], ...shownRows().map(row)];
}

/* The head: both commits, the code between them, and how many changed. */
function headOf() {
  const { runs, repository } = site.data;
  const [from, to] = ["from", "to"].map((id) => findRun(byId(id).value));
  const parts = [[dayOf(from), " ", commitOf(from), " ", ...subjectOf(from)], " → ", [dayOf(to), " ", commitOf(to), " ", ...subjectOf(to)]];
  if (repository && [from, to].every((run) => /^[0-9a-f]{7,64}$/i.test(runs[run][0]))) {
    parts.push(" · ", make("a", { href: `${repository}/compare/${runs[from][0]}...${runs[to][0]}` }, "code between"));
  }
  return make("p", {}, ...parts.flat());
}

function showChanges() {
  const { series, metrics, names } = site.data;
  const changed = rows.filter((row) => row.changed);
  const counts = new Map();
  for (const row of changed) counts.set(wordOf(row), (counts.get(wordOf(row)) || 0) + 1);
  const unmeasured = rows.filter((row) => row.before === undefined || row.after === undefined).length;
  const tally = [...counts].filter(([word]) => word).map(([word, count]) => `${count} ${word}`).join(", ");
  byId("count").textContent =
    `${changed.length} of ${rows.length} changed${tally ? `: ${tally}` : ""}.` + (unmeasured ? ` ${unmeasured} were not measured in both base and head.` : "");
  const shown = shownRows();
  const lines = shown.slice(0, 1000).map((row) => {
    const href = `index.html#id=${series.id[row.at]}&at=${runName(row.points.runs[row.places[1]])}`;
    const where = [metrics[series.metric[row.at]], placeOf(row.at)].filter(Boolean).join(" · ");
    const name = make("span", {}, make("a", { href, title: names[series.name[row.at]] }, nameOf(row.at)), make("small", {}, where));
    const className = row.points.lower === null || row.size === 0 ? null : row.size > 0 ? "regressed" : "improved";
    const change = make("span", { class: className }, [changeOf(row), wordOf(row)].filter(Boolean).join(" "));
    const level = row.level ? make("span", {}, row.level[3], " ", commitOf(row.points.runs[row.level[0]])) : "";
    return [change, name, numberText(row.points, row.before, 3), numberText(row.points, row.after, 3), level];
  });
  const caption = [`Beyond ${DEVIATIONS} standard deviations of the steps between runs, or over a change of level; losses first`, ...sharedEnds()];
  const head = ["Change", "Benchmark", "Before", "After", "Last change of level between"];
  byId("compared").replaceChildren(headOf(), shown.length > 0 ? table(caption, head, lines, [0, 2, 3]) : "");
}
