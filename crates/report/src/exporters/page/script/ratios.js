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
    refill(controls, [
      comparison.others.length > 1 ? choice("Compared", comparison.others.map((one, at) => [String(at), one.name]), state.other, set("other")) : null,
      choice("Benchmark", [["", "all, over common sizes"], ...other.benchmarks.map((one, at) => [String(at), one.benchmark])], state.benchmark, set("benchmark")),
      scaleChoice("Speed", state.log, set("log")),
    ]);
  };
  fill();
  return chart;
}

function wholeScene(comparison, state) {
  const other = comparison.others[Number(state.other)];
  const names = other.benchmarks.map((one) => one.benchmark);
  const rows = other.benchmarks.map((one, at) => [at, one, one.benchmark, one.benchmark]);
  const scene = ratioScene(comparison, state, other, rows, { axis: new Places(names, true), title: "", words: (at) => names[at] ?? "" });
  // Names need lines of their own: the picture lies on its side.
  const longest = Math.max(...names.map((name) => name.length));
  const series = scene.series.map((one) => ({ ...one, across: true, points: one.points.map((point) => ({ ...point, x: point.y, y: point.x })) }));
  return { ...scene, x: scene.y, y: scene.x, series, left: Math.min(40 + longest * 6.5, 300), height: Math.max(200, 90 + 24 * names.length) };
}

function sizesScene(comparison, state) {
  const other = comparison.others[Number(state.other)];
  const { sizes } = other.benchmarks[Number(state.benchmark)];
  const axis = new Axis(rangeOf([sizes.map((one) => one.size)], true), { log: true });
  return ratioScene(comparison, state, other, sizes.map((one) => [one.size, one, `size ${grouped(one.size)}`, sizeCell(one.size)]), { axis, title: "problem size", words: tickOfSize });
}

function ratioScene(comparison, state, other, rows, x) {
  const ends = rows.flatMap(([, one]) => [one.ratio, one.low, one.high]);
  const times = (value) => significant(value, 3) + "×";
  return {
    x,
    named: 1,
    y: { axis: new Axis(rangeOf([[...ends, 1]], state.log), { log: state.log, margin: 0.08 }), title: `speed over ${comparison.first}`, words: times },
    series: Object.entries(VERDICTS).map(([verdict, [place, mark]]) => ({
      id: verdict, name: verdict, radius: 4.6, look: (theme) => ({ ...lookOf(place, theme), mark }),
      points: rows.filter(([, one]) => one.verdict === verdict).map(([at, one, what]) => ({
        x: at, y: one.ratio, low: one.low, high: one.high,
        words: [`${what}: ${times(one.ratio)}, 95${NO_BREAK}% interval ${times(one.low)} to ${times(one.high)}`],
      })),
    })).filter((series) => series.points.length),
    paint: (painter, chart, theme) => {
      const lies = chart.shown.y.axis instanceof Places;
      const { axis } = lies ? chart.shown.x : chart.shown.y;
      const { left, right, top, bottom } = chart.box;
      const [from, to] = lies ? [top, bottom] : [left, right];
      const turned = ([along, value]) => (lies ? [value, along] : [along, value]);
      const [low, high] = [axis.at(1 / (1 + comparison.margin)), axis.at(1 + comparison.margin)];
      painter.area([[from, low], [to, low], [to, high], [from, high]].map(turned), theme.soft, 0.14);
      painter.line([[from, axis.at(1)], [to, axis.at(1)]].map(turned), { colour: theme.ink, width: 1.2 });
    },
    table: () => ({
      head: ["of", "verdict", `speed of ${other.name} over ${comparison.first}`, "low", "high"],
      rows: rows.map(([, one, , cell]) => [cell, one.verdict, numberCell(one.ratio), numberCell(one.low), numberCell(one.high)]),
      more: "Intervals are 95 %.",
    }),
  };
}
