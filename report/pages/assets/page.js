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

function drawFigure(place, figure) {
  const panel = figure.panels[place.dataset.panel], state = { frame: 0 };
  const many = panel.marks.reduce((sum, mark) => sum + sizeOf(mark), 0) > 3000;
  const drawn = chartIn(place, many ? "canvas" : "svg", (width) => optionOf(figure, panel, state.frame, width, place.clientHeight), (chart) => {
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
