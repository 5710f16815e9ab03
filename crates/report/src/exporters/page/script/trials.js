// Trials: a metric over the evaluations or over one parameter, with filters.
const OUTCOMES = ["measured", "outside the bounds", "invalid", "compile-failed", "run-failed", "wrong-result", "timed-out", "crashed"];
/** Groups that are named, besides one of all others: eight looks can be told apart. */
const MOST_GROUPS = 7;

/** What charts of trials have in common: the study, its size and its filters. */
function trialState(studies, refresh) {
  const all = studies.filter((study) => study.trials);
  const state = { study: all[0] };
  state.open = () => {
    state.trials = trialsOf(state.study);
    state.filters = new Filters(state.trials, refresh);
    const answer = state.trials.size.values.indexOf(state.study.answer);
    state.size = answer >= 0 ? String(answer) : "";
    state.metrics = state.study.metrics.filter((metric) => state.trials.metrics.get(metric.name)?.some(Number.isFinite));
  };
  const measured = () => state.trials.outcome.values.indexOf("measured");
  /** Whether a trial was measured and lies within the bounds. */
  state.holds = (row) => state.trials.outcome.at[row] === measured();
  state.rows = () => state.filters.rows(state.size === "" ? null : Number(state.size));
  state.choices = (set) => [
    all.length > 1 ? choice("Study", all.map((study, at) => [String(at), study.label]), String(all.indexOf(state.study)), (at) => set("study", all[at])) : null,
    state.trials.size.values.length > 1
      ? choice("Size", [["", "all"], ...state.trials.size.values.map((size, code) => [String(code), grouped(size)])], state.size, (code) => set("size", code))
      : null,
  ];
  state.valuesOf = (metric) => state.trials.metrics.get(metric?.name) ?? new Float32Array(state.trials.count).fill(NaN);
  state.words = (row, metrics) => {
    const { trials } = state;
    const outcome = trials.outcome.values[trials.outcome.at[row]];
    const reason = trials.reason.values[trials.reason.at[row]];
    const values = metrics.filter(Boolean).map((metric) => {
      const value = trials.metrics.get(metric.name)[row];
      const [low, high] = metric.name === "seconds" ? [trials.low[row], trials.high[row]] : [];
      return Number.isFinite(value) ? `${metric.unit === "s" ? metric.title : metric.name}: ${withInterval(metric, value, low, high)}` : null;
    });
    return [`evaluation ${grouped(row + 1)} at size ${grouped(trials.size.values[trials.size.at[row]])}`, ...values.filter(Boolean),
      ...(outcome === "measured" ? [] : [reason ? `${outcome}: ${reason}` : outcome]), configurationOf(trials, row)];
  };
  state.table = (rows, shown) => {
    const { trials } = state;
    const parameters = [...trials.parameters];
    return {
      head: ["trial", "size", "outcome", ...shown.map((metric) => metric.title), ...parameters.map(([name]) => name)],
      rows: Array.from(rows, (row) => [numberCell(row + 1), sizeCell(trials.size.values[trials.size.at[row]]), trials.outcome.values[trials.outcome.at[row]],
        ...shown.map((metric) => numberCell(trials.metrics.get(metric.name)[row])),
        ...parameters.map(([, column]) => parameterCell(column.values[column.at[row]]))]),
    };
  };
  state.open();
  return state;
}

function trialsChart(studies, title) {
  const controls = element("div", { class: "controls" });
  const holder = element("div");
  const state = trialState(studies, () => chart.refresh());
  const preset = () => {
    Object.assign(state, { over: "", by: "outcome", log: true });
    const objective = state.study.objectives[0];
    state.metric = state.metrics.find((metric) => metric.name === objective) ?? state.metrics[0];
  };
  preset();
  const chart = new Chart(title, () => trialsScene(state), { controls: [controls, holder] });
  const set = (name, value) => {
    state[name] = value;
    if (name === "study") {
      state.open();
      preset();
      chart.hidden.clear();
      holder.replaceChildren(state.filters.element());
    }
    if (name === "by") chart.hidden.clear();
    fill();
    chart.refresh();
  };
  const fill = () => {
    const parameters = [...state.trials.parameters.keys()].map((name) => [name, name]);
    refill(controls, [
      ...state.choices(set),
      state.metrics.length ? choice("Metric", state.metrics.map((metric) => [metric.name, metric.title]), state.metric.name, (name) => set("metric", state.metrics.find((m) => m.name === name))) : null,
      choice("Over", [["", "evaluations"], ...parameters], state.over, (name) => set("over", name)),
      choice("Colour by", [["outcome", "outcome"], ["size", "size"], ...parameters], state.by, (name) => set("by", name)),
      scaleChoice("Values", state.log, (log) => set("log", log)),
    ]);
  };
  fill();
  holder.append(state.filters.element());
  return chart;
}

function trialsScene(state) {
  const { trials, metric } = state;
  const rows = state.rows();
  const values = state.valuesOf(metric);
  const parameter = state.over && trials.parameters.get(state.over);
  const colour = state.by === "outcome" ? trials.outcome : state.by === "size" ? trials.size : trials.parameters.get(state.by);
  // Evaluations are counted among those that are shown.
  const across = new Float32Array(rows.length);
  const up = new Float32Array(rows.length);
  let strip = 0;
  rows.forEach((row, at) => {
    // Points of one value lie beside each other, always alike.
    across[at] = parameter ? parameter.at[row] + (((row * 2654435761) >>> 8) % 1000 - 500) / 1600 : at + 1;
    up[at] = state.log && !(values[row] > 0) ? NaN : values[row];
    if (!Number.isFinite(up[at])) strip = 26;
  });
  const clouds = groups(colour, rows).map(([name, code, members, place]) => ({
    id: code, name: colour === trials.outcome ? name : `${state.by} ${name}`, count: members.length,
    look: (theme) => lookOf(colour === trials.outcome ? outcomePlace(name) : place, theme),
    xs: members.map((at) => across[at]), ys: members.map((at) => up[at]),
    words: (at) => state.words(rows[members[at]], [metric]),
  }));
  const summary = parameter ? perValue(state, parameter, rows, up) : null;
  return {
    x: parameter
      ? { axis: new Places(parameter.values), title: state.over, words: (value) => String(parameter.values[value] ?? "") }
      : { axis: new Axis([1, Math.max(rows.length, 2)], { margin: 0.02 }), title: `evaluation (${grouped(rows.length)} shown)`, words: (value) => (Number.isInteger(value) ? grouped(value) : "") },
    y: { axis: new Axis(rangeOf([up], state.log), { log: state.log }), title: metric?.title ?? "", words: ticksOf(metric) },
    strip, clouds, series: [parameter ? summary : bestSoFar(state, rows, up)].filter(Boolean),
    paint: (painter, chart, theme) => {
      if (!strip) return;
      const { left, right, top } = chart.box;
      painter.area([[left, top], [right, top], [right, top + strip], [left, top + strip]], theme.soft, 0.12);
      painter.text("no value", right - 5, top + 17, { colour: theme.soft, anchor: "end", size: 11 });
    },
    paintOver: (painter, chart, theme) => summary?.paintBoxes(painter, chart, theme),
    table: () => state.table(rows, state.metrics),
  };
}

function outcomePlace(name) {
  return Math.max(OUTCOMES.indexOf(name), 0);
}

/** Rows by a column's values, in their order: `[name, code, members, place]`; the rarest of many go together. */
function groups(column, rows) {
  const members = new Map();
  rows.forEach((row, at) => {
    const code = column.at[row];
    if (!members.has(code)) members.set(code, []);
    members.get(code).push(at);
  });
  const common = [...members.keys()].sort((a, b) => members.get(b).length - members.get(a).length || a - b);
  const rare = common.length > MOST_GROUPS + 1 ? common.splice(MOST_GROUPS) : [];
  const shown = common.sort((a, b) => a - b);
  const made = shown.map((code, place) => [String(column.values[code] ?? "none"), code, members.get(code), place]);
  const rest = rare.flatMap((code) => members.get(code)).sort((a, b) => a - b);
  if (rest.length) made.push(["others", -1, rest, MOST_GROUPS]);
  return made;
}

/** The best value after each evaluation, as far as it gets better. */
function bestSoFar(state, rows, up) {
  const { metric } = state;
  if (!metric || metric.more_is_better === undefined || state.size === "") return null;
  const points = [];
  let best = null;
  rows.forEach((row, at) => {
    if (!state.holds(row) || !Number.isFinite(up[at])) return;
    if (best !== null && (metric.more_is_better ? up[at] <= best : up[at] >= best)) return;
    if (best !== null) points.push({ x: at + 1, y: best, words: [] });
    best = up[at];
    points.push({ x: at + 1, y: best, words: [] });
  });
  if (best === null) return null;
  points.push({ x: rows.length, y: best, words: [] });
  return { id: "best", name: "best so far", silent: true, joined: true, points, look: (theme) => ({ colour: theme.ink, mark: null, dash: [] }) };
}

/** The best and the quartiles of every value of a parameter, of what lies within the bounds. */
function perValue(state, parameter, rows, up) {
  const { metric } = state;
  const lists = parameter.values.map(() => []);
  rows.forEach((row, at) => {
    if (state.holds(row) && Number.isFinite(up[at])) lists[parameter.at[row]]?.push(up[at]);
  });
  if (lists.every((list) => !list.length)) return null;
  const points = [];
  lists.forEach((list, at) => {
    if (!list.length) return;
    list.sort((a, b) => a - b);
    const best = metric.more_is_better ? list[list.length - 1] : list[0];
    const [q1, middle, q3] = [quantile(list, 0.25), median(list), quantile(list, 0.75)];
    points.push({
      x: at, y: best, q1, middle, q3,
      words: [`${state.over} ${parameter.values[at]}: best ${inWords(metric, best)}`, `quartiles ${inWords(metric, q1)}, ${inWords(metric, middle)}, ${inWords(metric, q3)}`, `${grouped(list.length)} trials`],
    });
  });
  return {
    id: "quartiles", name: "best and quartiles of each value", points, joined: true, radius: 5,
    look: (theme) => ({ colour: theme.ink, mark: "diamond", dash: [4, 3] }),
    paintBoxes: (painter, chart, theme) => {
      if (chart.hidden.has("quartiles")) return;
      const { x, y } = chart.shown;
      for (const { x: at, q1, middle, q3 } of points) {
        const [left, right] = [x.axis.at(at - 0.32), x.axis.at(at + 0.32)];
        const [low, mid, high] = [q1, middle, q3].map((value) => y.axis.at(value));
        painter.area([[left, low], [right, low], [right, high], [left, high]], theme.ink, 0.12);
        painter.line([[left, low], [right, low], [right, high], [left, high], [left, low]], { colour: theme.ink });
        painter.line([[left, mid], [right, mid]], { colour: theme.ink, width: 2.2 });
      }
    },
  };
}
