// The view of one series: its chart, what it says, and its values.
"use strict";

/* The call that a chunk makes. */
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

/* The series of a chunk, which is loaded once. */
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

/* Shows a series by its id, or the overview. */
async function showSeries(id) {
  const detail = byId("detail");
  const at = id === null ? undefined : site.place.get(id);
  if (!site.open && at !== undefined) site.scroll = window.scrollY;
  const wasOpen = site.open;
  wasOpen?.chart?.close();
  site.open = at === undefined ? null : { at, chart: null };
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
  try {
    const { chunk } = site.data;
    const points = (await load(Math.floor(at / chunk)))[at % chunk];
    if (site.open?.at === at) fill(detail, at, points);
  } catch (error) {
    detail.replaceChildren(back(), make("p", { role: "alert" }, `${error.message}: is the site complete?`));
  }
}

function back() {
  const link = make("a", { href: address() === "#" ? "#all" : address() }, "All benchmarks");
  return make("p", {}, link);
}

function fill(detail, at, points) {
  const { series, names, metrics } = site.data;
  const title = make("h2", { tabindex: -1 }, make("bdi", {}, names[series.name[at]]));
  const better = { true: "lower is better", false: "higher is better" }[points.lower];
  const about = [metrics[series.metric[at]], better, placeOf(at), points.key].filter(Boolean).join(" · ");
  const label = `Chart of ${names[series.name[at]]}. Arrow keys move from value to value, plus and minus zoom, 0 shows all.`;
  const plot = make("div", { id: "plot", tabindex: 0, role: "group", "aria-label": label });
  const point = make("p", { id: "point", role: "status" });
  const tools = make("div", { class: "tools" });
  detail.replaceChildren(
    back(),
    title,
    make("p", { class: "place" }, about),
    sentence(at, points),
    plot,
    point,
    key(points),
    tools,
    changes(points),
    values(points),
    others(at),
  );
  const labels = points.runs.map((run) => dayOf(run));
  const drawing = chart(plot, points, labels, (index, isPinned) => describe(point, points, index, isPinned));
  site.open.chart = drawing;
  const button = (text, act) => {
    const element = make("button", { type: "button" }, text);
    element.addEventListener("click", act);
    tools.append(element);
  };
  button("All values", drawing.all);
  [100, 30].filter((last) => last < points.values.length).forEach((last) => button(`Last ${last}`, () => drawing.last(last)));
  title.focus({ preventScroll: true });
}

/* The day of a run, else its commit. */
function dayOf(run) {
  const [commit, date] = site.data.runs[run];
  return date === null ? commit.slice(0, 7) : new Date(date * 1000).toISOString().slice(0, 10);
}

/* A commit, linked where the repository is known. */
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
  const state = series.state[at];
  const why = points.why || series.newest[at];
  return make("p", { id: "verdict", class: state }, make("strong", {}, STATES[state]), `: ${why}.`);
}

/* The value under the cursor. */
function describe(point, points, at, isPinned) {
  const run = points.runs[at];
  const value = points.values[at];
  const { reference, normal } = points;
  const share = reference > 0 ? (value - reference) / reference : null;
  const sign = share < 0 ? "−" : "+";
  const size = share > 1 ? `${1 + share < 10 ? (1 + share).toPrecision(2) : Math.round(1 + share)}×` : `${sign}${(Math.abs(share) * 100).toFixed(1)}% vs.`;
  const change = share === null ? "" : `, ${size} the ${normal ? "median" : "baseline"}`;
  const day = site.data.runs[run][1] === null ? "" : `${dayOf(run)} `;
  point.replaceChildren(`${day}`, commitOf(run), `: ${numberText(points, value)}${change}`);
  if (isPinned) point.append(" (held; click again to release)");
}

/* What the marks of the chart are. */
function key(points) {
  const entry = (path, text) => {
    const drawing = make("svg", { viewBox: "0 0 28 12", class: "line", "aria-hidden": "true" }, path);
    return make("li", {}, drawing, text);
  };
  const list = make("ul", { class: "key" }, entry(make("path", { class: "values", d: "M0 9L9 5L18 8L28 3" }), "values"));
  if (points.normal) list.append(entry(make("path", { class: "normal", d: "M0 1H28V11H0Z" }), "normal range"));
  if (points.limit !== null) list.append(entry(make("path", { class: "limit", d: "M0 6H28" }), "limit"));
  if (points.changes.length > 0) list.append(entry(make("path", { class: "change", d: "M14 0V12" }), "change of level"));
  return list;
}

function table(caption, head, rows) {
  const align = (at) => ({ class: at > 1 ? "number" : null });
  const cells = (row) => row.map((cell, at) => make("td", align(at), cell));
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", ...align(at) }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row)))),
  );
}

function changes(points) {
  if (points.changes.length === 0) return make("p", { class: "place" }, "No change of level.");
  const rows = [...points.changes].reverse().map(([at, before, after, words]) => {
    const run = points.runs[at];
    return [commitOf(run), dayOf(run), numberText(points, before, 3), numberText(points, after, 3), words];
  });
  return table("Changes of level, newest first", ["Commit", "Date", "Before", "After", "Change"], rows);
}

/* All values, newest first, made when they are asked for. */
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
