// Two metrics against each other: what no other trial beats in both is the front.
function frontChart(studies, title) {
  const controls = element("div", { class: "controls" });
  const holder = element("div");
  const state = trialState(studies, () => chart.refresh());
  const preset = () => {
    const [first, second] = state.study.objectives;
    const named = (name) => state.metrics.find((metric) => metric.name === name);
    // Of two metrics that say the same, one is no trade-off.
    state.across = named(second) ?? named("error") ?? state.metrics.find((m) => m.name !== first && m.name !== state.study.secondary) ?? state.metrics[1];
    state.up = named(first) ?? state.metrics[0];
    if (state.across === state.up) state.across = state.metrics.find((metric) => metric !== state.up);
    const log = (metric) => state.trials.metrics.get(metric?.name)?.every((value) => !Number.isFinite(value) || value > 0) ?? false;
    state.logAcross = log(state.across);
    state.logUp = log(state.up);
  };
  preset();
  const chart = new Chart(title, () => frontScene(state), { controls: [controls, holder] });
  const set = (name, value) => {
    state[name] = value;
    if (name === "study") {
      state.open();
      preset();
      holder.replaceChildren(state.filters.element());
    }
    fill();
    chart.refresh();
  };
  const fill = () => {
    const metrics = state.metrics.map((metric) => [metric.name, metric.title]);
    const named = (name) => state.metrics.find((metric) => metric.name === name);
    const kept = document.activeElement?.dataset?.name;
    controls.replaceChildren(...[
      ...state.choices(set),
      choice("Upwards", metrics, state.up?.name, (name) => set("up", named(name))),
      choice("Across", metrics, state.across?.name, (name) => set("across", named(name))),
      scaleChoice("Upwards scale", state.logUp, (log) => set("logUp", log)),
      scaleChoice("Across scale", state.logAcross, (log) => set("logAcross", log)),
    ].filter(Boolean));
    controls.querySelectorAll("select, input").forEach((one, at) => (one.dataset.name = at));
    if (kept !== undefined) controls.querySelector(`[data-name="${kept}"]`)?.focus();
  };
  fill();
  holder.append(state.filters.element());
  return chart;
}

/** Whether a study has two metrics to set against each other. */
function hasFront(study) {
  return Boolean(study.trials) && study.metrics.filter((metric) => metric.name !== study.secondary || study.objectives.includes(metric.name)).length > 1;
}

function frontScene(state) {
  const { trials, across, up } = state;
  const [xs, ys] = [trials.metrics.get(across.name), trials.metrics.get(up.name)];
  const good = (value, log) => Number.isFinite(value) && (!log || value > 0);
  const rows = state.rows().filter((row) => good(xs[row], state.logAcross) && good(ys[row], state.logUp));
  const [betterX, betterY] = [across.more_is_better ?? false, up.more_is_better ?? false];
  const cost = (row) => [betterX ? -xs[row] : xs[row], betterY ? -ys[row] : ys[row]];
  const order = Array.from(rows).sort((a, b) => cost(a)[0] - cost(b)[0] || cost(a)[1] - cost(b)[1]);
  let least = Infinity;
  const front = order.filter((row) => {
    const [, second] = cost(row);
    if (second >= least) return false;
    least = second;
    return true;
  });
  const members = new Set(front);
  const beaten = Array.from(rows).filter((row) => !members.has(row));
  const words = (metric) => (value) => (metric.unit === "s" ? seconds(value, 3) : significant(value, 3));
  const better = (metric, is) => `${metric.title}, ${is ? "more" : "less"} is better`;
  return {
    x: { axis: new Axis(rangeOf([rows.map ? Array.from(rows, (row) => xs[row]) : []], state.logAcross), { log: state.logAcross, margin: 0.05 }), title: better(across, betterX), words: words(across) },
    y: { axis: new Axis(rangeOf([Array.from(rows, (row) => ys[row])], state.logUp), { log: state.logUp, margin: 0.05 }), title: better(up, betterY), words: words(up) },
    clouds: [{
      name: "beaten in both", count: beaten.length, xs: beaten.map((row) => xs[row]), ys: beaten.map((row) => ys[row]),
      look: (theme) => ({ colour: theme.pale, mark: "ring" }), words: (at) => state.words(beaten[at], [up, across]),
    }],
    series: [{
      name: `front (${grouped(front.length)})`, joined: true, radius: 4.2, look: (theme) => lookOf(0, theme),
      points: front.map((row) => ({ x: xs[row], y: ys[row], words: state.words(row, [up, across]) })),
    }],
    table: () => ({ ...state.table(front, [up, across]), more: "The members of the front." }),
  };
}
