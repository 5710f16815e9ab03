// Begins when the page is there: charts take the places of their pictures, tables get their tools.
const THEME = "autobench-theme";

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function remembered() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function themeSwitch(charts) {
  const saved = remembered();
  if (saved) document.documentElement.dataset.theme = saved;
  const toggle = button("", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // The choice then lasts as long as the page.
    }
    changed();
  }, { class: "theme" });
  const changed = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    charts.forEach((chart) => chart.draw());
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  changed();
  document.querySelector("main").prepend(toggle);
}

/** On paper stand pictures of lines, in light colours. */
function printing(charts) {
  addEventListener("beforeprint", () => charts.forEach((chart) => {
    const picture = new DOMParser().parseFromString(chart.svg().text, "image/svg+xml").documentElement;
    chart.figure.append(element("div", { class: "printed" }, picture));
  }));
  addEventListener("afterprint", () => document.querySelectorAll(".printed").forEach((one) => one.remove()));
}

const KINDS = {
  curves: (data, title) => data.studies.some((study) => study.curve.size.length > 1) && curvesChart(data.studies.filter((study) => study.curve.size.length), title),
  sides: (data, title) => data.studies.some((study) => study.curve.size.length) && curvesChart(data.studies, title, "sides"),
  trials: (data, title) => data.studies.some((study) => study.trials) && trialsChart(data.studies, title),
  front: (data, title) => data.studies.some(hasFront) && frontChart(data.studies.filter(hasFront), title),
  ratios: (data, title) => data.comparison && ratiosChart(data.comparison, title),
};
const TITLES = { curves: "Over the sizes", sides: "Curves", trials: "Search", front: "One metric against another", ratios: "Speed" };

/** Puts a chart in a place, if there is anything to show in it. */
function chartAt(place, data) {
  const kind = place.dataset.chart;
  const subject = data.studies.length === 1 ? `${data.studies[0].label} on ${data.studies[0].device}: ` : "";
  const name = TITLES[kind];
  const chart = KINDS[kind](data, subject ? subject + name[0].toLowerCase() + name.slice(1) : name);
  if (!chart) return null;
  // The page's own titles say the same of the curves, which must fit the first screen.
  chart.caption.hidden = kind === "curves" && subject !== "";
  const parts = [chart.figure];
  if (place.dataset.title) parts.unshift(element("h2", {}, place.dataset.title));
  place.replaceChildren(...parts);
  chart.refresh();
  return chart;
}

function start() {
  const source = document.getElementById("data");
  const data = source ? JSON.parse(source.textContent) : { studies: [] };
  const charts = [];
  document.querySelectorAll("[data-chart]").forEach((place) => {
    const still = [...place.childNodes];
    try {
      const chart = chartAt(place, data);
      if (chart) charts.push(chart);
    } catch (fault) {
      // The picture says what the chart would have said.
      place.replaceChildren(...still);
      console.error(fault);
    }
  });
  document.querySelectorAll("main table").forEach((table) => {
    const first = table.rows[0];
    // Names with values beside them are no columns to sort.
    const isHead = first && [...first.cells].every((cell) => cell.tagName === "TH");
    const heading = headingOf(table);
    if (isHead && table.rows.length > 2) equip(table, { title: heading });
    else if (table.closest(".wide")) scrollable(table.closest(".wide"), heading);
  });
  document.querySelectorAll("pre").forEach((one) => scrollable(one, "command"));
  themeSwitch(charts);
  printing(charts);
  document.documentElement.dataset.ready = "yes";
}

function headingOf(node) {
  let at = node;
  while (at && at.tagName !== "MAIN") {
    let before = at;
    while (before) {
      if (/^H[12]$/.test(before.tagName)) return before.textContent;
      before = before.previousElementSibling;
    }
    at = at.parentElement;
  }
  return "table";
}

start();
