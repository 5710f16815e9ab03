// Axes: from values to pixels and back, and where ticks stand.
class Axis {
  /**
   * The range is that of the data; `log` needs positive ones. `naught` is the label of 0, which then has
   * its own place before all values of a logarithmic axis.
   */
  constructor([low, high], { log = false, margin = 0.04, zero = false, naught = null } = {}) {
    this.log = log;
    this.bare = naught !== null && !(low <= high);
    if (!(low <= high)) [low, high] = log ? [1, 10] : [0, 1];
    let [from, to] = [this.way(low), this.way(high)];
    if (from === to) {
      const half = log ? 0.5 : Math.abs(from) / 2 || 0.5;
      [from, to] = [from - half, to + half];
    }
    if (log && naught !== null) {
      this.naught = naught;
      this.begin = this.bare ? to : from - (to - from) * 0.04;
      this.place = this.bare ? (from + to) / 2 : from - (to - from) * 0.1;
      from = Math.min(from, this.place);
    }
    const more = (to - from) * margin;
    this.whole = [!log && zero && low >= 0 ? 0 : from - more, to + more];
    [this.from, this.to] = this.whole;
    this.pixels = [0, 1];
  }

  way(value) {
    if (value === 0 && this.naught) return this.place;
    return this.log ? Math.log10(value) : value;
  }

  at(value) {
    const share = (this.way(value) - this.from) / (this.to - this.from);
    return this.pixels[0] + share * (this.pixels[1] - this.pixels[0]);
  }

  /** The place on the axis, in its own scale, under a pixel. */
  under(pixel) {
    const share = (pixel - this.pixels[0]) / (this.pixels[1] - this.pixels[0]);
    return this.from + share * (this.to - this.from);
  }

  holds(value) {
    const place = this.way(value);
    return place >= this.from && place <= this.to;
  }

  zoom(factor, around) {
    const width = (this.to - this.from) * factor;
    const whole = this.whole[1] - this.whole[0];
    if (width > whole) return this.reset();
    if (width < whole * 1e-6) return;
    const share = (around - this.from) / (this.to - this.from);
    this.move(around - share * width, width);
  }

  move(from, width) {
    this.from = Math.max(this.whole[0], Math.min(from, this.whole[1] - width));
    this.to = this.from + width;
  }

  /** Shows what lies between two places. */
  between(a, b) {
    const [low, high] = [Math.max(Math.min(a, b), this.whole[0]), Math.min(Math.max(a, b), this.whole[1])];
    if (high - low > (this.whole[1] - this.whole[0]) * 1e-6) [this.from, this.to] = [low, high];
  }

  reset() {
    [this.from, this.to] = this.whole;
  }

  get zoomed() {
    return this.from !== this.whole[0] || this.to !== this.whole[1];
  }

  /** Ticks with values, and whether they bear a label. */
  ticks(most) {
    if (!this.naught) return this.valued(most);
    const values = this.bare ? [] : this.valued(most).filter(({ value }) => this.way(value) > this.begin);
    return this.holds(0) ? [{ value: 0, text: this.naught, labelled: true }, ...values] : values;
  }

  valued(most) {
    return this.log && this.to - this.from > 0.7 ? this.decades(most) : this.even(most);
  }

  even(most) {
    const [low, high] = this.log ? [10 ** this.from, 10 ** this.to] : [this.from, this.to];
    const rough = (high - low) / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((part) => part * power).find((step) => step >= rough * 0.999) ?? power * 10;
    const ticks = [];
    for (let at = Math.ceil(low / step); at * step <= high && ticks.length < 50; at++) {
      ticks.push({ value: Number((at * step).toPrecision(12)), labelled: true });
    }
    return ticks;
  }

  decades(most) {
    const ticks = [];
    const span = this.to - this.from;
    const every = Math.max(1, Math.ceil(span / most));
    const labels = span * 3 <= most ? [1, 2, 5] : span * 2 <= most ? [1, 3] : [1];
    for (let power = Math.floor(this.from); power <= Math.ceil(this.to); power++) {
      for (let part = 1; part < 10; part++) {
        const value = Number((part * 10 ** power).toPrecision(12));
        if (!this.holds(value)) continue;
        const labelled = labels.includes(part) && power % every === 0;
        if (labelled || (part === 1 && span <= 40) || span <= 8) ticks.push({ value, labelled });
      }
    }
    return ticks;
  }
}

/** Places side by side for values without a distance, such as formats. */
class Places extends Axis {
  constructor(values, downwards = false) {
    super([0, Math.max(values.length - 1, 0)], { margin: 0 });
    this.values = values;
    this.downwards = downwards;
    this.whole = [-0.6, values.length - 0.4];
    this.reset();
  }

  ticks(most) {
    const every = Math.max(1, Math.ceil((this.to - this.from) / most));
    return this.values
      .map((text, at) => ({ value: at, text: String(text), labelled: at % every === 0 }))
      .filter(({ value }) => this.holds(value));
  }
}

/** An axis over values with a place for 0 if it is logarithmic and some of them are 0; then 0 is named. */
function axisOver(lists, { log, naught, ...more }) {
  const has = log && lists.some((list) => list.some((value) => value === 0));
  return new Axis(rangeOf(lists, log), { log, naught: has ? naught : null, ...more });
}

/** The smallest and the largest of finite values; of positive ones for logarithms. */
function rangeOf(lists, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const value of list) {
      if (value === null || !Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}
