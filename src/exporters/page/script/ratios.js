// A comparison: speeds over those of the first side, with intervals and verdicts.
const VERDICTS = { faster: [2, "triangle"], slower: [1, "square"], same: [0, "disc"], unknown: [7, "ring"] };

/** Whole benchmarks, or the sizes of one, of every other side. */
function ratiosChart(comparison, title) {
  const controls = element("div", { class: "controls" });
  const state = { other: "0", benchmark: "", log: true };
  const chart = new Chart(title, () => (state.benchmark === "" ? wholeScene(comparison, state) : sizesScene(comparison, state)), { controls: [controls], height: 380 });
  const set = (name) => (value) => {
    state[name] = value;
    if (name === "other") state.benchmark = "";
    fill();
    chart.refresh();
  };
  const fill = () => {
    const other = comparison.others[Number(state.other)];
    const kept = document.activeElement?.dataset?.name;
    controls.replaceChildren(...[
      comparison.others.length > 1 ? choice("Compared", comparison.others.map((one, at) => [String(at), one.name]), state.other, set("other")) : null,
      choice("Benchmark", [["", "all, over common sizes"], ...other.benchmarks.map((one, at) => [String(at), one.benchmark])], state.benchmark, set("benchmark")),
      scaleChoice("Speed", state.log, set("log")),
    ].filter(Boolean));
    controls.querySelectorAll("select, input").forEach((one, at) => (one.dataset.name = at));
    if (kept !== undefined) controls.querySelector(`[data-name="${kept}"]`)?.focus();
  };
  fill();
  return chart;
}

function wholeScene(comparison, state) {
  const other = comparison.others[Number(state.other)];
  const names = other.benchmarks.map((one) => one.benchmark);
  return ratioScene(comparison, state, other, other.benchmarks.map((one, at) => [at, one, one.benchmark]), { axis: new Places(names), title: "benchmark", words: (at) => names[at] ?? "" });
}

function sizesScene(comparison, state) {
  const other = comparison.others[Number(state.other)];
  const { sizes } = other.benchmarks[Number(state.benchmark)];
  const axis = new Axis(rangeOf([sizes.map((one) => one.size)], true), { log: true });
  return ratioScene(comparison, state, other, sizes.map((one) => [one.size, one, `size ${grouped(one.size)}`]), { axis, title: "problem size", words: tickOfSize });
}

function ratioScene(comparison, state, other, rows, x) {
  const ends = rows.flatMap(([, one]) => [one.ratio, one.low, one.high]);
  const times = (value) => significant(value, 3) + "×";
  return {
    x,
    y: { axis: new Axis(rangeOf([[...ends, 1]], state.log), { log: state.log, margin: 0.08 }), title: `speed over ${comparison.first}`, words: times },
    series: Object.entries(VERDICTS).map(([verdict, [place, mark]]) => ({
      name: verdict, radius: 4.6, look: (theme) => ({ ...lookOf(place, theme), mark }),
      points: rows.filter(([, one]) => one.verdict === verdict).map(([at, one, what]) => ({
        x: at, y: one.ratio, low: one.low, high: one.high,
        words: [`${what}: ${times(one.ratio)}, 95${NO_BREAK}% interval ${times(one.low)} to ${times(one.high)}`],
      })),
    })).filter((series) => series.points.length),
    paint: (painter, chart, theme) => {
      const { axis } = chart.shown.y;
      const { left, right } = chart.box;
      const [low, high] = [axis.at(1 / (1 + comparison.margin)), axis.at(1 + comparison.margin)];
      painter.area([[left, low], [right, low], [right, high], [left, high]], theme.soft, 0.14);
      painter.line([[left, axis.at(1)], [right, axis.at(1)]], { colour: theme.ink, width: 1.2 });
    },
    table: () => ({
      head: ["", "verdict", `speed of ${other.name} over ${comparison.first}`, "low", "high"],
      rows: rows.map(([, one, what]) => [what, one.verdict, numberCell(one.ratio), numberCell(one.low), numberCell(one.high)]),
      more: "Intervals are 95 %.",
    }),
  };
}
