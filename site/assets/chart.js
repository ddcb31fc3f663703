// The chart of a series: values, normal range, limit and level changes; hover, zoom and keys.
"use strict";

const MOST_DIGITS = 12;

/* A number as reports show it: with the configured decimals, otherwise with this many significant `digits`. */
function numberText(points, value, digits = 4) {
  const scaled = value / points.divisor;
  const decimals = points.decimals ?? Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scaled) || 1)));
  return grouped(scaled, decimals) + points.suffix;
}

function grouped(number, decimals) {
  const places = Math.min(MOST_DIGITS, decimals);
  return number.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

/* A raw change as reports show it: a percentage, or a factor if the value more than doubled. */
function shareText(share) {
  if (share > 1) return `${1 + share < 10 ? (1 + share).toPrecision(2) : Math.round(1 + share)}×`;
  return `${share < 0 ? "−" : "+"}${(Math.abs(share) * 100).toFixed(1)}%`;
}

/* Converts values for the y axis. Percentages are relative to `base`. */
const SCALES = {
  linear: (value) => value,
  log: (value) => (value > 0 ? Math.log10(value) : null),
  percent: (value, base) => (base > 0 ? (value / base - 1) * 100 : null),
};

/* The labels of an axis, with enough decimals to distinguish its steps. */
function axisTexts(points, scale, splits, step) {
  if (scale === "log") return splits.map((split) => numberText(points, 10 ** split, 3));
  const divisor = scale === "percent" ? 1 : points.divisor;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / divisor) + 1e-9));
  if (scale === "percent") return splits.map((split) => `${split > 0 ? "+" : ""}${grouped(split, decimals)}%`);
  return splits.map((value) => grouped(value / divisor, decimals) + points.suffix);
}

/* Round numbers for a logarithmic axis, as logarithms: 1, 2 and 5 of each decade, or even steps in a narrow range. */
function logSplits(low, high) {
  const [least, most] = [10 ** low, 10 ** high];
  const numbers = [];
  if (most / least < 5) {
    const rough = 10 ** Math.floor(Math.log10((most - least) / 4));
    const step = rough * ([1, 2, 5].find((part) => rough * part * 6 >= most - least) || 10);
    for (let number = Math.ceil(least / step) * step; number <= most; number += step) numbers.push(number);
  } else {
    const parts = high - low > 4 ? [1] : [1, 2, 5];
    for (let decade = Math.floor(low); decade <= high; decade += 1) numbers.push(...parts.map((part) => part * 10 ** decade));
  }
  return numbers.map(Math.log10).filter((split) => split >= low && split <= high);
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["text", "muted", "rule", "value", "limit", "normal", "change", "back", "second", "third", "fourth"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/* The range of the y axis: the values in view, and the normal range and the limit if they are in view. */
function rangeOf({ points, scale, place }, low, high, end) {
  const marks = [low, high];
  if (end >= points.from) marks.push(...[...(points.normal || []), points.limit].map((mark) => (mark === null ? null : place(mark))));
  const finite = marks.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const margin = (most - least || (scale === "linear" && Math.abs(most)) || 1) * 0.06;
  return [scale === "linear" && least - margin < 0 && least >= 0 ? 0 : least - margin, most + margin];
}

/* Draws the normal range and the limit below the values. */
function drawLimits(plot, { points, place }, colour) {
  const { ctx, bbox } = plot;
  const x = (at) => plot.valToPos(at, "x", true);
  const y = (value) => plot.valToPos(place(value), "y", true);
  const [left, right] = [x(points.from), Math.max(x(points.values.length - 1), bbox.left + bbox.width)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  if (points.normal) {
    const [one, other] = points.normal.map(y);
    ctx.fillStyle = colour.normal;
    ctx.fillRect(left, Math.min(one, other), right - left, Math.max(1, Math.abs(one - other)));
  }
  if (points.limit !== null) line(ctx, colour.limit, [8, 5], [left, y(points.limit), right, y(points.limit)]);
  ctx.restore();
}

/* Draws the level changes above the values, each with a triangle in the direction of the change. */
function drawChanges(plot, { points }, colour) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [at, before, after] of points.changes) {
    const x = plot.valToPos(at - 0.5, "x", true);
    line(ctx, colour.change, [2, 4], [x, bbox.top, x, bbox.top + bbox.height]);
    const size = 5 * devicePixelRatio;
    const [tip, base] = after > before ? [0, 2 * size] : [2 * size, 0];
    ctx.fillStyle = colour.change;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + tip);
    ctx.lineTo(x - size, bbox.top + base);
    ctx.lineTo(x + size, bbox.top + base);
    ctx.fill();
  }
  ctx.restore();
}

function line(ctx, stroke, dash, [x1, y1, x2, y2]) {
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
  ctx.setLineDash([]);
}

/* Draws a ring around the pinned value. */
function drawHeld(plot, at, y, colour) {
  if (y === undefined || y === null) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colour.text;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.arc(plot.valToPos(at, "x", true), plot.valToPos(y, "y", true), 7 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.restore();
}

/* The colours and dashes of the lines. */
const LINES = [
  ["value", undefined],
  ["second", [10, 4]],
  ["third", [3, 3]],
  ["fourth", [12, 3, 3, 3]],
];

/* Draws a chart in `target`: lines over the same runs, the first with its limits. `view` optionally sets the scale, the
   first and last index in view, and the pinned index. `on` receives the value under the cursor and changes of the view. */
function chart(target, lines, view, labels, on) {
  const [points] = lines;
  const count = labels.length;
  const { scale } = view;
  const bases = lines.map((each) => each.values.find((value) => value > 0));
  const place = (value) => SCALES[scale](value, bases[0]);
  const main = { points, scale, place };
  const heights = lines.map((each, at) => each.values.map((value) => (value === null ? null : SCALES[scale](value, bases[at]))));
  const state = { plot: null, at: view.at ?? count - 1, pinned: view.at !== undefined };
  const clamp = (at) => Math.min(count - 1, Math.max(0, at));
  const said = () => {
    const { min, max } = state.plot.scales.x;
    const isAll = !(min > 0.5 || max < count - 1.5);
    const range = isAll ? {} : { from: clamp(Math.ceil(min)), to: clamp(Math.floor(max)) };
    on.view({ ...range, at: state.pinned ? state.at : undefined });
  };

  function options(colour) {
    const axis = {
      stroke: colour.muted,
      grid: { stroke: colour.rule, width: 1 },
      ticks: { stroke: colour.rule, width: 1 },
      font: "12px system-ui, sans-serif",
    };
    const width = (plot, texts) => {
      plot.ctx.font = axis.font;
      const widths = (texts || []).map((text) => plot.ctx.measureText(text).width);
      return Math.ceil(Math.max(30, ...widths)) + 18;
    };
    const upright = { ...axis, space: 40, size: width, values: (_, splits, __, ___, step) => axisTexts(points, scale, splits, step) };
    if (scale === "log") upright.splits = (_, __, low, high) => logSplits(low, high);
    return {
      width: target.clientWidth,
      height: Math.max(260, Math.min(420, Math.round(target.clientWidth * 0.45))),
      // Half of the last date's label extends beyond the last value.
      padding: [8, 38, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: true }, y: false },
      scales: {
        x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
        y: { range: (plot, low, high) => rangeOf(main, low, high, plot.scales.x.max ?? count - 1) },
      },
      axes: [
        {
          ...axis,
          space: 90,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
          values: (_, splits) => splits.map((at) => (Number.isInteger(at) && labels[at]) || ""),
        },
        upright,
      ],
      series: [
        {},
        ...lines.map((_, at) => {
          const stroke = colour[LINES[at][0]];
          return { stroke, width: 1.5, dash: LINES[at][1], spanGaps: true, points: { size: 5, fill: stroke, stroke } };
        }),
      ],
      hooks: {
        drawClear: [(plot) => drawLimits(plot, main, colour)],
        draw: [
          (plot) => drawChanges(plot, main, colour),
          (plot) => state.pinned && drawHeld(plot, state.at, heights[0][state.at], colour),
        ],
        setScale: [(plot, key) => key === "x" && state.plot === plot && said()],
        setCursor: [
          (plot) => {
            if (!state.pinned && Number.isInteger(plot.cursor.idx)) on.point((state.at = plot.cursor.idx), false);
          },
        ],
      },
    };
  }

  function build() {
    const { min, max } = state.plot?.scales.x ?? { min: view.from ?? 0, max: view.to ?? count - 1 };
    state.plot?.destroy();
    state.plot = null;
    const xs = labels.map((_, at) => at);
    state.plot = new uPlot(options(colours()), [xs, ...heights], target);
    if (min > 0 || max < count - 1) show(min, max);
    state.plot.over.addEventListener("click", () => {
      const { idx } = state.plot.cursor;
      hold(!state.pinned || idx !== state.at, Number.isInteger(idx) ? idx : state.at);
    });
  }

  function hold(isPinned, at) {
    Object.assign(state, { pinned: isPinned, at });
    state.plot.redraw(false);
    on.point(at, isPinned);
    said();
  }

  function moveTo(at) {
    state.at = clamp(at);
    const { plot } = state;
    const { min, max } = plot.scales.x;
    if (state.at < min || state.at > max) {
      const half = (max - min) / 2;
      show(state.at - half, state.at + half);
    }
    // After any new scale takes effect, and without calling the hook.
    queueMicrotask(() => {
      const y = heights.map((line) => line[state.at]).find(Number.isFinite) ?? 0;
      plot.setCursor({ left: plot.valToPos(state.at, "x"), top: plot.valToPos(y, "y") }, false);
    });
    hold(true, state.at);
  }

  function show(low, high) {
    state.plot.setScale("x", { min: Math.max(0, low), max: Math.min(count - 1, high) });
  }

  function zoom(factor) {
    const { min, max } = state.plot.scales.x;
    const half = Math.max(2, ((max - min) / 2) * factor);
    show(state.at - half, state.at + half);
  }

  function onKey(event) {
    const keys = {
      ArrowLeft: () => moveTo(state.at - 1),
      ArrowRight: () => moveTo(state.at + 1),
      Home: () => moveTo(0),
      End: () => moveTo(count - 1),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
      0: () => show(0, count - 1),
      Escape: () => hold(false, state.at),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const resize = new ResizeObserver(() => {
    if (target.clientWidth > 0 && target.clientWidth !== state.plot.width) build();
  });
  build();
  resize.observe(target);
  dark.addEventListener("change", build);
  target.addEventListener("keydown", onKey);
  on.point(state.at, state.pinned);
  return {
    last: (values) => show(count - values, count - 1),
    all: () => show(0, count - 1),
    close() {
      resize.disconnect();
      dark.removeEventListener("change", build);
      target.removeEventListener("keydown", onKey);
      state.plot.destroy();
    },
  };
}
