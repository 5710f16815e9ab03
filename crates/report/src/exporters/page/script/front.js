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
    const size = state.trials.size.values.indexOf(state.study.front?.size);
    if (size >= 0) state.size = String(size);
    const log = (metric) => state.trials.metrics.get(metric?.name)?.every((value) => !Number.isFinite(value) || value >= 0) ?? false;
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
    refill(controls, [
      ...state.choices(set),
      choice("Upwards", metrics, state.up?.name, (name) => set("up", named(name))),
      choice("Across", metrics, state.across?.name, (name) => set("across", named(name))),
      scaleChoice("Upwards scale", state.logUp, (log) => set("logUp", log)),
      scaleChoice("Across scale", state.logAcross, (log) => set("logAcross", log)),
    ]);
  };
  fill();
  holder.append(state.filters.element());
  return chart;
}

/** Whether a study has values of two metrics to set against each other. */
function hasFront(study) {
  const measured = new Set(study.trials?.metrics.map((column) => column.name));
  return study.metrics.filter(({ name }) => measured.has(name) && (name !== study.secondary || study.objectives.includes(name))).length > 1;
}

/** The front that the study answers with, where its own objectives and size are shown; else none. */
function ownFront(state) {
  const { study, trials, across, up, filters } = state;
  const [one, other] = [study.objectives.indexOf(up?.name), study.objectives.indexOf(across?.name)];
  const size = trials.size.values.indexOf(study.front?.size);
  const shown = size >= 0 && state.size === String(size) && one >= 0 && other >= 0 && one !== other;
  return shown && !filters.changedByHand ? study.front.rows : null;
}

/** Of these rows what no other beats in both metrics. */
function unbeaten(rows, cost) {
  const order = Array.from(rows).sort((a, b) => cost(a)[0] - cost(b)[0] || cost(a)[1] - cost(b)[1]);
  let least = Infinity;
  return order.filter((row) => {
    const [, second] = cost(row);
    if (second >= least) return false;
    least = second;
    return true;
  });
}

function frontScene(state) {
  const { across, up, study } = state;
  const [xs, ys] = [state.valuesOf(across), state.valuesOf(up)];
  const good = (value, log) => Number.isFinite(value) && (!log || value >= 0);
  const drawn = (row) => good(xs[row], state.logAcross) && good(ys[row], state.logUp);
  const rows = Array.from(state.rows().filter(drawn));
  const [betterX, betterY] = [across.more_is_better ?? false, up.more_is_better ?? false];
  const cost = (row) => [betterX ? -xs[row] : xs[row], betterY ? -ys[row] : ys[row]];
  const own = ownFront(state)?.filter(drawn).sort((a, b) => xs[a] - xs[b]);
  const front = own ?? unbeaten(rows.filter(state.holds), cost);
  const columns = [...state.trials.parameters.values()];
  const member = (row) => front.some((one) => columns.every(({ at }) => at[one] === at[row]));
  const cloud = (name, members, look) => ({
    id: name, name, look, count: members.length, xs: members.map((row) => xs[row]), ys: members.map((row) => ys[row]),
    words: (at) => state.words(members[at], [up, across]),
  });
  const pale = (mark) => (theme) => ({ colour: theme.pale, mark });
  const all = [...rows, ...front];
  const naught = (metric) => (metric.name === "error" ? "exact" : "0");
  const better = (metric, is) => `${metric.title}, ${is ? "more" : "less"} is better`;
  return {
    x: { axis: axisOver([all.map((row) => xs[row])], { log: state.logAcross, margin: 0.05, naught: naught(across) }), title: better(across, betterX), words: ticksOf(across) },
    y: { axis: axisOver([all.map((row) => ys[row])], { log: state.logUp, margin: 0.05, naught: naught(up) }), title: better(up, betterY), words: ticksOf(up) },
    clouds: [
      cloud("not on the front", rows.filter((row) => state.holds(row) && !member(row)), pale("ring")),
      cloud("outside the bounds", rows.filter((row) => !state.holds(row)), pale("cross")),
    ].filter((one) => one.count),
    series: [{
      // Of three objectives some lie behind others in two of them.
      id: "front", name: `${own ? "front" : "front of what is shown"} (${grouped(front.length)})`, joined: !own || study.objectives.length === 2, radius: 4.2, look: (theme) => lookOf(0, theme),
      points: front.map((row) => ({ x: xs[row], y: ys[row], words: state.words(row, [up, across]) })),
    }],
    table: () => ({ ...state.table(front, [up, across]), more: "The members of the front." }),
  };
}
