"use strict";
// What stands on the page is plain text until this runs: tables become sortable, figures are drawn.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Dark grey and pale yellow are seen on both papers only if they are nearer the middle.
  const colours = data.colours.map((colour) => ({ "#444444": "#777777", "#F0E442": "#B8A800" })[colour] || colour);
  // What is most stands out most: on dark paper it is brightest.
  const scale = () => (dark.matches ? [...data.shades].reverse() : data.shades);

  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const shown = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "number") return String(value);
    if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? value.toLocaleString("en") : String(value);
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(3)
      : value.toLocaleString("en", { maximumSignificantDigits: 5 });
  };
  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  // --- tables

  const field = (value) => {
    const text = value === null ? "" : String(value);
    // A cell that begins as a formula would be run by spreadsheets.
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const asCsv = (table, rows) => [table.columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";

  function drawTable(place, table) {
    const state = { column: -1, down: false, words: "", most: 25 };
    const numeric = table.columns.map((_, column) => table.rows.some((row) => typeof row[column] === "number"));
    const found = () => {
      const words = state.words.toLowerCase();
      let rows = words ? table.rows.filter((row) => row.some((value) => shown(value).toLowerCase().includes(words)
        || String(value).toLowerCase().includes(words))) : table.rows.slice();
      if (state.column >= 0) {
        const turn = state.down ? -1 : 1, column = state.column;
        rows.sort((a, b) => {
          const [x, y] = [a[column], b[column]];
          if (x === null || y === null) return (x === null) - (y === null);
          return turn * (typeof x === "number" && typeof y === "number" ? x - y
            : String(x).localeCompare(String(y), "en", { numeric: true }));
        });
      }
      return rows;
    };
    const bar = make("div", null, { class: "bar" });
    const input = make("input", null, { type: "search", placeholder: "filter", "aria-label": `filter ${table.title}` });
    const save = make("button", "CSV", { type: "button", "aria-label": `download ${table.title} as CSV` });
    const count = make("span", "", { class: "count", "aria-live": "polite" });
    const more = make("button", "more rows", { type: "button" });
    const scroll = make("div", null, { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title });
    bar.append(input, save, count);
    const update = () => {
      const rows = found();
      const live = make("table", null, { class: "live" });
      const head = live.createTHead().insertRow();
      table.columns.forEach((name, column) => {
        const sorted = state.column === column;
        const cell = make("th", null, { scope: "col", "aria-sort": sorted ? (state.down ? "descending" : "ascending") : "none" });
        if (numeric[column]) cell.className = "number";
        const button = make("button", name + (sorted ? (state.down ? " ▼" : " ▲") : ""), { type: "button" });
        button.addEventListener("click", () => {
          state.down = state.column === column ? !state.down : false;
          state.column = column;
          update();
          scroll.querySelectorAll("th button")[column].focus();
        });
        cell.append(button);
        head.append(cell);
      });
      const body = live.createTBody();
      for (const row of rows.slice(0, state.most)) {
        const line = body.insertRow();
        row.forEach((value, column) => {
          const cell = line.insertCell();
          cell.textContent = shown(value);
          if (numeric[column]) cell.className = "number";
          if (value !== null && shown(value) !== String(value)) cell.title = String(value);
        });
      }
      scroll.replaceChildren(live);
      const cut = table.all > table.rows.length ? ` (of ${shown(table.all)}; the rest is in the outcome's own files)` : "";
      count.textContent = `${shown(Math.min(rows.length, state.most))} of ${shown(rows.length)} rows${cut}`;
      more.hidden = rows.length <= state.most;
    };
    input.addEventListener("input", () => { state.words = input.value; update(); });
    more.addEventListener("click", () => { state.most *= 8; update(); });
    save.addEventListener("click", () => {
      const link = make("a", null, { download: `${table.title.replace(/[^\w-]+/g, "-")}.csv` });
      link.href = URL.createObjectURL(new Blob([asCsv(table, found())], { type: "text/csv" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    update();
    place.replaceChildren(bar, scroll, more);
  }

  // --- figures

  const axis = (name, extra = {}) => ({ name, nameLocation: "middle", nameGap: 28, nameTextStyle: { fontSize: 12 }, ...extra });
  const frame = (extra = {}) => ({ left: 58, right: 24, top: 40, bottom: 56, ...extra });
  const zoom = [{ type: "inside", filterMode: "weakFilter" }, { type: "slider", height: 18, bottom: 4, filterMode: "weakFilter" }];
  const tip = (extra = {}) => ({ trigger: "item", confine: true, ...extra });
  const whiskers = (colour, offset = () => 0) => ({ type: "custom", silent: true, z: 5, tooltip: { show: false }, encode: { x: 0, y: [1, 2] }, renderItem: (_, api) => {
    const x = api.coord([api.value(0), 0])[0] + offset(api);
    const [low, high] = [api.coord([api.value(0), api.value(1)])[1], api.coord([api.value(0), api.value(2)])[1]];
    const style = { stroke: colour, lineWidth: 1.2, fill: "none" };
    return { type: "group", children: [[x, low, x, high], [x - 3, low, x + 3, low], [x - 3, high, x + 3, high]]
      .map(([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style })) };
  } });

  const options = {
    Bars(figure) {
      const names = Object.keys(figure.series);
      const long = figure.groups.reduce((sum, name) => sum + Math.min(name.length, 18) + 2, 0) > 90;
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
      const zooms = figure.groups.length > 30, most = zooms ? 13 : 18;
      return { grid: frame({ bottom: (long ? 116 : 40) + (zooms ? 24 : 0) }), legend: names.length > 1 ? { type: "scroll", top: 4 } : undefined,
        tooltip: tip({ trigger: "axis", axisPointer: { type: "shadow" }, formatter: (points) => {
          const place = points[0].dataIndex;
          return `<b>${escaped(figure.groups[place])}</b><br>` + names.map((name) => `${escaped(name)}: ${value(name, place)}`).join("<br>");
        } }),
        xAxis: { type: "category", data: figure.groups, axisLabel: { rotate: long ? 60 : 0, hideOverlap: true, interval: figure.groups.length <= 40 ? 0 : "auto",
          formatter: (name) => (name.length > most ? `${name.slice(0, most - 1)}…` : name) } },
        yAxis: axis(figure.unit, { type: "value", nameGap: 44, scale: figure.base !== 0,
          startValue: figure.base === 0 ? undefined : figure.base,
          min: figure.base === 0 ? undefined : (range) => Math.floor(20 * Math.min(figure.base, range.min)) / 20 }),
        dataZoom: zooms ? zoom : undefined, series };
    },
    Intervals(figure) {
      const groups = [...new Set(figure.groups)], named = { better: "#009E73", worse: "#D55E00", "within chance": "#8a8a8a", "one run": "#8a8a8a", "one draw": "#8a8a8a" };
      const colour = (group) => named[group] || colours[groups.indexOf(group) % colours.length];
      const narrow = (figure.width || 1000) < 640;
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
          sampling: points.length > 4000 ? "minmax" : undefined });
        const half = points.filter((point) => point[2]);
        if (half.length) series.push({ ...whiskers(colour), data: half.map(([x, y, width]) => [x, y - width, y + width]) });
      });
      return { grid: frame({ bottom: 84 }), legend: names.length > 1 ? { type: "scroll", top: 4, data: names } : undefined,
        tooltip: tip({ trigger: "axis", valueFormatter: shown }),
        xAxis: axis(figure.x, { type: "value", scale: true }), yAxis: axis(figure.y, { type: "value", nameGap: 46 }),
        dataZoom: zoom, series };
    },
    Gantt(figure) {
      const values = figure.boxes.map((box) => box[4]).filter((value) => value !== null);
      const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      return { grid: frame({ right: 96, bottom: 84 }),
        tooltip: tip({ formatter: (point) => escaped(figure.labels[point.value[5]]) }),
        visualMap: values.length ? { dimension: 4, min: low, max: high === low ? low + 1 : high, calculable: true, right: 0,
          top: "middle", text: [figure.value, ""], itemHeight: 120, precision: 4, formatter: shown, inRange: { color: scale() } } : undefined,
        xAxis: axis(figure.x, { type: "value", scale: true, min: "dataMin", max: "dataMax", axisLabel: { showMaxLabel: false } }),
        yAxis: axis("node", { type: "value", min: 0, max: figure.nodes, nameGap: 40 }),
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
      const high = figure.cells.reduce((most, cell) => Math.max(most, cell[2]), 0);
      return { grid: frame({ right: 96, bottom: 70, left: 70 }),
        tooltip: tip({ formatter: (point) => `${escaped(figure.rows[point.value[1]])} — ${escaped(figure.columns[point.value[0]])}: ${shown(point.value[2])}` }),
        visualMap: { min: 0, max: high || 1, calculable: true, formatter: shown, right: 0, top: "middle", text: [figure.value, ""], itemHeight: 120, inRange: { color: scale() } },
        xAxis: axis(figure.x, { type: "category", data: figure.columns, splitArea: { show: true } }),
        yAxis: axis(figure.y, { type: "category", data: figure.rows, inverse: true, nameGap: 50 }),
        series: [{ type: "heatmap", data: figure.cells.map(([row, column, value]) => [column, row, value]), progressive: 5000,
          emphasis: { itemStyle: { borderColor: "#D55E00", borderWidth: 2 } } }] };
    },
    Timeline(figure) {
      const ink = dark.matches ? "#dddddd" : "#222222", rows = figure.rows;
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
      return { grid: frame({ left: 86, bottom: 84, top: 44 }), legend: { type: "scroll", top: 4, data: ["messages", ...used.map((one) => one.name)] },
        tooltip: tip({ formatter: ({ seriesName, value }) => {
          const time = `${shown(value[0])} to ${shown(value[1])}`;
          if (seriesName === "messages") return `${escaped(rows[value[2]])} to ${escaped(rows[value[3]])}<br>${shown(value[4])} bytes, ${time}`;
          return `${escaped(rows[value[2]])}${seriesName === "tasks" ? "" : `: <b>${escaped(seriesName)}</b>`}<br>${time}`;
        } }),
        xAxis: axis(figure.x, { type: "value", min: low, max: high, axisLabel: { formatter: shown, showMaxLabel: false, hideOverlap: true } }),
        yAxis: { type: "category", data: rows, inverse: true, axisTick: { show: false } },
        dataZoom: [...zoom, { type: "inside", yAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "shift" }],
        series: [custom("tasks", figure.tasks, box({ fill: dark.matches ? "#333c46" : "#e3e6ea" }, 0.8), { itemStyle: { color: "#b0b6bd" } }),
          custom("messages", figure.messages, line({ stroke: ink, lineWidth: 0.8, opacity: alpha }), { encode: { x: [0, 1], y: [2, 3] }, itemStyle: { color: ink } }),
          custom("turns", turns, line({ stroke: ink, lineWidth: 1.4 }), { silent: true, tooltip: { show: false }, encode: { x: [0, 1], y: [2, 3] } }),
          ...used.map((one) => custom(one.name, one.data, box({ fill: colours[one.place % colours.length] }, 0.5), { itemStyle: { color: colours[one.place % colours.length] } }))] };
    },
    NetworkMap(figure, state = { window: 0 }) {
      const high = figure.loads.reduce((most, loads) => loads.reduce((a, b) => Math.max(a, b), most), 0);
      const loads = figure.loads[state.window] || [];
      return { grid: { left: 10, right: 90, top: 16, bottom: 10 },
        tooltip: tip({ formatter: (point) => point.seriesIndex ? "" : `${escaped(figure.names[point.value[4]])}: ${shown(point.value[5])}` }),
        visualMap: { seriesIndex: 0, dimension: 5, min: 0, max: high || 1, calculable: true, formatter: shown, precision: 4, right: 0, top: "middle", text: [figure.value, ""],
          itemHeight: 120, inRange: { color: scale() } },
        xAxis: { show: false, type: "value", scale: true }, yAxis: { show: false, type: "value", scale: true },
        dataZoom: [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }],
        series: [{ type: "custom", data: figure.links.map((ends, link) => [...ends, link, loads[link] || 0]),
          encode: { x: [0, 2], y: [1, 3] }, clip: true, renderItem: (_, api) => {
            const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
            return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: api.visual("color"), lineWidth: 1 + 3 * api.value(5) / (high || 1) } };
          } },
        { type: "scatter", data: figure.routers, symbolSize: 4, silent: true, itemStyle: { color: "#888888" } }] };
    },
  };

  // A row of a matrix in full: its largest cells, and how they grew over time.
  function rowChooser(place, figure) {
    const bar = make("div", null, { class: "bar" }), detail = make("div", null, { "aria-live": "polite" });
    const select = make("select", null, { "aria-label": `${figure.y} to look at` });
    select.append(make("option", "choose a row, or click it", { value: "" }), ...figure.rows.map((name, row) => make("option", name, { value: row })));
    bar.append(select);
    place.after(bar, detail);
    let drawn = null;
    const show = (row) => {
      if (drawn) { drawn.dispose(); drawn = null; }
      detail.replaceChildren();
      if (row === "") return;
      const own = figure.cells.filter((cell) => cell[0] === row).sort((a, b) => b[2] - a[2]), all = own.reduce((sum, cell) => sum + cell[2], 0);
      const list = make("ol");
      own.slice(0, 10).forEach((cell) => list.append(make("li", `${figure.columns[cell[1]]}: ${shown(cell[2])} ${figure.value}, ${shown(Math.round((1000 * cell[2]) / all) / 10)} %`)));
      detail.append(make("p", own.length ? `${figure.rows[row]} ${figure.y} for` : `${figure.rows[row]} ${figure.y} for nobody.`, { class: "note" }), list);
      if (figure.hint) detail.append(make("p", figure.hint.replace("{row}", () => figure.rows[row].replace(/^job /, "")), { class: "note" }));
      const area = make("div", null, { class: "chart", style: "height:240px", role: "img", "aria-label": `${figure.rows[row]} over time` });
      detail.append(area);
      const last = figure.course.reduce((most, one) => Math.max(most, one[0]), 0);
      const series = Object.fromEntries(own.slice(0, 5).map((cell) => {
        const values = new Array(last + 1).fill(0);
        figure.course.forEach((one) => { if (one[1] === row && one[2] === cell[1]) values[one[0]] += one[3]; });
        return [figure.columns[cell[1]], [[0, values[0]], ...values.map((value, place) => [(place + 1) * figure.window, value])]];
      }));
      drawn = echarts.init(area, dark.matches ? "dark" : null, { renderer: "svg" });
      drawn.setOption({ backgroundColor: "transparent", animation: false, color: colours, aria: { enabled: true },
        ...options.Lines({ series, x: figure.time, y: figure.value, step: "before" }) });
    };
    select.addEventListener("change", () => show(select.value === "" ? "" : Number(select.value)));
    return (point) => { select.value = String(point.value[1]); show(point.value[1]); };
  }

  function drawFigure(place, figure) {
    const marks = (figure.boxes || figure.links || figure.cells || figure.messages || []).length;
    let chart = null;
    const state = { window: 0 };
    const choose = (figure.course || []).length ? rowChooser(place, figure) : null;
    const draw = () => {
      if (chart) chart.dispose();
      chart = echarts.init(place, dark.matches ? "dark" : null, { renderer: marks > 3000 ? "canvas" : "svg" });
      chart.setOption({ backgroundColor: "transparent", animation: false, color: colours, aria: { enabled: true },
        textStyle: { fontFamily: getComputedStyle(document.body).fontFamily }, ...options[figure.kind]({ ...figure, width: place.clientWidth }, state) });
      if (choose) chart.on("click", choose);
    };
    draw();
    dark.addEventListener("change", draw);
    new ResizeObserver(() => chart.resize()).observe(place);
    place.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
      const zoomed = (chart.getOption().dataZoom || [])[0];
      if (!zoomed) return;
      if (step) chart.dispatchAction({ type: "dataZoom", start: zoomed.start + step, end: zoomed.end + step });
      if (event.key === "+") chart.dispatchAction({ type: "dataZoom", start: zoomed.start + 5, end: zoomed.end - 5 });
      if (event.key === "-") chart.dispatchAction({ type: "dataZoom", start: zoomed.start - 5, end: zoomed.end + 5 });
    });
    if ((figure.windows || []).length > 1) {
      const bar = make("div", null, { class: "bar" });
      const slider = make("input", null, { type: "range", min: 0, max: figure.windows.length - 1, value: 0, "aria-label": "time" });
      const name = make("span", figure.windows[0], { class: "count" });
      slider.addEventListener("input", () => {
        state.window = Number(slider.value);
        name.textContent = figure.windows[state.window];
        chart.setOption(options.NetworkMap(figure, state));
      });
      bar.append(slider, name);
      place.after(bar);
    }
  }

  document.querySelectorAll("[data-table]").forEach((place) => drawTable(place, data.tables[place.dataset.table]));
  // Figures are drawn as they come into view: a page with many is there at once.
  const waiting = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
    waiting.unobserve(entry.target);
    drawFigure(entry.target, data.figures[entry.target.dataset.figure]);
  }), { rootMargin: "600px" });
  document.querySelectorAll("[data-figure]").forEach((place) => waiting.observe(place));
  window.addEventListener("beforeprint", () => document.querySelectorAll("[data-figure]:empty").forEach((place) => {
    waiting.unobserve(place);
    drawFigure(place, data.figures[place.dataset.figure]);
  }));
})();
