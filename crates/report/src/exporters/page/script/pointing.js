// Pointer and keys of a chart: values, zoom and the way from point to point.

/** Points of what is shown, in cells of the screen. */
function indexOf(chart) {
  if (chart.index) return chart.index;
  const { x, y } = chart.shown;
  const points = [];
  for (const series of chart.visible(chart.shown.series)) {
    if (series.silent) continue;
    series.points.forEach((point, at) => points.push([x.axis.at(point.x), y.axis.at(point.y), series, at]));
  }
  for (const cloud of chart.visible(chart.shown.clouds)) {
    for (let at = 0; at < cloud.count; at++) points.push([...chart.placeOf(cloud, at, x.axis, y.axis), cloud, at]);
  }
  const { left, right, top, bottom } = chart.box;
  const inside = points.filter(([px, py]) => px >= left - 1 && px <= right + 1 && py >= top - 1 && py <= bottom + 1);
  const cells = new Map();
  inside.forEach((point, at) => {
    const key = cellAt(point[0], point[1]);
    const cell = cells.get(key);
    if (cell) cell.push(at);
    else cells.set(key, [at]);
  });
  chart.index = { points: inside, cells };
  return chart.index;
}

/** Points from left to right, as keys walk them. */
function wayOf(chart) {
  const index = indexOf(chart);
  const { points } = index;
  index.way ??= points.map((_, at) => at).sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1]);
  return index.way;
}

function cellAt(x, y) {
  return (Math.floor(x / 24) << 12) | (Math.floor(y / 24) & 4095);
}

function nearest(chart, x, y) {
  const { points, cells } = indexOf(chart);
  let [best, distance] = [-1, 26 * 26];
  for (let dx = -24; dx <= 24; dx += 24) {
    for (let dy = -24; dy <= 24; dy += 24) {
      for (const at of cells.get(cellAt(x + dx, y + dy)) ?? []) {
        const away = (points[at][0] - x) ** 2 + (points[at][1] - y) ** 2;
        if (away < distance) [best, distance] = [at, away];
      }
    }
  }
  return best;
}

/** Shows the value of a point, and tells it where keys asked for it. */
function show(chart, at, aloud) {
  if (!aloud && chart.focusedPoint?.at === at) return;
  const [px, py, one, number] = indexOf(chart).points[at];
  const words = one.words ? one.words(number) : one.points[number].words;
  const lines = (one.name ? [one.name, ...words] : words).map((text) => element("div", {}, ...breakable(text)));
  chart.tip.replaceChildren(...lines);
  chart.tip.hidden = false;
  const room = chart.width - chart.tip.offsetWidth - 4;
  chart.tip.style.left = `${Math.max(4, Math.min(px + 14, room))}px`;
  const above = py - chart.tip.offsetHeight - 12;
  chart.tip.style.top = `${above > 0 ? above : py + 14}px`;
  chart.focusedPoint = { at, px, py };
  chart.draw();
  if (aloud) chart.live.textContent = (one.name ? [one.name, ...words] : words).join("; ");
}

function hide(chart) {
  if (chart.tip.hidden) return;
  chart.tip.hidden = true;
  chart.focusedPoint = null;
  chart.draw();
}

function pointing(chart) {
  const { plot } = chart;
  const at = (event) => {
    const box = plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let start = null;
  const frame = element("div", { class: "frame", hidden: true });
  plot.append(frame);
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    start = at(event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (!chart.shown || !chart.box) return;
    const [x, y] = at(event);
    if (start) {
      const wide = Math.abs(x - start[0]) > 4 || Math.abs(y - start[1]) > 4;
      frame.hidden = !wide;
      Object.assign(frame.style, {
        left: `${Math.min(x, start[0])}px`, top: `${Math.min(y, start[1])}px`,
        width: `${Math.abs(x - start[0])}px`, height: `${Math.abs(y - start[1])}px`,
      });
      return;
    }
    const found = nearest(chart, x, y);
    if (found < 0) hide(chart);
    else show(chart, found, false);
  });
  plot.addEventListener("pointerup", (event) => {
    const from = start;
    start = null;
    frame.hidden = true;
    const [x, y] = at(event);
    if (!from) {
      const found = nearest(chart, x, y);
      if (found >= 0) show(chart, found, false);
      return;
    }
    const { x: across, y: up } = chart.shown;
    // A narrow frame means that only the other axis is zoomed.
    const [wide, high] = [Math.abs(x - from[0]) > 12, Math.abs(y - from[1]) > 12];
    if (!wide && !high) return;
    if (wide) across.axis.between(across.axis.under(from[0]), across.axis.under(x));
    if (high) up.axis.between(up.axis.under(from[1]), up.axis.under(y));
    chart.moved();
  });
  plot.addEventListener("pointercancel", () => {
    start = null;
    frame.hidden = true;
  });
  plot.addEventListener("pointerleave", () => hide(chart));
  plot.addEventListener("dblclick", () => chart.reset());
  plot.addEventListener("wheel", (event) => {
    // Else the page could not be scrolled past a chart.
    if (document.activeElement !== plot && !event.ctrlKey) return;
    event.preventDefault();
    chart.zoom(event.deltaY < 0 ? 0.85 : 1 / 0.85, at(event));
  }, { passive: false });
  plot.addEventListener("keydown", (event) => key(chart, event));
}

function key(chart, event) {
  // These belong to the browser.
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const acts = {
    "+": () => chart.zoom(0.7), "=": () => chart.zoom(0.7), "-": () => chart.zoom(1 / 0.7), "−": () => chart.zoom(1 / 0.7),
    0: () => chart.reset(), Escape: () => hide(chart),
    Home: () => focus(chart, -Infinity), End: () => focus(chart, Infinity),
    ArrowRight: () => step(chart, 1), ArrowLeft: () => step(chart, -1),
    ArrowUp: () => step(chart, 10), ArrowDown: () => step(chart, -10),
  };
  if (!Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
}

/** Goes on by so many points; rows of few points are walked one by one. */
function step(chart, by) {
  const { length } = indexOf(chart).points;
  if (chart.focused < 0) focus(chart, by > 0 ? 0 : length - 1);
  else focus(chart, chart.focused + (length < 30 ? Math.sign(by) : by));
}

/** Shows and tells the point at this place of the way. */
function focus(chart, place) {
  const way = wayOf(chart);
  if (!way.length) return;
  chart.focused = Math.max(0, Math.min(way.length - 1, place));
  show(chart, way[chart.focused], true);
}
