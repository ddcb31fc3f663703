// The chart of one series: values, normal range, limit, changes of level; hover, zoom, keys.
"use strict";

const MOST_DIGITS = 12;

/* A number as the reports write it. `digits` is how many are significant where the decimals are not given. */
function numberText(points, value, digits = 4) {
  const scaled = value / points.divisor;
  const decimals = points.decimals ?? Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scaled) || 1)));
  return grouped(scaled, decimals) + points.suffix;
}

function grouped(number, decimals) {
  const places = Math.min(MOST_DIGITS, decimals);
  return number.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

/* The labels of an axis: as many decimals as tell its steps apart. */
function axisTexts(points, splits, step) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step / points.divisor) + 1e-9));
  return splits.map((value) => grouped(value / points.divisor, decimals) + points.suffix);
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["text", "muted", "rule", "value", "limit", "normal", "change", "back"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/* The range of the y axis: what is in view, and the normal range and the limit where they are. */
function rangeOf(points, low, high, end) {
  const marks = [low, high];
  if (end >= points.from) marks.push(...(points.normal || []), ...(points.limit === null ? [] : [points.limit]));
  const finite = marks.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const margin = (most - least || Math.abs(most) || 1) * 0.06;
  return [least - margin < 0 && least >= 0 ? 0 : least - margin, most + margin];
}

/* Draws behind the values: the normal range, the limit. */
function drawLimits(plot, points, colour) {
  const { ctx, bbox } = plot;
  const x = (at) => plot.valToPos(at, "x", true);
  const y = (value) => plot.valToPos(value, "y", true);
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

/* Draws over the values: where the level changed, with a triangle that points where the numbers went. */
function drawChanges(plot, points, colour) {
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

/* A chart in `target` that calls `onPoint` with the index of the value under the cursor. */
function chart(target, points, labels, onPoint) {
  const count = points.values.length;
  const state = { plot: null, at: count - 1, pinned: false };
  const clamp = (at) => Math.min(count - 1, Math.max(0, at));

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
    return {
      width: target.clientWidth,
      height: Math.max(260, Math.min(420, Math.round(target.clientWidth * 0.45))),
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: true }, y: false },
      scales: {
        x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
        y: { range: (plot, low, high) => rangeOf(points, low, high, plot.scales.x.max ?? count - 1) },
      },
      axes: [
        {
          ...axis,
          space: 90,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
          values: (_, splits) => splits.map((at) => (Number.isInteger(at) && labels[at]) || ""),
        },
        { ...axis, space: 40, size: width, values: (_, splits, __, ___, step) => axisTexts(points, splits, step) },
      ],
      series: [{}, { stroke: colour.value, width: 1.5, points: { size: 5, fill: colour.value } }],
      hooks: {
        drawClear: [(plot) => drawLimits(plot, points, colour)],
        draw: [(plot) => drawChanges(plot, points, colour)],
        setCursor: [
          (plot) => {
            if (!state.pinned && Number.isInteger(plot.cursor.idx)) onPoint((state.at = plot.cursor.idx), false);
          },
        ],
      },
    };
  }

  function build() {
    state.plot?.destroy();
    const xs = points.values.map((_, at) => at);
    state.plot = new uPlot(options(colours()), [xs, points.values], target);
    state.plot.over.addEventListener("click", () => {
      const { idx } = state.plot.cursor;
      state.pinned = !state.pinned || idx !== state.at;
      if (Number.isInteger(idx)) state.at = idx;
      onPoint(state.at, state.pinned);
    });
  }

  function moveTo(at) {
    state.at = clamp(at);
    const { plot } = state;
    const { min, max } = plot.scales.x;
    if (state.at < min || state.at > max) {
      const half = (max - min) / 2;
      show(state.at - half, state.at + half);
    }
    // After the new scale, if there is one, and without a call of the hook.
    queueMicrotask(() => {
      const top = plot.valToPos(points.values[state.at], "y");
      plot.setCursor({ left: plot.valToPos(state.at, "x"), top }, false);
    });
    onPoint(state.at, state.pinned);
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
  onPoint(state.at, false);
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
