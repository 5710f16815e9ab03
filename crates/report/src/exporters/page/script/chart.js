// A chart: a canvas with axes, zoom, values under the pointer or the keys, a legend that hides
// series, buttons that save it, and a table as its text form.
//
// What it shows comes from `scene()`:
//   x, y      {axis, title, words(value)}
//   series    [{id, name, look, points: [{x, y, low, high, words}], joined}]; hidden by their ids
//   clouds    [{id, name, look, xs, ys, count, words(at)}]: many points
//   paint     (painter, chart) => more, below the series
//   table     () => {head, rows, more}
const MARGIN = { left: 66, right: 16, top: 18, bottom: 50 };

class Chart {
  constructor(title, scene, { height = 400, controls = [] } = {}) {
    Object.assign(this, { title, scene, height, hidden: new Set(), focused: -1, theme: LIGHT });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.live = liveRegion();
    this.tip = element("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    const hint = freshId("hint");
    this.plot = element("div", {
      class: "plot", tabindex: "0", role: "application", "aria-roledescription": "chart",
      "aria-label": title, "aria-describedby": hint,
    }, this.canvas, this.tip);
    this.legend = element("ul", { class: "series", "aria-label": `Series of ${title}` });
    this.tableBody = element("div");
    this.details = element("details", { class: "values" }, element("summary", {}, "Values as a table"), this.tableBody);
    this.details.addEventListener("toggle", () => this.fillTable());
    this.caption = element("figcaption", {}, title);
    this.figure = element("figure", { class: "chart" },
      this.caption,
      element("div", { class: "controls" }, ...controls),
      this.legend,
      this.plot,
      element("p", { class: "hint", id: hint },
        "Drag to zoom, double-click for the whole. Arrow keys go from value to value, + and − zoom, 0 shows the whole; the wheel zooms once the chart is chosen."),
      element("div", { class: "tools" },
        button("+", () => this.zoom(0.7), { "aria-label": `Zoom into ${title}` }),
        button("−", () => this.zoom(1 / 0.7), { "aria-label": `Zoom out of ${title}` }),
        button("Whole", () => this.reset(), { "aria-label": `Show the whole of ${title}` }),
        button("Save SVG", () => this.saveSvg()),
        button("Save PNG", () => this.savePng())),
      this.live, this.details);
    pointing(this);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /** Lets go of points that were found and shown, once they lie elsewhere. */
  forget() {
    this.index = null;
    this.focused = -1;
    this.focusedPoint = null;
    this.tip.hidden = true;
  }

  /** Asks for the scene again, after a choice. */
  refresh() {
    this.shown = this.scene(this);
    this.forget();
    this.fillLegend();
    this.fillTable();
    this.draw();
  }

  setTitle(title) {
    this.title = title;
    this.caption.textContent = title;
    this.plot.setAttribute("aria-label", title);
  }

  visible(list) {
    return (list ?? []).filter((one) => !this.hidden.has(one.id));
  }

  fillLegend() {
    const entries = [...(this.shown.clouds ?? []), ...(this.shown.series ?? [])].filter((one) => one.name);
    this.legend.hidden = entries.length < (this.shown.named ?? 2);
    this.legend.replaceChildren(...entries.map((one) => {
      const swatch = element("canvas", { class: "swatch", "aria-hidden": "true" });
      one.swatch = swatch;
      const toggle = button("", () => {
        if (!this.hidden.delete(one.id)) this.hidden.add(one.id);
        toggle.setAttribute("aria-pressed", String(!this.hidden.has(one.id)));
        this.forget();
        this.draw();
      }, { "aria-pressed": String(!this.hidden.has(one.id)) });
      toggle.append(swatch, one.name);
      return element("li", {}, toggle);
    }));
  }

  drawSwatch(one) {
    const [width, height] = [26, 12];
    const context = sized(one.swatch, width, height);
    context.clearRect(0, 0, width, height);
    const painter = new CanvasPainter(context, width, height);
    const look = one.look(this.theme);
    if (one.joined) painter.line([[1, 6], [25, 6]], { colour: look.colour, width: 2, dash: look.dash });
    painter.mark(look.mark, 13, 6, 3.5, look.colour);
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!width || !this.shown) return;
    if (width !== this.width) this.forget();
    this.width = width;
    this.theme = isDark() ? DARK : LIGHT;
    const height = this.shown.height ?? this.height;
    const context = sized(this.canvas, width, height);
    this.paint(new CanvasPainter(context, width, height), this.theme, true);
    for (const one of [...(this.shown.clouds ?? []), ...(this.shown.series ?? [])]) {
      if (one.swatch) this.drawSwatch(one);
    }
  }

  paint(painter, theme, onScreen) {
    const { x, y } = this.shown;
    const wide = Math.min(this.shown.left ?? MARGIN.left, painter.width * 0.4);
    const [left, right, top, bottom] = [wide, painter.width - MARGIN.right, MARGIN.top, painter.height - MARGIN.bottom];
    Object.assign(this, { box: { left, right, top, bottom } });
    x.axis.pixels = [left, right];
    y.axis.pixels = y.axis.downwards ? [top, bottom] : [bottom, top + (this.shown.strip ?? 0)];
    painter.clear(theme.paper);
    this.paintAxes(painter, theme);
    this.placed = null;
    painter.clipped(left, top, right - left, bottom - top, () => {
      this.shown.paint?.(painter, this, theme);
      for (const cloud of this.visible(this.shown.clouds)) this.paintCloud(painter, cloud, theme);
      for (const series of this.visible(this.shown.series)) this.paintSeries(painter, series, theme);
      this.shown.paintOver?.(painter, this, theme);
      if (onScreen) this.paintFocus(painter, theme);
    });
    painter.line([[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], { colour: theme.soft });
  }

  paintAxes(painter, theme) {
    const { x, y } = this.shown;
    const { left, right, top, bottom } = this.box;
    for (const { value, labelled, text } of x.axis.ticks((right - left) / 74)) {
      const at = x.axis.at(value);
      painter.line([[at, top], [at, bottom]], { colour: theme.grid, width: labelled ? 1 : 0.5 });
      if (labelled) painter.text(text ?? x.words(value), at, bottom + 17, { colour: theme.ink, anchor: "middle" });
    }
    for (const { value, labelled, text } of y.axis.ticks((bottom - top) / (y.axis.downwards ? 18 : 44))) {
      const at = y.axis.at(value);
      painter.line([[left, at], [right, at]], { colour: theme.grid, width: labelled ? 1 : 0.5 });
      if (labelled) painter.text(shortened(text ?? y.words(value), Math.floor((left - 8) / 6)), left - 7, at + 4, { colour: theme.ink, anchor: "end" });
    }
    // A dotted line parts the place of 0 from the values.
    const parted = { colour: theme.soft, dash: [1.5, 2.5] };
    for (const [axis, ends] of [[x.axis, (at) => [[at, top], [at, bottom]]], [y.axis, (at) => [[left, at], [right, at]]]]) {
      if (axis.naught && !axis.bare && axis.from < axis.begin && axis.begin < axis.to) {
        painter.line(ends(axis.pixels[0] + (axis.pixels[1] - axis.pixels[0]) * (axis.begin - axis.from) / (axis.to - axis.from)), parted);
      }
    }
    // A letter is about seven pixels wide.
    const fitting = (title, room) => shortened(title, Math.floor(room / 7));
    const across = Math.min(left + right, 2 * this.width - left - right);
    painter.text(fitting(x.title, across), (left + right) / 2, bottom + 40, { colour: theme.ink, anchor: "middle", size: 13 });
    painter.text(fitting(y.title, bottom - top + 2 * top), 13, (top + bottom) / 2, { colour: theme.ink, anchor: "middle", size: 13, turned: true });
  }

  paintSeries(painter, series, theme) {
    const { x, y } = this.shown;
    const look = series.look(theme);
    const at = (point, value) => [x.axis.at(point.x), y.axis.at(value)];
    const good = series.points.filter((point) => Number.isFinite(y.axis.at(point.y)));
    const bounded = good.filter((point) => Number.isFinite(point.low) && Number.isFinite(point.high) && !(y.axis.log && point.low <= 0));
    if (series.joined && bounded.length > 1) {
      painter.area([...bounded.map((p) => at(p, p.high)), ...bounded.map((p) => at(p, p.low)).reverse()], look.colour, 0.13);
    }
    if (series.across) {
      for (const point of bounded) painter.line([[x.axis.at(point.low), y.axis.at(point.y)], [x.axis.at(point.high), y.axis.at(point.y)]], { colour: look.colour, width: 1.4 });
    } else if (!series.joined || bounded.length === 1) {
      for (const point of bounded) painter.line([at(point, point.low), at(point, point.high)], { colour: look.colour, width: 1.4 });
    }
    if (series.joined) painter.line(good.map((point) => at(point, point.y)), { colour: look.colour, width: 1.8, dash: look.dash });
    if (look.mark) for (const point of good) painter.mark(look.mark, ...at(point, point.y), series.radius ?? 3.4, look.colour);
  }

  /** Paints many points; of those that fall on one pixel, one. */
  paintCloud(painter, cloud, theme) {
    const { x, y } = this.shown;
    const look = cloud.look(theme);
    const width = Math.ceil(painter.width) + 1;
    const taken = new Uint8Array(width * (Math.ceil(painter.height) + 1));
    const few = cloud.count <= 1500;
    const [xs, ys] = [new Float32Array(cloud.count), new Float32Array(cloud.count)];
    const { left, right, top, bottom } = this.box;
    let count = 0;
    // Logarithms are taken once, so that zooming only scales.
    cloud.ways ??= [[cloud.xs, x.axis], [cloud.ys, y.axis]].map(([list, axis]) => Float64Array.from(list, (value) => axis.way(value)));
    const [acrossWays, upWays] = cloud.ways;
    const [fromX, stepX, fromY, stepY] = [x.axis, y.axis].flatMap(({ from, to, pixels }) => [from, (pixels[1] - pixels[0]) / (to - from)]);
    const [startX, startY, strip] = [x.axis.pixels[0], y.axis.pixels[0], top + (this.shown.strip ?? 0) / 2];
    for (let at = 0; at < cloud.count; at++) {
      const px = startX + (acrossWays[at] - fromX) * stepX;
      const up = startY + (upWays[at] - fromY) * stepY;
      const py = up === up && up !== Infinity && up !== -Infinity ? up : strip;
      if (!(px >= left - 4 && px <= right + 4 && py >= top - 4 && py <= bottom + 4)) continue;
      const pixel = Math.max(py | 0, 0) * width + Math.max(px | 0, 0);
      if (taken[pixel]) continue;
      taken[pixel] = 1;
      xs[count] = px;
      ys[count++] = py;
    }
    if (!few) return painter.dots(xs, ys, count, 1.25, look.colour);
    for (let at = 0; at < count; at++) painter.mark(look.mark, xs[at], ys[at], 2.6, look.colour);
  }

  /** Where a point of a cloud is; those without a value lie in the strip on top. */
  placeOf(cloud, at, x, y) {
    const py = Number.isFinite(cloud.ys[at]) ? y.at(cloud.ys[at]) : this.box.top + (this.shown.strip ?? 0) / 2;
    return [x.at(cloud.xs[at]), py];
  }

  paintFocus(painter, theme) {
    const found = this.focusedPoint;
    if (!found) return;
    painter.mark("ring", found.px, found.py, 7, theme.ink);
  }

  zoom(factor, at = null) {
    const { x, y } = this.shown;
    for (const [axis, pixel] of [[x.axis, at?.[0]], [y.axis, at?.[1]]]) {
      axis.zoom(factor, pixel === undefined ? (axis.from + axis.to) / 2 : axis.under(pixel));
    }
    this.moved();
  }

  reset() {
    this.shown.x.axis.reset();
    this.shown.y.axis.reset();
    this.moved();
  }

  /** Draws once per frame, however often the wheel turns. */
  moved() {
    this.forget();
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  fillTable() {
    if (!this.details.open || !this.shown) return;
    const { head, rows, more } = this.shown.table();
    const table = element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.slice(0, MOST_ROWS).map((row) => element("tr", {}, ...row.map((cell) => cellOf(cell))))));
    const left = rows.length - MOST_ROWS;
    const note = left > 0 ? `The first ${MOST_ROWS} of ${grouped(rows.length)} rows; copying takes all.` : more;
    this.tableBody.replaceChildren(element("div", { class: "wide" }, table));
    equip(table, { title: this.title, all: () => [head, ...rows.map((row) => row.map((cell) => cell.value ?? cell))], note });
  }

  /** The picture in light colours, as wide as in a paper's text, with its title and legend. */
  svg() {
    const shown = [...this.visible(this.shown.clouds), ...this.visible(this.shown.series)].filter((one) => one.name);
    const width = 820;
    const tall = this.shown.height ?? 460;
    const painter = new SvgPainter(width, tall);
    this.paint(painter, LIGHT, false);
    const whole = new SvgPainter(width, 0);
    let [x, y] = [MARGIN.left, 44];
    const legend = [];
    for (const one of shown.length > 1 ? shown : []) {
      const wide = 34 + one.name.length * 6.8;
      if (x + wide > width - 10) [x, y] = [MARGIN.left, y + 18];
      legend.push([one, x, y]);
      x += wide + 8;
    }
    const head = shown.length > 1 ? y + 8 : 30;
    whole.height = head + tall;
    whole.clear(LIGHT.paper);
    whole.text(this.title, MARGIN.left, 20, { colour: LIGHT.ink, size: 15, bold: true });
    for (const [one, x, y] of legend) {
      const look = one.look(LIGHT);
      if (one.joined) whole.line([[x, y - 4], [x + 24, y - 4]], { colour: look.colour, width: 2, dash: look.dash });
      whole.mark(look.mark, x + 12, y - 4, 3.5, look.colour);
      whole.text(one.name, x + 30, y, { colour: LIGHT.ink });
    }
    whole.parts.push(`<g transform="translate(0 ${head})">`, ...painter.parts, "</g>");
    this.draw();
    return { text: whole.whole(this.title), width, height: whole.height };
  }

  saveSvg() {
    save(fileName(this.title, "svg"), new Blob([this.svg().text], { type: "image/svg+xml" }));
  }

  /** Three pixels for each of the picture's: about 300 per inch over a column of text. */
  async savePng() {
    save(fileName(this.title, "png"), await this.png());
  }

  async png() {
    const { text, width, height } = this.svg();
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = element("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 3 * width, 3 * height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }
}

function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A choice between linear and logarithmic. */
function scaleChoice(label, log, change) {
  return choice(label, [["log", "logarithmic"], ["linear", "linear"]], log ? "log" : "linear", (value) => change(value === "log"));
}
