// What stands on the page is plain text until this runs: tables become sortable, figures are drawn.

const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// --- tables

const field = (value) => {
  const text = value === null ? "" : String(value);
  // A cell that begins as a formula would be run by spreadsheets.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const asCsv = (table, rows) => [table.columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";

const inOrder = new Intl.Collator("en", { numeric: true });

function drawTable(place, table) {
  const state = { column: -1, down: false, words: "", most: 25 };
  const numeric = table.columns.map((_, column) => table.rows.some((row) => typeof row[column] === "number"));
  // What a filter looks through, a text a row, made once: a table may have 10^5 rows.
  let texts = null;
  const found = () => {
    const words = state.words.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1");  // 1,234 as it is shown is 1234
    texts ??= words ? table.rows.map((row) => row.join("\n").toLowerCase()) : null;
    const rows = words ? table.rows.filter((_, place) => texts[place].includes(words)) : table.rows.slice();
    if (state.column >= 0) {
      const turn = state.down ? -1 : 1, column = state.column;
      rows.sort((a, b) => {
        const [x, y] = [a[column], b[column]];
        if (x === null || y === null) return (x === null) - (y === null);
        return turn * (typeof x === "number" && typeof y === "number" ? x - y
          : inOrder.compare(String(x), String(y)));
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
        cell.textContent = shown(value, table.digits[column]);
        cell.className = String(value).length > 40 ? "long" : numeric[column] ? "number" : "";
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

// A chart as wide as its place. A place that is hidden, or not laid out yet, has no width, and ECharts would draw for
// another: nothing is drawn, nor made narrower, before there is one.
function chartIn(place, renderer, option, then = () => {}) {
  let chart = null, width = 0;
  const size = () => ({ width, height: place.clientHeight });
  const update = () => chart && chart.setOption(option(width));
  const draw = () => {
    if (!width) return;
    if (chart) chart.dispose();
    chart = echarts.init(place, dark.matches ? "dark" : null, { renderer, ...size() });
    chart.setOption({ backgroundColor: "transparent", animation: false, color: colours, aria: { enabled: true },
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily }, ...option(width) });
    then(chart);
  };
  const fit = () => {
    if (!place.clientWidth || place.clientWidth === width) return;
    width = place.clientWidth;
    if (!chart) return draw();
    chart.resize(size());
    update();
  };
  const observer = new ResizeObserver(fit);
  observer.observe(place);
  dark.addEventListener("change", draw);
  fit();
  return { update, chart: () => chart, dispose: () => {
    observer.disconnect();
    dark.removeEventListener("change", draw);
    if (chart) chart.dispose();
  } };
}

// A row of cells in full: its largest cells, and how they grew over time.
function rowChooser(place, figure, panel) {
  const detail = figure.detail, mark = panel.marks[0], rows = panel.y.names, columns = panel.x.names;
  const cells = mark ? mark.x.map((column, n) => [mark.y[n], column, mark.values[n]]) : [];
  const bar = make("div", null, { class: "bar" }), told = make("div", null, { "aria-live": "polite" });
  const select = make("select", null, { "aria-label": `${panel.y.label} to look at` });
  select.append(make("option", "choose a row, or click it", { value: "" }), ...rows.map((name, row) => make("option", name, { value: row })));
  bar.append(select);
  place.parentElement.after(bar, told);
  let drawn = null;
  const show = (row) => {
    if (drawn) { drawn.dispose(); drawn = null; }
    told.replaceChildren();
    if (row === "") return;
    const own = cells.filter((cell) => cell[0] === row).sort((a, b) => b[2] - a[2]), all = own.reduce((sum, cell) => sum + cell[2], 0);
    const list = make("ol");
    own.slice(0, 10).forEach((cell) => list.append(make("li", `${columns[cell[1]]}: ${shown(cell[2])} ${detail.of}, ${shown(Math.round((1000 * cell[2]) / all) / 10)} %`)));
    told.append(make("p", own.length ? `${rows[row]} ${detail.verb} for` : `${rows[row]} ${detail.verb} for nobody.`, { class: "note" }), list);
    if (detail.hint && own.length) told.append(make("p", detail.hint.replace("{row}", () => rows[row].replace(/^job /, "")), { class: "note" }));
    const area = make("div", null, { class: "chart", style: "height:240px", role: "img", "aria-label": `${rows[row]} over time` });
    told.append(area);
    const last = most(detail.course.map((one) => one[0]), 0), axis = { names: [], scale: "linear", down: false, low: null, high: null };
    const marks = own.slice(0, 5).map((cell, colour) => {
      const values = new Array(last + 1).fill(0);
      detail.course.forEach((one) => { if (one[1] === row && one[2] === cell[1]) values[one[0]] += one[3]; });
      return { kind: "Curve", label: columns[cell[1]], colour, alpha: 1, tips: [], line: "solid", mark: "", step: true, size: 4, width: 1.2,
        x: [...values.keys(), last + 1].map((window) => window * detail.window), y: [...values, values[last]] };
    });
    drawn = chartIn(area, "svg", (width) => optionOf({ x: "", y: "", panels: [0] }, { title: "", marks, x: { ...axis, label: detail.time }, y: { ...axis, label: detail.of, grid: true } }, 0, width, 240));
  };
  select.addEventListener("change", () => show(select.value === "" ? "" : Number(select.value)));
  const choose = (row) => { select.value = String(row); show(row); };
  // A job that is clicked in another figure, by its name.
  document.addEventListener("chosen", (event) => {
    const row = rows.indexOf(event.detail);
    if (row < 0) return;
    choose(row);
    place.scrollIntoView({ block: "nearest" });
  });
  return (point) => { if (point.value) choose(mark.y[point.value[5]]); };
}

// Whoever shows rows of that name shows it.
function chosen(name) {
  document.querySelectorAll("[data-figure]:not([data-drawn])").forEach((place) => {
    if (data.figures[place.dataset.figure].detail) drawNow(place);
  });
  document.dispatchEvent(new CustomEvent("chosen", { detail: name }));
}

function drawFigure(place, figure) {
  const panel = figure.panels[place.dataset.panel], state = { frame: 0 };
  const choose = figure.detail ? rowChooser(place, figure, panel) : null;
  const many = panel.marks.reduce((sum, mark) => sum + sizeOf(mark), 0) > 3000;
  const drawn = chartIn(place, many ? "canvas" : "svg", (width) => optionOf(figure, panel, state.frame, width, place.clientHeight), (chart) => {
    if (choose) chart.on("click", choose);
    else chart.on("click", (point) => {  // a tip that begins with a job's name
      const mark = panel.marks.find((mark) => mark.kind === "Boxes" && mark.tips.length);
      if (mark && point.value) chosen(mark.tips[point.value[5]].split(":")[0]);
    });
    if (figure.share_x && figure.panels.length > 1) {
      chart.group = `figure ${place.dataset.figure}`;
      echarts.connect(chart.group);
    }
  });
  place.dataset.drawn = "";
  place.addEventListener("keydown", (event) => {
    const chart = drawn.chart(), step = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
    if (!chart) return;
    const zoomed = (chart.getOption().dataZoom || [])[0];
    if (!zoomed) return;
    if (step) chart.dispatchAction({ type: "dataZoom", start: zoomed.start + step, end: zoomed.end + step });
    if (event.key === "+") chart.dispatchAction({ type: "dataZoom", start: zoomed.start + 5, end: zoomed.end - 5 });
    if (event.key === "-") chart.dispatchAction({ type: "dataZoom", start: zoomed.start - 5, end: zoomed.end + 5 });
  });
  if (figure.frames.length < 2) return;
  const bar = make("div", null, { class: "bar" }), show = (frame) => { state.frame = frame; drawn.update(); };
  const slider = make("input", null, { type: "range", min: 0, max: figure.frames.length - 1, value: 0, "aria-label": "time" });
  const name = make("span", figure.frames[0], { class: "count" });
  slider.addEventListener("input", () => {
    name.textContent = figure.frames[slider.value];
    show(Number(slider.value));
  });
  bar.append(slider, name);
  place.after(bar);
}

document.querySelectorAll("[data-table]").forEach((place) => drawTable(place, data.tables[place.dataset.table]));
// Figures are drawn as they come into view: a page with many is there at once.
const waiting = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawNow(entry.target)), { rootMargin: "600px" });
function drawNow(place) {
  waiting.unobserve(place);
  drawFigure(place, data.figures[place.dataset.figure]);
}
document.querySelectorAll("[data-figure]").forEach((place) => waiting.observe(place));
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((place) => { place.open = true; });
  document.querySelectorAll("[data-figure]:not([data-drawn])").forEach(drawNow);
});
