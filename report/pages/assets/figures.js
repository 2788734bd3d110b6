// What each kind of figure is for ECharts. With page.js, which comes after it, one function of a page.

const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
// Dark grey and pale yellow are seen on both papers only if they are nearer the middle.
const colours = data.colours.map((colour) => ({ "#444444": "#777777", "#F0E442": "#B8A800" })[colour] || colour);
// What is most stands out most: on dark paper it is brightest.
const scale = () => (dark.matches ? [...data.shades].reverse() : data.shades);
const shown = (value) => {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? value.toLocaleString("en") : String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(3)
    : value.toLocaleString("en", { maximumSignificantDigits: Math.max(5, Math.floor(Math.log10(size || 1)) + 1) });
};
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Six digits are enough beside an axis: 2,500,000 is 2.5M.
const onAxis = (value) => (Math.abs(value) >= 1e5 && Math.abs(value) < 1e15
  ? value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 6 }) : shown(value));
const axis = (name, extra = {}) => ({ name, nameLocation: "middle", nameGap: 28, nameTextStyle: { fontSize: 12 }, ...extra,
  axisLabel: { hideOverlap: true, ...(extra.type === "value" ? { formatter: onAxis } : {}), ...extra.axisLabel } });
const frame = (extra = {}) => ({ left: 72, right: 28, top: 40, bottom: 56, ...extra });
const isNarrow = (figure) => (figure.width || 1000) < 640;
// Room for names beside an axis; longer ones are cut.
const room = (names) => Math.min(180, 16 + 6.8 * names.reduce((most, name) => Math.max(most, name.length), 0));
const cut = (left) => ({ width: left - 10, overflow: "truncate" });
// The scale of colours: beside a figure, or above it where there is no room beside.
const shades = (figure, extra = {}) => ({ calculable: true, formatter: (value) => shown(Number(Number(value).toPrecision(3))), text: [figure.value, ""], itemHeight: 120, inRange: { color: scale() },
  ...(isNarrow(figure) ? { orient: "horizontal", left: "center", top: 0 } : { right: 0, top: "middle" }), ...extra });
const besides = (figure, extra = {}) => frame(isNarrow(figure) ? { top: 64, ...extra } : { right: 100, ...extra });
const zoom = [{ type: "inside", filterMode: "weakFilter" }, { type: "slider", height: 18, bottom: 4, filterMode: "weakFilter" }];
const tip = (extra = {}) => ({ trigger: "item", confine: true, ...extra });
const whiskers = (colour, offset = () => 0) => ({ type: "custom", silent: true, z: 5, tooltip: { show: false }, encode: { x: 0, y: [1, 2] }, renderItem: (_, api) => {
  const x = api.coord([api.value(0), 0])[0] + offset(api);
  const [low, high] = [api.coord([api.value(0), api.value(1)])[1], api.coord([api.value(0), api.value(2)])[1]];
  const style = { stroke: colour, lineWidth: 1.2, fill: "none" };
  return { type: "group", children: [[x, low, x, high], [x - 3, low, x + 3, low], [x - 3, high, x + 3, high]]
    .map(([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style })) };
} });

// Ends of both axes under which a network keeps its proportions; a thin one is stretched to a third of its place.
const proportions = (figure, width, height) => {
  const [xs, ys] = [0, 1].map((side) => [...figure.routers.map((router) => router[side]), ...figure.links.flatMap((ends) => [ends[side], ends[side + 2]])]);
  const ends = [xs, ys].map((values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]));
  const scales = ends.map(([low, high], side) => 0.96 * (side ? height : width) / Math.max(high - low, 1e-9));
  const least = Math.min(...scales);
  return ends.map(([low, high], side) => {
    const half = (side ? height : width) / Math.max(least, scales[side] / 3) / 2, middle = (low + high) / 2;
    return { min: middle - half, max: middle + half };
  });
};

const options = {
  Bars(figure) {
    const names = Object.keys(figure.series);
    const long = figure.groups.reduce((sum, name) => sum + Math.min(name.length, 18) + 2, 0) > (isNarrow(figure) ? 36 : 90);
    const series = names.map((name, place) => ({ name, type: "bar", data: figure.series[name],
      itemStyle: { color: colours[place % colours.length] }, barGap: "10%", large: figure.groups.length > 4000 }));
    names.forEach((name, bar) => {
      const half = figure.half_widths[name];
      if (!half) return;
      const centre = (api) => (names.length > 1 ? api.barLayout({ count: names.length, barGap: "10%" })[bar].offsetCenter : 0);
      series.push({ ...whiskers(dark.matches ? "#dddddd" : "#222222", centre), data: half.flatMap((width, place) => {
        const value = figure.series[name][place];
        return width === null || value === null ? [] : [[place, value - width, value + width]];
      }) });
    });
    const value = (name, place) => {
      const half = (figure.half_widths[name] || [])[place], mean = figure.series[name][place];
      return mean === null ? "-" : shown(mean) + (half ? ` ± ${shown(half)}` : "");
    };
    const zooms = figure.groups.length > 30, most = zooms ? 13 : figure.groups.length <= 4 && !isNarrow(figure) ? 34 : 17;
    return { grid: frame({ bottom: (long ? 116 : 40) + (zooms ? 24 : 0) }), legend: names.length > 1 ? { type: "scroll", top: 4 } : undefined,
      tooltip: tip({ trigger: "axis", axisPointer: { type: "shadow" }, formatter: (points) => {
        const place = points[0].dataIndex;
        return `<b>${escaped(figure.groups[place])}</b><br>` + names.map((name) => `${escaped(name)}: ${value(name, place)}`).join("<br>");
      } }),
      xAxis: { type: "category", data: figure.groups, axisLabel: { rotate: long ? 60 : 0, hideOverlap: true, interval: figure.groups.length <= 40 ? 0 : "auto",
        formatter: (name) => (name.length > most ? `${name.slice(0, most - 1)}…` : name) } },
      yAxis: axis(figure.unit, { type: "value", nameGap: 56, scale: figure.base !== 0, axisLabel: { showMinLabel: figure.base === 0 },
        startValue: figure.base === 0 ? undefined : figure.base,
        min: figure.base === 0 ? undefined : (range) => Math.floor(20 * Math.min(figure.base, range.min)) / 20 }),
      dataZoom: zooms ? zoom : undefined, series };
  },
  Intervals(figure) {
    const groups = [...new Set(figure.groups)], named = { better: "#009E73", worse: "#D55E00", "within chance": "#8a8a8a", "one run": "#8a8a8a", "one draw": "#8a8a8a" };
    const colour = (group) => named[group] || colours[groups.indexOf(group) % colours.length];
    const narrow = isNarrow(figure);
    const marks = groups.map((group) => ({ name: group, type: "scatter", symbolSize: 9, symbol: group === "one draw" ? "emptyCircle" : "circle", itemStyle: { color: colour(group) },
      data: figure.values.flatMap((value, place) => (figure.groups[place] === group ? [[value, place]] : [])) }));
    const bars = figure.values.flatMap((value, place) => (figure.half_widths[place] ? [[value - figure.half_widths[place], place, value + figure.half_widths[place]]] : []));
    return { grid: { left: narrow ? 150 : 330, right: 24, top: 40, bottom: 48 }, legend: { type: "scroll", top: 4, data: groups },
      tooltip: tip({ formatter: (point) => { const place = point.value[1], half = figure.half_widths[place];
        return `${escaped(figure.names[place])}<br>${shown(figure.values[place])}${half ? ` ± ${shown(half)}` : ""} (${escaped(figure.groups[place])})`; } }),
      xAxis: axis(figure.unit, { type: "value", scale: true, min: (range) => Math.min(0, range.min, ...bars.map((bar) => bar[0])),
        max: (range) => Math.max(0, range.max, ...bars.map((bar) => bar[2])), axisLabel: { formatter: shown, hideOverlap: true, showMinLabel: false, showMaxLabel: false } }),
      yAxis: { type: "category", data: figure.names, inverse: true, axisTick: { show: false },
        axisLabel: { interval: 0, width: narrow ? 140 : 320, overflow: "truncate" } },
      series: [...marks, { type: "custom", silent: true, data: bars, tooltip: { show: false }, encode: { x: [0, 2], y: 1 }, renderItem: (_, api) => {
        const [x1, y] = api.coord([api.value(0), api.value(1)]), x2 = api.coord([api.value(2), api.value(1)])[0];
        return { type: "line", shape: { x1, y1: y, x2, y2: y }, style: { stroke: colour(figure.groups[api.value(1)]), lineWidth: 1.6 } };
      } },
      { type: "line", silent: true, data: [], markLine: { symbol: "none", label: { show: false }, lineStyle: { color: "#888888", type: "solid" }, data: [{ xAxis: 0 }] } }] };
  },
  Lines(figure) {
    const names = Object.keys(figure.series), series = [];
    names.forEach((name, place) => {
      const points = figure.series[name], colour = colours[place % colours.length];
      series.push({ name, type: "line", step: figure.step ? (figure.step === "before" ? "start" : "end") : false, showSymbol: !figure.step && points.length < 200,
        data: points.map((point) => [point[0], point[1]]), lineStyle: { width: 1.8 }, itemStyle: { color: colour },
        sampling: points.length > 4000 && !figure.step ? "minmax" : undefined }); // would move the steps
      const half = points.filter((point) => point[2]);
      if (half.length) series.push({ ...whiskers(colour), data: half.map(([x, y, width]) => [x, y - width, y + width]) });
    });
    return { grid: frame({ bottom: 84 }), legend: names.length > 1 ? { type: "scroll", top: 4, data: names } : undefined,
      tooltip: tip({ trigger: "axis", valueFormatter: shown }),
      xAxis: axis(figure.x, { type: "value", scale: true, ...(figure.step ? { max: "dataMax", axisLabel: { showMaxLabel: false } } : {}) }),
      yAxis: axis(figure.y, { type: "value", nameGap: 56 }), dataZoom: zoom, series };
  },
  Gantt(figure) {
    const values = figure.boxes.map((box) => box[4]).filter((value) => value !== null);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return { grid: besides(figure, { bottom: 84 }),
      tooltip: tip({ formatter: (point) => escaped(figure.labels[point.value[5]]) }),
      visualMap: values.length ? shades(figure, { dimension: 4, min: low, max: high === low ? low + 1 : high, precision: 4 }) : undefined,
      xAxis: axis(figure.x, { type: "value", scale: true, min: "dataMin", max: "dataMax", axisLabel: { showMaxLabel: false } }),
      yAxis: axis("node", { type: "value", min: 0, max: figure.nodes, nameGap: 56, axisLabel: { showMaxLabel: false } }),
      dataZoom: [...zoom, { type: "inside", yAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "shift" }],
      series: [{ type: "custom", data: figure.boxes, dimensions: ["begin", "end", "first", "last", figure.value, "job"],
        encode: { x: [0, 1], y: [2, 3], tooltip: [5] }, progressive: 4000, clip: true, renderItem: (params, api) => {
          const [x, y] = api.coord([api.value(0), api.value(3)]), [right, bottom] = api.coord([api.value(1), api.value(2)]);
          const area = params.coordSys;
          const left = Math.max(x, area.x), end = Math.min(right, area.x + area.width);
          if (end < left) return null;
          return { type: "rect", shape: { x: left, y, width: Math.max(end - left, 0.6), height: Math.max(bottom - y, 0.6) },
            style: { fill: api.visual("color"), stroke: dark.matches ? "#14181d" : "#ffffff", lineWidth: bottom - y > 3 && end - left > 3 ? 0.5 : 0 } };
        } }] };
  },
  Matrix(figure) {
    const high = figure.cells.reduce((most, cell) => Math.max(most, cell[2]), 0), left = 24 + room(figure.rows);
    return { grid: besides(figure, { bottom: 70, left }),
      tooltip: tip({ formatter: (point) => `${escaped(figure.rows[point.value[1]])} — ${escaped(figure.columns[point.value[0]])}: ${shown(point.value[2])}` }),
      visualMap: shades(figure, { min: 0, max: high || 1 }),
      xAxis: axis(figure.x, { type: "category", data: figure.columns, splitArea: { show: true } }),
      yAxis: axis(figure.y, { type: "category", data: figure.rows, inverse: true, nameGap: left - 14, axisLabel: cut(left - 20) }),
      series: [{ type: "heatmap", data: figure.cells.map(([row, column, value]) => [column, row, value]), progressive: 5000,
        emphasis: { itemStyle: { borderColor: "#D55E00", borderWidth: 2 } } }] };
  },
  Timeline(figure) {
    const ink = dark.matches ? "#dddddd" : "#222222", rows = figure.rows, left = room(rows);
    const box = (style, tall) => (_, api) => {
      const [x, y] = api.coord([api.value(0), api.value(2)]), right = api.coord([api.value(1), api.value(2)])[0];
      const height = Math.max(1.5, tall * api.size([0, 1])[1]);
      return { type: "rect", shape: { x, y: y - height / 2, width: Math.max(right - x, 0.8), height }, style };
    };
    const line = (style) => (_, api) => {
      const [x1, y1] = api.coord([api.value(0), api.value(2)]), [x2, y2] = api.coord([api.value(1), api.value(3)]);
      return { type: "line", shape: { x1, y1, x2, y2 }, style };
    };
    const custom = (name, data, renderItem, extra = {}) => ({ name, type: "custom", data, renderItem, clip: true, encode: { x: [0, 1], y: 2 }, ...extra });
    const turns = figure.path.flatMap((one, place) => {
      const next = figure.path[place + 1];
      return next && next[2] !== one[2] && Math.abs(next[0] - one[1]) <= 1e-3 * one[1] + 1e-12 ? [[one[1], next[0], one[2], next[2]]] : [];
    });
    const used = figure.components.map((name, place) => ({ name, place, data: figure.path.filter((one) => one[3] === place) })).filter((one) => one.data.length);
    const alpha = Math.max(0.08, Math.min(0.6, 300 / Math.max(1, figure.messages.length)));
    const low = figure.tasks.reduce((a, b) => Math.min(a, b[0]), Infinity), high = figure.tasks.reduce((a, b) => Math.max(a, b[1]), -Infinity);
    return { grid: frame({ left, bottom: 84, top: 44 }), legend: { type: "scroll", top: 4, data: ["messages", ...used.map((one) => one.name)] },
      tooltip: tip({ formatter: ({ seriesName, value }) => {
        const time = `${shown(value[0])} to ${shown(value[1])}`;
        if (seriesName === "messages") return `${escaped(rows[value[2]])} to ${escaped(rows[value[3]])}<br>${shown(value[4])} bytes, ${time}`;
        return `${escaped(rows[value[2]])}${seriesName === "tasks" ? "" : `: <b>${escaped(seriesName)}</b>`}<br>${time}`;
      } }),
      xAxis: axis(figure.x, { type: "value", min: low, max: high, axisLabel: { showMaxLabel: false } }),
      yAxis: { type: "category", data: rows, inverse: true, axisTick: { show: false }, axisLabel: cut(left) },
      dataZoom: [...zoom, { type: "inside", yAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "shift" }],
      series: [custom("tasks", figure.tasks, box({ fill: dark.matches ? "#333c46" : "#e3e6ea" }, 0.8), { itemStyle: { color: "#b0b6bd" } }),
        custom("messages", figure.messages, line({ stroke: ink, lineWidth: 0.8, opacity: alpha }), { encode: { x: [0, 1], y: [2, 3] }, itemStyle: { color: ink } }),
        custom("turns", turns, line({ stroke: ink, lineWidth: 1.4 }), { silent: true, tooltip: { show: false }, encode: { x: [0, 1], y: [2, 3] } }),
        ...used.map((one) => custom(one.name, one.data, box({ fill: colours[one.place % colours.length] }, 0.5), { itemStyle: { color: colours[one.place % colours.length] } }))] };
  },
  NetworkMap(figure, state = { window: 0 }) {
    const high = figure.loads.reduce((most, loads) => loads.reduce((a, b) => Math.max(a, b), most), 0);
    const loads = figure.loads[state.window] || [], narrow = isNarrow(figure);
    const grid = narrow ? { left: 10, right: 10, top: 60, bottom: 10 } : { left: 10, right: 100, top: 16, bottom: 10 };
    const [x, y] = proportions(figure, (figure.width || 1000) - grid.left - grid.right, figure.height - grid.top - grid.bottom);
    return { grid,
      tooltip: tip({ formatter: (point) => point.seriesIndex ? "" : `${escaped(figure.names[point.value[4]])}: ${shown(point.value[5])}` }),
      visualMap: shades(figure, { seriesIndex: 0, dimension: 5, min: 0, max: high || 1, precision: 4 }),
      xAxis: { show: false, type: "value", ...x }, yAxis: { show: false, type: "value", ...y },
      dataZoom: [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }],
      series: [{ type: "custom", data: figure.links.map((ends, link) => [...ends, link, loads[link] || 0]),
        encode: { x: [0, 2], y: [1, 3] }, clip: true, renderItem: (_, api) => {
          const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
          return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: api.visual("color"), lineWidth: 1 + 3 * api.value(5) / (high || 1) } };
        } },
      { type: "scatter", data: figure.routers, symbolSize: 4, silent: true, itemStyle: { color: "#888888" } }] };
  },
  Places(figure, state = { choice: 0 }) {
    const chosen = new Set(figure.chosen[state.choice]), held = new Set(figure.held), ink = { free: dark.matches ? "#333c46" : "#e3e6ea", held: "#8a8a8a", chosen: "#D55E00" };
    const kind = (node) => (chosen.has(node) ? "chosen" : held.has(node) ? "held" : "free");
    const corners = figure.places.flatMap(([x, y]) => [[x - 0.5, y - 0.5], [x + 0.5, y + 0.5]]);
    const grid = { left: 4, right: 4, top: 4, bottom: 4 };
    const [x, y] = proportions({ routers: corners, links: [] }, (figure.width || 1000) - 8, figure.height - 8);
    return { grid, tooltip: tip({ formatter: (point) => `node ${point.value[2]}: ${kind(point.value[2])}` }),
      xAxis: { show: false, type: "value", ...x }, yAxis: { show: false, type: "value", inverse: true, ...y },
      dataZoom: [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }],
      series: [{ type: "custom", data: figure.places.map(([x, y], node) => [x, y, node]), encode: { x: 0, y: 1 }, clip: true, renderItem: (_, api) => {
        const [x, y] = api.coord([api.value(0), api.value(1)]), [width, height] = api.size([1, 1]).map((side) => Math.max(1, 0.92 * side));
        return { type: "rect", shape: { x: x - width / 2, y: y - height / 2, width, height }, style: { fill: ink[kind(api.value(2))] } };
      } }] };
  },
};
