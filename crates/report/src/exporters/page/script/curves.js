// Curves over the sizes: of one study, of the studies of a suite, or of the sides of a comparison.

/** An axis shows values up to this many times the highest, and down to the lowest over this. */
const FAR = 2.5;

/** Ways to look at a metric besides its values. */
const RELATIVE = { best: "share of each curve's best", first: "times the first curve", ceiling: "share of the ceiling" };

function curvesChart(studies, title, named = "studies") {
  const state = { logX: true, logY: false, way: "values", metric: null, subject: null, shown: null, default: studies.length === 1 };
  const subjects = [...new Set(studies.map((study) => study.benchmark))];
  const compared = named === "sides";
  state.subject = compared ? subjects[0] : null;
  let members = studies;
  const metrics = new Map();
  const pick = () => {
    members = compared ? studies.filter((study) => study.benchmark === state.subject) : studies;
    metrics.clear();
    const found = [];
    for (const study of members) {
      for (const metric of study.metrics) {
        if (study.curve.metrics[metric.name]) found.push([`${metric.name}|${metric.unit}`, metric, study]);
      }
    }
    // What saturates comes first, the most common first.
    const rank = ([, metric, study]) => (metric.name === study.secondary ? 0 : metric.name === "seconds" ? 1 : 2);
    found.sort((a, b) => rank(a) - rank(b));
    for (const [key, metric] of found) metrics.set(key, metric);
    if (!metrics.has(state.metric)) {
      const count = (key) => found.filter(([other, metric, study]) => other === key && metric.name === study.secondary).length;
      state.metric = [...metrics.keys()].reduce((best, key) => (count(key) > count(best) ? key : best), [...metrics.keys()][0]);
    }
  };
  pick();
  const controls = element("div", { class: "controls" });
  const scene = () => {
    const metric = metrics.get(state.metric);
    let lines = [];
    members.forEach((study) => {
      if (!metric || !(state.metric in Object.fromEntries(study.metrics.map((m) => [`${m.name}|${m.unit}`, 1])))) return;
      const place = (compared ? members : studies).indexOf(study);
      const { metrics: best, default: usual, ceiling } = study.curve;
      lines.push(lineOf(study, metric, best[metric.name], "best", place));
      if (state.default) lines.push(lineOf(study, metric, usual[metric.name], "default", place, studies.length > 1 ? place : 7));
      if (members.length === 1 && state.way === "values") lines.push(lineOf(study, metric, ceiling?.[metric.name], "ceiling", place, 5));
    });
    lines = lines.filter(Boolean);
    const made = state.way === "values" ? lines : lines.map((line) => relative(line, state.way, lines[0], metric)).filter(Boolean);
    const points = made.flatMap((line) => line.points);
    // Intervals and ceilings far from the curves would squeeze these into a corner.
    const shown = made.filter((line) => line.kind !== "ceiling").flatMap((line) => line.points.map((point) => point.y)).filter((y) => y > 0);
    const [least, most] = shown.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [Infinity, 0]);
    const within = (value) => (value > 0 && shown.length ? Math.min(Math.max(value, least / FAR), most * FAR) : value);
    const ends = points.flatMap((point) => [point.y, point.low, point.high]).filter((v) => v !== undefined).map(within);
    const meanings = new Set(members.map((study) => study.size_meaning).filter(Boolean));
    return {
      x: {
        axis: new Axis(rangeOf([points.map((point) => point.x)], state.logX), { log: state.logX }),
        title: meanings.size === 1 ? `problem size (${[...meanings][0]})` : "problem size", words: tickOfSize,
      },
      y: {
        axis: new Axis(rangeOf([ends], state.logY), { log: state.logY, zero: true }),
        title: state.way === "values" ? metric?.title ?? "" : `${metric?.name}, ${RELATIVE[state.way]}`,
        words: ticksOf(state.way === "values" ? metric : { unit: "" }),
      },
      series: made,
      paint: (painter, chart, theme) => paintKnees(painter, chart, theme, made),
      table: () => ({
        head: ["series", "size", metric?.title ?? "value", "low", "high", "best configuration"],
        rows: made.flatMap((line) => line.points.map((point) => [line.name, sizeCell(point.x), numberCell(point.y), numberCell(point.low), numberCell(point.high), codeCell(point.best)])),
        more: "Intervals are 95 %.",
      }),
    };
  };
  const chart = new Chart(title, scene, { controls: [controls] });
  const set = (name) => (value) => {
    state[name] = value;
    if (name === "subject") {
      pick();
      chart.setTitle(`${title}: ${value}`);
    }
    fill();
    chart.refresh();
  };
  const fill = () => {
    const label = (metric) => metric.title;
    const metric = metrics.get(state.metric);
    const ways = [["values", "values"]];
    if (metric?.more_is_better !== undefined) ways.push(["best", RELATIVE.best]);
    if (members.length > 1) ways.push(["first", RELATIVE.first]);
    if (members.some((study) => study.curve.ceiling?.[metric?.name])) ways.push(["ceiling", RELATIVE.ceiling]);
    if (!ways.some(([way]) => way === state.way)) state.way = "values";
    refill(controls, [
      compared && subjects.length > 1 ? choice("Benchmark", subjects.map((s) => [s, s]), state.subject, set("subject")) : null,
      choice("Metric", [...metrics].map(([key, metric]) => [key, label(metric)]), state.metric, set("metric")),
      choice("As", ways, state.way, set("way")),
      scaleChoice("Sizes", state.logX, set("logX")),
      scaleChoice("Values", state.logY, set("logY")),
      studies.length > 1 ? tick("default configurations", state.default, set("default")) : null,
      members.length > 8 ? button("Hide all", () => {
        chart.hidden = new Set(chart.shown.series.map((one) => one.id));
        chart.refresh();
      }) : null,
      members.length > 8 ? button("Show all", () => {
        chart.hidden.clear();
        chart.refresh();
      }) : null,
    ]);
  };
  fill();
  if (compared) chart.setTitle(`${title}: ${state.subject}`);
  return chart;
}

function tickOfSize(value) {
  if (value < 10000) return significant(value, 6);
  const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [factor, unit] = units.find(([factor]) => value >= factor * 0.9999);
  return significant(value / factor, 4) + NARROW + unit;
}

/** A curve of a metric with what is said of its points: of the best, the default or the ceiling. */
function lineOf(study, metric, values, kind, place, looks = place) {
  if (!values) return null;
  const { curve } = study;
  const best = kind === "best" ? curve.best : [];
  const points = [];
  curve.size.forEach((size, at) => {
    const y = values.value[at];
    if (y === null || y === undefined) return;
    const [low, high] = [values.low?.[at] ?? undefined, values.high?.[at] ?? undefined];
    points.push({
      x: size, y, low, high, best: best[at], ceiling: curve.ceiling?.[metric.name]?.value[at],
      words: [`size ${grouped(size)}: ${withInterval(metric, y, low, high)}`, best[at],
        kind === "best" && curve.unsettled[at] ? "not precise: time ran out" : null].filter(Boolean),
    });
  });
  const name = { best: study.label, default: `${study.label}, default`, ceiling: "ceiling" }[kind];
  const dotted = kind === "default" ? { mark: "ring", dash: [2, 3] } : {};
  const look = (theme) => ({ ...lookOf(looks, theme), ...dotted });
  // The level is that of the metric that saturates.
  const level = kind === "best" && metric.name === study.secondary ? study.knee?.level : undefined;
  return points.length ? { id: `${kind} ${place}`, level, kind, name, study, points, joined: true, look } : null;
}

/** A curve over its best, over the first curve at the same sizes, or over its ceiling. */
function relative(line, way, first, metric) {
  const ys = line.points.map((point) => point.y);
  // A share of the best is at most 1, whichever way is better.
  const turned = way === "best" && metric.more_is_better === false;
  const best = turned ? Math.min(...ys) : Math.max(...ys);
  const of = { best: () => best, first: (point) => first.points.find((other) => other.x === point.x)?.y, ceiling: (point) => point.ceiling };
  const points = line.points.flatMap((point) => {
    const base = of[way](point);
    if (!base) return [];
    const scaled = turned
      ? { y: base / point.y, low: base / point.high, high: base / point.low }
      : { y: point.y / base, low: point.low / base, high: point.high / base };
    return [{ ...point, ...scaled, words: [`size ${grouped(point.x)}: ${withInterval({ unit: "" }, scaled.y, scaled.low, scaled.high)} (${RELATIVE[way]})`, ...point.words.slice(1)] }];
  });
  return points.length ? { ...line, points, level: undefined } : null;
}

/** Knees of what is shown, each with its interval. */
function paintKnees(painter, chart, theme, lines) {
  const { axis } = chart.shown.x;
  const { top, bottom } = chart.box;
  const shown = chart.visible(lines).filter((line) => line.study.knee && line.kind === "best");
  for (const line of shown) {
    const { size, interval, confidence } = line.study.knee;
    const colour = lines.every((other) => other.study === line.study) ? theme.colours[2] : line.look(theme).colour;
    if (interval && shown.length <= 3) {
      const [low, high] = interval.map((end) => axis.at(Math.max(end, 1e-9)));
      painter.area([[low, top], [high, top], [high, bottom], [low, bottom]], colour, 0.12);
    }
    const at = axis.at(size);
    painter.line([[at, top], [at, shown.length > 3 ? top + 12 : bottom]], { colour, width: 1.8 });
    const trust = confidence ? `, ${confidence}` : "";
    if (shown.length <= 3) painter.text(`knee ${grouped(size)}${trust}`, at + 5, bottom - 8 - 15 * shown.indexOf(line), { colour });
  }
  paintLevel(painter, chart, theme, shown);
}

/** The level of one curve, as a dashed line with its value. */
function paintLevel(painter, chart, theme, shown) {
  const [line, ...others] = shown;
  if (!line?.level || others.length) return;
  const { left, right } = chart.box;
  const at = chart.shown.y.axis.at(line.level);
  const colour = theme.colours[2];
  painter.line([[left, at], [right, at]], { colour, width: 1.2, dash: [4, 3] });
  painter.text(`level ${chart.shown.y.words(line.level)}`, left + 6, at + 14, { colour });
}
