// Figures as ECharts draws them: panels of marks on axes. With page.js, which comes after it, one function of a page.

const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
// On dark paper, ink is bright and what is free is dark; dark grey and pale yellow are nearer the middle on both.
const inks = { "#e3e6ea": "#333c46", "#444444": "#dddddd", "#000000": "#eeeeee" };
const colours = data.colours.map((colour) => ({ "#444444": "#777777", "#F0E442": "#B8A800" })[colour] || colour);
const colourOf = (colour) => (typeof colour === "number" ? colours[colour % colours.length] : (dark.matches && inks[colour]) || colour);
const ink = () => colourOf("#444444"), paper = () => (dark.matches ? "#14181d" : "#ffffff"), UNKNOWN = "#a8aeb5";
// What is most stands out most: on dark paper it is brightest.
const scale = () => (dark.matches ? [...data.shades].reverse() : data.shades);
const shown = (value, digits) => {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (digits !== undefined) return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? value.toLocaleString("en") : String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(3)
    : value.toLocaleString("en", { maximumSignificantDigits: Math.max(5, Math.floor(Math.log10(size || 1)) + 1) });
};
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
// Six digits are enough beside an axis: 2,500,000 is 2.5M.
const onAxis = (value) => (Math.abs(value) >= 1e5 && Math.abs(value) < 1e15
  ? value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 6 }) : shown(Number(value.toPrecision(12))));
const short = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
const least = (values, start = Infinity) => values.reduce((a, b) => (b === null ? a : Math.min(a, b)), start);
const most = (values, start = -Infinity) => values.reduce((a, b) => (b === null ? a : Math.max(a, b)), start);

const NAMED = 40;  // names along an axis that all stand there
const isNarrow = (width) => (width || 1000) < 640;
const shaded = (mark) => mark.values && mark.kind !== "Bars";
const sizeOf = (mark) => (mark.x0 || mark.at || mark.x || []).length;
// Values of a mark in a frame of the figure.
const valuesOf = (mark, frame) => (!shaded(mark) ? [] : Array.isArray(mark.values[0]) ? mark.values[frame] || [] : mark.values);

// Rectangles of a mark: ends along X, ends along Y, value, place in the mark.
const rectangles = {
  Bars: (mark) => mark.values.flatMap((value, n) => {
    if (value === null) return [];
    const side = [mark.at[n] - mark.width / 2, mark.at[n] + mark.width / 2], end = [Array.isArray(mark.base) ? mark.base[n] : mark.base, value];
    return [[...(mark.lying ? [...end, ...side] : [...side, ...end]), null, n]];
  }),
  Boxes: (mark, frame) => {
    const values = valuesOf(mark, frame);
    return [...mark.x0.keys()].map((n) => [mark.x0[n], mark.x1[n], mark.y0[n], mark.y1[n], values[n] ?? null, n]);
  },
  Cells: (mark, frame) => {
    const [left, right, low, high] = mark.extent || [-0.5, mark.wide - 0.5, -0.5, mark.tall - 0.5];
    const [width, height] = [(right - left) / mark.wide, (high - low) / mark.tall], values = valuesOf(mark, frame);
    return mark.x.map((x, n) => [left + x * width, left + (x + 1) * width, low + mark.y[n] * height, low + (mark.y[n] + 1) * height, values[n] ?? null, n]);
  },
};

const custom = (mark, list, encode, renderItem, extra = {}) => ({ name: mark.label || undefined, type: "custom", data: list, encode, renderItem, clip: true,
  progressive: 4000, itemStyle: { color: colourOf(mark.colour) }, dimensions: ["a", "b", "c", "d", "value", "place"], ...extra });

function rectangleSeries(mark, frame) {
  const own = (api) => {
    if (mark.colours) return `rgb(${mark.colours[api.value(5)].map((part) => Math.round(255 * part))})`;
    return !shaded(mark) ? colourOf(mark.colour) : Number.isFinite(api.value(4)) ? api.visual("color") : UNKNOWN;
  };
  const gap = mark.kind === "Cells" ? 0.5 : 0, faded = 1 - 0.25 * ((mark.hatch || 0) % 4);
  return custom(mark, rectangles[mark.kind](mark, frame), { x: [0, 1], y: [2, 3] }, (params, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(2)]), [x2, y2] = api.coord([api.value(1), api.value(3)]), area = params.coordSys;
    const left = Math.max(Math.min(x1, x2), area.x), end = Math.min(Math.max(x1, x2), area.x + area.width), top = Math.min(y1, y2), tall = Math.abs(y2 - y1);
    if (end < left) return null;
    const edged = (mark.edge || gap) && tall > 3 && end - left > 3;
    return { type: "rect", shape: { x: left, y: top, width: Math.max(end - left, 0.6), height: Math.max(tall, mark.kind === "Bars" ? 0 : 0.6) },
      style: { fill: own(api), opacity: (mark.opacity ? mark.opacity[api.value(5)] : mark.alpha) * faded, stroke: paper(), lineWidth: edged ? 0.5 : 0 } };
  });
}

function linkSeries(mark, frame) {
  const values = valuesOf(mark, frame), high = most(values, 0) || 1;
  return custom(mark, mark.x0.map((x, n) => [x, mark.y0[n], mark.x1[n], mark.y1[n], values[n] ?? null, n]), { x: [0, 2], y: [1, 3] }, (_, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
    return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: shaded(mark) ? api.visual("color") : colourOf(mark.colour), opacity: mark.alpha,
      lineWidth: mark.by_value ? 1 + 3 * api.value(4) / high : mark.width } };
  });
}

// Intervals: from low to high along one axis, at a place on the other.
const whiskers = (mark, list, lying, colour) => custom({ ...mark, colour }, list, lying ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] }, (_, api) => {
  const at = (side) => api.coord(lying ? [api.value(side), api.value(0)] : [api.value(0), api.value(side)]);
  const [[x1, y1], [x2, y2]] = [at(1), at(2)], style = { stroke: colourOf(colour), lineWidth: 1.2, fill: "none" }, caps = lying ? [0, 3] : [3, 0];
  return { type: "group", children: [[x1, y1, x2, y2], ...[[x1, y1], [x2, y2]].map(([x, y]) => [x - caps[0], y - caps[1], x + caps[0], y + caps[1]])]
    .map(([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style })) };
}, { silent: true, z: 5, tooltip: { show: false } });
const intervals = (places, values, half) => {
  const [below, above] = Array.isArray(half[0]) ? half : [half, half];
  return places.flatMap((place, n) => (values[n] === null || !(below[n] || above[n]) ? [] : [[place, values[n] - below[n], values[n] + above[n]]]));
};

const SYMBOLS = { o: "circle", s: "rect", D: "diamond", "^": "triangle", v: "arrow", P: "roundRect", X: "diamond", "*": "pin", x: "diamond", "": "none" };
function curveSeries(mark) {
  const points = mark.x.map((x, n) => [x, mark.y[n], n]), colour = colourOf(mark.colour), symbol = SYMBOLS[mark.mark] || "circle";
  const look = { name: mark.label || undefined, data: points, encode: { x: 0, y: 1 }, symbol: mark.hollow ? `empty${symbol[0].toUpperCase()}${symbol.slice(1)}` : symbol,
    symbolSize: Math.max(4, Math.min(10, 1.8 * mark.size)), itemStyle: { color: colour, opacity: mark.alpha } };
  const drawn = [mark.line ? { ...look, type: "line", step: mark.step ? "end" : false, showSymbol: mark.mark !== "" && !mark.step && points.length < 200,
    lineStyle: { width: 1.5 * mark.width, type: mark.line, color: colour }, sampling: points.length > 4000 && !mark.step ? "minmax" : undefined } : { ...look, type: "scatter" }];
  if (mark.half) drawn.push(whiskers(mark, intervals(mark.x, mark.y, mark.half), false, mark.colour));
  if (mark.half_x) drawn.push(whiskers(mark, intervals(mark.y, mark.x, mark.half_x), true, mark.colour));
  return drawn;
}

function ruleSeries(mark) {
  const ends = [mark.at, mark.until ?? mark.at];
  return custom(mark, [ends], mark.lying ? { y: [0, 1] } : { x: [0, 1] }, (params, api) => {
    const area = params.coordSys, place = (value) => api.coord(mark.lying ? [0, value] : [value, 0])[mark.lying ? 1 : 0], [a, b] = ends.map(place);
    if (mark.until !== null) return { type: "rect", shape: mark.lying ? { x: area.x, y: Math.min(a, b), width: area.width, height: Math.abs(a - b) }
      : { x: Math.min(a, b), y: area.y, width: Math.abs(a - b), height: area.height }, style: { fill: colourOf(mark.colour), opacity: mark.alpha } };
    return { type: "line", shape: mark.lying ? { x1: area.x, x2: area.x + area.width, y1: a, y2: a } : { x1: a, x2: a, y1: area.y, y2: area.y + area.height },
      style: { stroke: colourOf(mark.colour), lineWidth: 1 } };
  }, { silent: true, z: mark.until === null ? 3 : 0, tooltip: { show: false } });
}

const wordSeries = (mark) => custom(mark, mark.x.map((x, n) => [x, mark.y[n], n]), { x: 0, y: 1 }, (_, api) => {
  const [x, y] = api.coord([api.value(0), api.value(1)]);
  return { type: "text", style: { x, y, text: mark.texts[api.value(2)], fill: colourOf(mark.colour), align: mark.corner ? "left" : "center", verticalAlign: mark.corner ? "bottom" : "middle", fontSize: 11 } };
}, { silent: true, tooltip: { show: false } });

function seriesOf(mark, frame) {
  if (mark.kind === "Curve") return curveSeries(mark);
  if (mark.kind === "Links") return [linkSeries(mark, frame)];
  if (mark.kind === "Rule") return [ruleSeries(mark)];
  if (mark.kind === "Words") return [wordSeries(mark)];
  const drawn = [rectangleSeries(mark, frame)];
  if (mark.kind === "Bars" && mark.half) drawn.push(whiskers(mark, intervals(mark.at, mark.values, mark.half), mark.lying, "#444444"));
  return drawn;
}

// What stands under the pointer.
function tipOf(panel, mark, n, frame) {
  if (mark.tips.length) return escaped(mark.tips[n]) + (shaded(mark) && panel.shades && mark.kind === "Links" ? `: ${shown(valuesOf(mark, frame)[n])}` : "");
  const spread = (half, n) => {
    const [below, above] = half ? (Array.isArray(half[0]) ? half : [half, half]).map((side) => side[n]) : [];
    return above || below ? (above === below ? ` ± ${shown(above)}` : ` (−${shown(below)}, +${shown(above)})`) : "";
  };
  const nameOf = (axis, place) => escaped(axis.names[Math.round(place)] ?? shown(place));
  if (mark.kind === "Bars") {
    const axis = mark.lying ? panel.y : panel.x, group = Math.round(mark.at[n]);
    const lines = panel.marks.filter((one) => one.kind === "Bars").flatMap((one) => one.at.flatMap((at, k) =>
      (Math.round(at) === group ? [`${escaped(one.label || (mark.lying ? panel.x : panel.y).label)}: ${shown(one.values[k])}${spread(one.half, k)}`] : [])));
    return `<b>${nameOf(axis, group)}</b><br>${lines.join("<br>")}`;
  }
  if (mark.kind === "Cells") return `${nameOf(panel.y, mark.y[n])} — ${nameOf(panel.x, mark.x[n])}: ${shown(valuesOf(mark, frame)[n])}`;
  if (mark.kind === "Curve") return `${nameOf(panel.y, mark.y[n])}${spread(mark.half, n)}<br>${nameOf(panel.x, mark.x[n])}${spread(mark.half_x, n)}${mark.label ? ` (${escaped(mark.label)})` : ""}`;
  return escaped(mark.label) || null;
}

// Ends of both axes under which a panel keeps its proportions; a thin one is stretched to a third of its place.
function proportions(panel, width, height) {
  const beside = panel.marks.some((mark) => mark.kind === "Cells") ? 0.5 : 0;
  const pairs = panel.marks.map((mark) => [[...(mark.x0 || mark.x || []), ...(mark.x1 || [])], [...(mark.y0 || mark.y || []), ...(mark.y1 || [])]]);
  const ends = [0, 1].map((side) => [least(pairs.map((pair) => least(pair[side]))) - beside, most(pairs.map((pair) => most(pair[side]))) + beside]);
  const scales = ends.map(([low, high], side) => 0.96 * (side ? height : width) / Math.max(high - low, 1e-9));
  return ends.map(([low, high], side) => {
    const half = (side ? height : width) / Math.max(Math.min(...scales), scales[side] / 3) / 2, middle = (low + high) / 2;
    return { min: middle - half, max: middle + half, axisLabel: { showMinLabel: false, showMaxLabel: false } };
  });
}

// An axis; names stand at 0, 1, .. of an axis of numbers, so that all marks are placed by numbers.
function axisOf(axis, label, room, extra = {}) {
  const many = axis.names.length > NAMED, made = { type: axis.scale.startsWith("log") ? "log" : "value", logBase: axis.scale === "log2" ? 2 : 10, show: !axis.hidden,
    name: label, nameLocation: "middle", axisLine: { onZero: false }, nameTextStyle: { fontSize: 12 }, inverse: axis.down, min: axis.low ?? undefined, max: axis.high ?? undefined,
    minInterval: axis.whole ? 1 : undefined, ...extra, axisLabel: { hideOverlap: true, formatter: onAxis, showMaxLabel: axis.high === null ? null : false, ...extra.axisLabel } };
  if (!axis.names.length) return made;
  return { ...made, min: -0.5, max: axis.names.length - 0.5, minInterval: 1, splitLine: { show: false }, axisTick: { show: false },
    axisLabel: { ...made.axisLabel, customValues: many ? undefined : [...axis.names.keys()], showMinLabel: null, showMaxLabel: null, hideOverlap: true,
      formatter: (value) => (Number.isInteger(value) && axis.names[value] !== undefined ? short(axis.names[value], room) : "") } };
}

// A panel as ECharts takes it.
function optionOf(figure, panel, frame, width, height) {
  const narrow = isNarrow(width), { x, y } = panel, marks = panel.marks, list = [], owners = [];
  marks.forEach((mark) => seriesOf(mark, frame).forEach((series) => { list.push(series); owners.push(mark); }));
  const labels = [...new Set(marks.map((mark) => mark.label).filter(Boolean))], boxes = marks.some((mark) => mark.kind === "Boxes");
  const letters = x.names.reduce((sum, name) => sum + Math.min(name.length, 18) + 2, 0);
  const slanted = letters > (width || 1000) / 11, side = x.names.length > 30 ? 13 : 17;
  const lean = slanted ? Math.min(92, 10 + 5.2 * Math.min(side, most(x.names.map((name) => name.length), 0))) : 0;
  const zooms = !x.hidden && (x.names.length > 30 || (!x.names.length && (boxes || !y.names.length)));
  const left = y.hidden ? 8 : y.names.length ? 16 + Math.min(narrow ? 130 : 320, 6.8 * most(y.names.map((name) => name.length), 0)) + (y.label ? 22 : 0) : 72;
  const above = panel.title ? 6 + 16 * panel.title.split("\n").length : 0;
  const shades = panel.shades && marks.some(shaded), tall = (labels.length > 1 ? 30 : 10) + above + (shades && narrow ? 40 : 0);
  const grid = { left, right: shades && !narrow ? 104 : 26, top: tall + 6,
    bottom: x.hidden ? 8 : 24 + (x.label || figure.x ? 24 : 0) + lean + (zooms ? 30 : 0) };
  const sides = panel.equal ? proportions(panel, (width || 1000) - grid.left - grid.right, height - grid.top - grid.bottom) : [{}, {}];
  const based = marks.some((mark) => mark.kind === "Bars" && !mark.lying && mark.base !== 0);
  const known = shades ? marks.filter(shaded).flatMap((mark) => valuesOf(mark, frame)).filter((value) => value !== null) : [];
  const every = shades ? marks.filter(shaded).flatMap((mark) => (Array.isArray(mark.values[0]) ? mark.values : [mark.values])) : [];
  const low = shades ? panel.shades.low ?? least(known) : 0, high = shades ? panel.shades.high ?? every.reduce((so, values) => most(values, so), -Infinity) : 1;
  const flat = marks.length && marks.every((mark) => (mark.kind === "Curve" && mark.line && !mark.tips.length) || mark.kind === "Rule");
  return { grid,
    title: panel.title ? { text: panel.title, left: "center", top: 0, textStyle: { fontSize: 13, lineHeight: 16, fontWeight: "normal", width: (width || 1000) - 20, overflow: "truncate" } } : undefined,
    legend: labels.length > 1 ? { type: "scroll", top: above || 4, data: labels } : undefined,
    tooltip: { confine: true, ...(flat ? { trigger: "axis", valueFormatter: shown } : { trigger: "item", formatter: (point) => {
      const mark = owners[point.seriesIndex], place = Array.isArray(point.value) ? point.value[mark.kind === "Curve" ? 2 : 5] : undefined;
      return place === undefined ? "" : tipOf(panel, mark, place, frame);
    } }) },
    visualMap: shades && known.length ? { type: "continuous", calculable: !panel.shades.log, dimension: 4, seriesIndex: list.flatMap((_, n) => (shaded(owners[n]) ? [n] : [])), precision: 4,
      min: low, max: high > low ? high : low + 1, text: [panel.shades.label, ""], itemHeight: 120, inRange: { color: scale() },
      formatter: (value) => shown(Number(Number(value).toPrecision(3))), ...(narrow ? { orient: "horizontal", left: "center", top: 0 } : { right: 0, top: "middle" }) } : undefined,
    xAxis: axisOf(x, x.label || figure.x, figure.panels.length > 1 ? 12 : side, { scale: true, nameGap: 26 + lean, nameTruncate: { maxWidth: (width || 1000) - grid.left - 20 }, ...sides[0],
      axisLabel: { rotate: slanted ? 60 : 0, interval: 0 }, ...(x.grid ? {} : { splitLine: { show: false } }) }),
    yAxis: axisOf(y, y.label || figure.y, narrow ? 18 : 48, { scale: based, nameGap: left - 18, ...sides[1], ...(y.grid || !y.names.length ? {} : { splitLine: { show: false } }) }),
    dataZoom: x.hidden ? [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }]
      : zooms ? [{ type: "inside", filterMode: "weakFilter" }, { type: "slider", height: 18, bottom: 4, filterMode: "weakFilter" },
        ...(boxes ? [{ type: "inside", yAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "shift" }] : [])] : undefined,
    series: list };
}
