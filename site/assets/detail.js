// The view of a series: its chart, an explanation, and its values.
"use strict";

/* Called by the script of a chunk. */
function perfChunk(chunk) {
  const { series, axes } = chunk;
  const runs = axes.map((parts) => {
    const list = [];
    for (let at = 0; at < parts.length; at += 2) {
      for (let run = 0; run < parts[at + 1]; run += 1) list.push(parts[at] + run);
    }
    return list;
  });
  site.chunks.get(chunk.number)?.arrived(series.map((points) => ({ ...points, runs: runs[points.axis] })));
}

/* Loads the series of a chunk, once. */
function load(number) {
  const known = site.chunks.get(number);
  if (known) return known.series;
  const entry = {};
  entry.series = new Promise((resolve, reject) => {
    entry.arrived = resolve;
    const name = `data/${String(number).padStart(4, "0")}.js`;
    const script = make("script", { src: name });
    script.addEventListener("error", () => {
      site.chunks.delete(number);
      reject(new Error(`cannot load ${name}`));
    });
    document.head.append(script);
  });
  site.chunks.set(number, entry);
  return entry.series;
}

/* The points of a series, by its position in the list. */
async function pointsOf(at) {
  const { chunk } = site.data;
  return (await load(Math.floor(at / chunk)))[at % chunk];
}

/* Finds the series in an address: by its id, or, in links from reports, by the labels of benchmark, metric and scope. */
function asked(said) {
  if (said.has("id")) return site.place.get(said.get("id"));
  if (!said.has("benchmark")) return undefined;
  const { series, names, metrics, scopes } = site.data;
  // In a comparison of libraries, the library follows the name.
  const is = (of, at, name) => !said.has(name) || of[at] === said.get(name) || of[at].startsWith(`${said.get(name)} (`);
  const at = series.id.findIndex(
    (_, one) =>
      is(names, series.name[one], "benchmark") && is(metrics, series.metric[one], "metric") && is(scopes, series.scope[one], "scope"),
  );
  return at < 0 ? undefined : at;
}

/* Shows the series in an address, or the overview. */
async function showSeries(said) {
  const detail = byId("detail");
  const at = asked(said);
  if (!site.open && at !== undefined) site.scroll = window.scrollY;
  const wasOpen = site.open;
  wasOpen?.chart?.close();
  site.open = at === undefined ? null : { at, chart: null, said };
  byId("overview").hidden = at !== undefined;
  detail.hidden = at === undefined;
  detail.replaceChildren();
  if (at === undefined) {
    draw();
    if (wasOpen) {
      window.scrollTo(0, site.scroll || 0);
      draw();
      document.querySelector(`#rows a[href="#id=${site.data.series.id[wasOpen.at]}"]`)?.focus({ preventScroll: true });
    }
    return;
  }
  window.scrollTo(0, 0);
  const { open } = site;
  open.others = (said.get("with") || "").split(",").map((id) => site.place.get(id)).filter((other) => other !== undefined && other !== at);
  open.others.length = Math.min(open.others.length, LINES.length - 1);
  try {
    const all = await Promise.all([at, ...open.others].map(pointsOf));
    if (site.open === open) fill(detail, open, [withRun(all[0], said), ...all.slice(1)]);
  } catch (error) {
    detail.replaceChildren(back(), make("p", { role: "alert" }, `${error.message}: is the site complete?`));
  }
}

/* Adds the value of the report that links here, because its run is not in the history. */
function withRun(points, said) {
  const value = Number.parseFloat(said.get("value"));
  const commit = said.get("commit") || "";
  if (!Number.isFinite(value)) return points;
  const { runs } = site.data;
  runs.push([commit, null, "the run of the report"]);
  said.set("at", `@${runs.length - 1}`);
  return { ...points, runs: [...points.runs, runs.length - 1], values: [...points.values, value] };
}

/* Aligns lines to the union of their runs, with null for missing values. */
function aligned(all) {
  const runs = [...new Set(all.flatMap((points) => points.runs))].sort((a, b) => a - b);
  const place = new Map(runs.map((run, at) => [run, at]));
  const lines = all.map((points) => {
    const values = Array(runs.length).fill(null);
    points.runs.forEach((run, at) => (values[place.get(run)] = points.values[at]));
    const changes = points.changes.map(([at, ...rest]) => [place.get(points.runs[at]), ...rest]);
    return { ...points, values, changes, from: place.get(points.runs[points.from]) ?? 0 };
  });
  return { runs, lines };
}

/* A run's name in an address: its short commit, or its position. */
function runName(run) {
  const [commit] = site.data.runs[run];
  return /^[0-9a-f]{7,64}$/i.test(commit) ? commit.slice(0, 10) : `@${run}`;
}

function findRun(text) {
  const { runs } = site.data;
  if (!text) return -1;
  if (text.startsWith("@")) return runs[Number(text.slice(1))] ? Number(text.slice(1)) : -1;
  return runs.findIndex(([commit]) => commit.startsWith(text) || (commit !== "" && text.startsWith(commit)));
}

/* Writes the current view to the address, without a new history entry. */
function say(changed) {
  const { said } = site.open;
  for (const [name, value] of Object.entries(changed)) {
    if (value) said.set(name, value);
    else said.delete(name);
  }
  replaceAddress(`#${said}`);
}

function back() {
  const link = make("a", { href: address() === "#" ? "#all" : address() }, "All benchmarks");
  return make("p", {}, link);
}

function fill(detail, open, all) {
  const { at, said } = open;
  const [points] = all;
  const { series, names, metrics } = site.data;
  const { runs, lines } = aligned(all);
  const title = make("h2", { tabindex: -1, title: names[series.name[at]] }, nameOf(at));
  const better = { true: "lower is better", false: "higher is better" }[points.lower];
  const about = [metrics[series.metric[at]], better, placeOf(at), points.key].filter(Boolean).join(" · ");
  const label = `Chart of ${names[series.name[at]]}. Arrow keys move from value to value, plus and minus zoom, 0 shows all.`;
  const plot = make("div", { id: "plot", tabindex: 0, role: "group", "aria-label": label });
  const point = make("p", { id: "point", role: "status" });
  const tools = make("div", { class: "tools" });
  const hint = "Drag over the chart to zoom, double-click to see all; click to hold a value. Keys: ← → + − 0.";
  detail.replaceChildren(
    back(),
    title,
    make("p", { class: "place" }, about),
    sentence(at, points),
    plot,
    make("p", { id: "hint" }, hint),
    point,
    key(open, points),
    tools,
    changes(points),
    values(points),
    others(at),
  );
  const isAlike = all.every((other) => other.suffix === points.suffix && other.divisor === points.divisor);
  const choices = ["linear", "log", "percent"].filter((scale) => isAlike || scale === "percent");
  const scale = choices.includes(said.get("scale")) ? said.get("scale") : choices[0];
  const index = (name) => {
    const found = runs.indexOf(findRun(said.get(name)));
    return found < 0 ? undefined : found;
  };
  const view = { scale, from: index("from"), to: index("to"), at: index("at") };
  open.chart = chart(plot, lines, view, runs.map(dayOf), {
    point: (place, isPinned) => describe(point, open, { runs, lines, at: place }, isPinned),
    view: (now) => say(Object.fromEntries(["from", "to", "at"].map((name) => [name, now[name] === undefined ? "" : runName(runs[now[name]])]))),
  });
  const button = (text, act) => {
    const element = make("button", { type: "button" }, text);
    element.addEventListener("click", act);
    return element;
  };
  const lasts = [100, 30].filter((last) => last < runs.length);
  const file = (text, type, content) => button(text, () => save(`${names[series.name[at]]}.${text.toLowerCase()}`, type, content()));
  tools.append(
    button("All values", open.chart.all),
    ...lasts.map((last) => button(`Last ${last}`, () => open.chart.last(last))),
    scaleChoice(choices, scale),
    addition(open),
    make("span", {}, file("CSV", "text/csv", () => csvOf(open, { runs, lines })), " ", file("JSON", "application/json", () => jsonOf(open, all))),
  );
  title.focus({ preventScroll: true });
}

/* Changes the address and shows the series again. */
function again(changed) {
  say(changed);
  showSeries(site.open.said);
}

function scaleChoice(choices, scale) {
  const names = { linear: "Linear", log: "Logarithmic", percent: "Percent of the first" };
  const select = make("select", { id: "scale" }, ...choices.map((name) => make("option", { value: name, selected: name === scale }, names[name])));
  select.addEventListener("input", () => again({ scale: select.value === "linear" ? "" : select.value }));
  return make("label", {}, "Scale ", select);
}

/* The full name of a series, for choosing it. */
function fullName(at) {
  const { series, names, metrics } = site.data;
  return [names[series.name[at]], metrics[series.metric[at]], placeOf(at)].filter(Boolean).join(" · ");
}

/* The same without the common beginning and end of all names. */
function shortName(at) {
  const { series, names, metrics } = site.data;
  return [folded(names[series.name[at]]).join(""), metrics[series.metric[at]], placeOf(at)].filter(Boolean).join(" · ");
}

/* A field that adds a benchmark to the chart. */
function addition(open) {
  if (open.others.length >= LINES.length - 1) return "";
  const input = make("input", { id: "with", list: "series", placeholder: "name of a benchmark", autocomplete: "off" });
  const list = make("datalist", { id: "series" });
  const suggest = () => {
    const words = input.value.toLowerCase().split(/[\s·]+/).filter(Boolean);
    const found = [];
    for (let at = 0; at < site.words.length && found.length < 30; at += 1) {
      if (at !== open.at && !open.others.includes(at) && words.every((word) => site.words[at].includes(word))) found.push(at);
    }
    list.replaceChildren(...found.map((at) => make("option", { value: fullName(at) })));
    const chosen = found.find((at) => fullName(at) === input.value);
    if (chosen !== undefined) again({ with: withIds([...open.others, chosen]) });
  };
  input.addEventListener("focus", suggest);
  input.addEventListener("input", suggest);
  return make("label", {}, "Beside it ", input, list);
}

const withIds = (others) => others.map((at) => site.data.series.id[at]).join(",");

/* Offers text as a file to download. */
function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name.replace(/[^\w.-]+/g, "_").slice(-80) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Rows of cells as CSV. A cell that a spreadsheet would evaluate gets an apostrophe. */
function csv(rows) {
  const cell = (value) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) && !/^[+-]?[\d.,]+[%×]?$/.test(value) ? `'${value}` : String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

const dateOf = (run) => {
  const [, date] = site.data.runs[run];
  return date === null ? "" : new Date(date * 1000).toISOString();
};

function csvOf(open, { runs, lines }) {
  const head = ["commit", "date", "subject", ...[open.at, ...open.others].map(fullName)];
  const rows = runs.map((run, at) => [site.data.runs[run][0], dateOf(run), site.data.runs[run][2], ...lines.map((line) => line.values[at])]);
  return csv([head, ...rows]);
}

function jsonOf(open, all) {
  const { series, names, metrics, scopes, machines } = site.data;
  const facts = (at) => ({
    benchmark: names[series.name[at]],
    metric: metrics[series.metric[at]],
    scope: scopes[series.scope[at]],
    machine: machines[series.machine[at]],
  });
  const value = (points, at) => ({ commit: site.data.runs[points.runs[at]][0], date: dateOf(points.runs[at]) || null, value: points.values[at] });
  const list = [open.at, ...open.others].map((at, place) => ({ ...facts(at), values: all[place].values.map((_, one) => value(all[place], one)) }));
  return `${JSON.stringify(list, null, 1)}\n`;
}

/* The day of a run, otherwise its commit. */
function dayOf(run) {
  const [commit, date] = site.data.runs[run];
  return date === null ? commit.slice(0, 7) : new Date(date * 1000).toISOString().slice(0, 10);
}

/* A commit, linked if the repository is known. */
function commitOf(run) {
  const [commit] = site.data.runs[run];
  const isHash = /^[0-9a-f]{7,64}$/i.test(commit);
  const code = make("code", {}, isHash ? commit.slice(0, 7) : commit);
  const { repository } = site.data;
  if (!repository || !isHash) return code;
  return make("a", { href: `${repository}/commit/${commit}` }, code);
}

function sentence(at, points) {
  const { series } = site.data;
  const why = points.why || series.newest[at];
  return make("p", { id: "verdict", class: series.class[at] }, make("strong", {}, verdictOf(at)), `: newest ${why}.`);
}

/* The subject of a run's commit, with a link to its pull request. */
function subjectOf(run) {
  const [, , subject] = site.data.runs[run];
  const number = /\(#(\d+)\)$|^Merge pull request #(\d+) /.exec(subject)?.slice(1).find(Boolean);
  const text = make("bdi", {}, subject);
  if (!number || !site.data.repository) return [text];
  return [text, " · ", make("a", { href: `${site.data.repository}/pull/${number}` }, `pull request ${number}`)];
}

/* The values under the cursor. */
function describe(point, open, { runs, lines, at }, isPinned) {
  const run = runs[at];
  const isOne = lines.length === 1;
  const texts = lines.map((line, place) => {
    const value = line.values[at];
    const name = isOne ? "" : `${shortName([open.at, ...open.others][place])} `;
    if (value === null) return `${name}not measured`;
    const { reference, normal } = line;
    const share = reference > 0 ? (value - reference) / reference : null;
    const change = share === null ? "" : `, ${shareText(share)} ${share > 1 ? "" : "vs. "}the ${normal ? "median" : "baseline"}`;
    return `${name}${numberText(line, value)}${isOne ? change : ""}`;
  });
  const day = site.data.runs[run][1] === null ? "" : `${dayOf(run)} `;
  point.replaceChildren(day, commitOf(run), `: ${texts.join(" · ")}`);
  if (site.data.runs[run][2]) point.append(make("br"), ...subjectOf(run));
  if (at > 0 && isPinned) point.append(" · ", make("a", { href: `compare.html#${runName(runs[at - 1])}..${runName(run)}` }, "all changes of this commit"));
  if (isPinned) point.append(" (held: click again or press Escape to release)");
}

/* The legend of the chart. */
function key(open, points) {
  const entry = (path, ...text) => {
    const drawing = make("svg", { viewBox: "0 0 28 12", class: "line", "aria-hidden": "true" }, path);
    return make("li", {}, drawing, ...text);
  };
  const { series } = site.data;
  const lone = open.others.length === 0;
  const list = make("ul", { class: "key" }, entry(make("path", { class: "values", d: "M0 9L9 5L18 8L28 3" }), lone ? "values" : shortName(open.at)));
  open.others.forEach((other, place) => {
    const remove = make("button", { type: "button", "aria-label": `Remove ${fullName(other)}` }, "×");
    remove.addEventListener("click", () => again({ with: withIds(open.others.filter((one) => one !== other)) }));
    list.append(entry(make("path", { class: `values ${LINES[place + 1][0]}`, d: "M0 9L9 5L18 8L28 3" }), make("a", { href: `#id=${series.id[other]}` }, shortName(other)), remove));
  });
  if (points.normal) list.append(entry(make("path", { class: "normal", d: "M0 1H28V11H0Z" }), "normal range"));
  if (points.limit !== null) list.append(entry(make("path", { class: "limit", d: "M0 6H28" }), `limit ${numberText(points, points.limit, 3)}`));
  if (points.changes.length > 0) list.append(entry(make("path", { class: "change", d: "M14 0V12" }), "change of level"));
  return list;
}

/* A table; `numbers` lists the columns with numbers. */
function table(caption, head, rows, numbers = [2, 3, 4]) {
  const align = (at) => ({ class: numbers.includes(at) ? "number" : null });
  const cells = (row) => row.map((cell, at) => make("td", align(at), cell));
  return make(
    "table",
    {},
    make("caption", {}, ...[caption].flat()),
    make("thead", {}, make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", ...align(at) }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row)))),
  );
}

function changes(points) {
  if (points.changes.length === 0) return make("p", { class: "place" }, "No change of level.");
  const rows = [...points.changes].reverse().map(([at, before, after, words]) => {
    const run = points.runs[at];
    const range = at > 0 ? make("a", { href: `compare.html#${runName(points.runs[at - 1])}..${runName(run)}` }, dayOf(run)) : dayOf(run);
    return [make("span", {}, commitOf(run), " ", ...subjectOf(run)), range, numberText(points, before, 3), numberText(points, after, 3), words];
  });
  return table("Changes of level, newest first", ["Commit", "Date", "Before", "After", "Change"], rows);
}

/* All values, newest first; the table is built when it is opened. */
function values(points) {
  const details = make("details", {}, make("summary", {}, `All ${points.values.length} values`));
  details.addEventListener(
    "toggle",
    () => {
      const rows = points.values.map((value, at) => {
        const run = points.runs[at];
        return [commitOf(run), dayOf(run), numberText(points, value, 6)];
      });
      details.append(table("Newest first", ["Commit", "Date", "Value"], rows.reverse()));
    },
    { once: true },
  );
  return details;
}

/* The other series of the same benchmark. */
function others(at) {
  const { series, metrics } = site.data;
  const same = series.name
    .map((name, other) => (name === series.name[at] && other !== at ? other : -1))
    .filter((other) => other >= 0)
    .slice(0, 50);
  if (same.length === 0) return "";
  const link = (other) => {
    const text = [metrics[series.metric[other]], placeOf(other)].filter(Boolean).join(" · ");
    return make("li", {}, make("a", { href: `#id=${series.id[other]}` }, text), ` ${series.newest[other]}`);
  };
  return make("section", {}, make("h3", {}, "The same benchmark"), make("ul", {}, ...same.map(link)));
}
