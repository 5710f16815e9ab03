// Tables that are sorted by their heads, filtered by a text, and copied as CSV.
const MOST_ROWS = 500;

/** A cell whose text is short and whose value is whole. */
function numberCell(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return { text: "–", value: "", number: true };
  return { text: significant(value, 5), value, number: true };
}

function sizeCell(value) {
  return { text: grouped(value), value, number: true };
}

function parameterCell(value) {
  return typeof value === "number" ? { text: String(value), value, number: true } : String(value ?? "");
}

function codeCell(text) {
  return { text: text ?? "", value: text ?? "", code: true };
}

function cellOf(cell) {
  if (cell === null || typeof cell !== "object") return element("td", {}, String(cell ?? ""));
  if (!cell.code) return element("td", cell.number ? { class: "n", "data-value": cell.value === "" ? null : cell.value } : {}, cell.text);
  const code = element("code", { class: "configuration" });
  code.append(...breakable(cell.text));
  return element("td", {}, code);
}

/** A configuration, which breaks between parameters alone. */
function breakable(text) {
  return text.split(/(?<=,)(?=\S)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
}

/** What a cell is copied as: the plain number or date that it says, or its text. */
function plainOf(cell) {
  return cell.dataset.value ?? cell.textContent.trim();
}

/** What a cell is sorted by. */
function keyOf(cell) {
  const number = Number(cell?.dataset.value);
  return Number.isNaN(number) ? (cell ? plainOf(cell) : "") : number;
}

/** Numbers by their size, then texts; numbers come first both ways. */
function compareKeys(a, b, way) {
  if (typeof a === "number" && typeof b === "number") return way * (a - b);
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return way * a.localeCompare(b, "en", { numeric: true });
}

/** Makes a table sort, filter and copy; `all` gives all rows where it shows only the first. */
function equip(table, { title, all = null, note = null }) {
  const head = table.tHead?.rows[0] ?? table.rows[0];
  const bodyRows = () => [...table.querySelectorAll("tr")].filter((row) => row !== head);
  [...head.cells].forEach((cell, at) => {
    const sort = button(cell.textContent, () => {
      const up = cell.getAttribute("aria-sort") !== "ascending";
      [...head.cells].forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = bodyRows().map((row) => [keyOf(row.cells[at]), row]);
      keyed.sort(([a], [b]) => compareKeys(a, b, up ? 1 : -1));
      const body = keyed[0]?.[1].parentNode;
      keyed.forEach(([, row]) => body.append(row));
    }, { class: "sort" });
    cell.replaceChildren(sort);
  });
  stackable(table, head, bodyRows());
  const told = element("span", { role: "status" });
  const filter = element("input", { type: "search", placeholder: "filter", "aria-label": `Filter the rows of ${title}`, oninput: () => {
    const text = filter.value.toLowerCase();
    let shown = 0;
    for (const row of bodyRows()) {
      row.hidden = !row.textContent.toLowerCase().includes(text);
      shown += row.hidden ? 0 : 1;
    }
    told.textContent = text ? `${shown} rows` : "";
  } });
  const texts = () => [head, ...bodyRows().filter((row) => !row.hidden)].map((row) => [...row.cells].map(plainOf));
  const copying = button("Copy as CSV", async () => {
    told.textContent = (await copy(csv(all ? all() : texts()))) ? "copied" : "the browser does not allow it";
  });
  const bar = element("div", { class: "table-tools" }, filter, copying, told, note ? element("span", { class: "note" }, note) : null);
  (table.closest(".wide") ?? table).before(bar);
  const wide = table.closest(".wide");
  if (wide) scrollable(wide, title);
  return bar;
}

/** On a phone, rows of many columns become blocks in which every cell says its head. */
function stackable(table, head, rows) {
  if (head.cells.length < 5 || rows.length > MOST_ROWS) return;
  const heads = [...head.cells].map((cell) => cell.textContent);
  table.classList.add("stack");
  head.classList.add("heads");
  // What is no table to look at is still one to listen to.
  table.setAttribute("role", "table");
  for (const row of [head, ...rows]) {
    row.setAttribute("role", "row");
    [...row.cells].forEach((cell, at) => {
      cell.setAttribute("role", cell.tagName === "TH" ? "columnheader" : "cell");
      if (row !== head) cell.dataset.head = heads[at];
    });
  }
}

/** What scrolls inside itself can be reached by keys. */
function scrollable(wide, title) {
  const set = () => {
    if (wide.scrollWidth > wide.clientWidth) {
      wide.tabIndex = 0;
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", title);
    } else ["tabindex", "role", "aria-label"].forEach((name) => wide.removeAttribute(name));
  };
  new ResizeObserver(set).observe(wide);
  set();
}
