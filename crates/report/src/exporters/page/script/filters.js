// Which trials are looked at: by outcome, phase, and the values of each parameter.
const MOST_TICKS = 40;

class Filters {
  constructor(trials, changed) {
    Object.assign(this, { trials, changed, columns: [] });
    this.add("outcome", trials.outcome);
    this.add("phase", trials.phase);
    for (const [name, column] of trials.parameters) this.add(name, column);
    // What is measured again or checked would be counted twice.
    const phase = this.columns[1];
    const search = phase.values.indexOf("search");
    if (search >= 0) phase.values.forEach((_, code) => (phase.shown[code] = code === search ? 1 : 0));
    this.first = this.columns.map(({ shown }) => shown.slice());
  }

  /** Whether anything was left out or let in since the page was opened. */
  get changedByHand() {
    return this.columns.some(({ shown, values }, at) => values.some((_, code) => shown[code] !== this.first[at][code]));
  }

  add(name, { values, at }) {
    this.columns.push({ name, values, at, shown: new Uint8Array(65536).fill(1) });
  }

  /** Numbers of the trials that pass, of one size (its code) or of all. */
  rows(size = null) {
    const { count, size: sizes } = this.trials;
    const used = this.columns.filter(({ shown, values }) => values.some((_, code) => !shown[code]));
    const rows = new Uint32Array(count);
    let found = 0;
    next: for (let row = 0; row < count; row++) {
      if (size !== null && sizes.at[row] !== size) continue;
      for (const { at, shown } of used) if (!shown[at[row]]) continue next;
      rows[found++] = row;
    }
    return rows.subarray(0, found);
  }

  element() {
    const groups = this.columns.filter(({ values }) => values.length > 1).map((column) => {
      const { name, values, shown } = column;
      const set = (code, is) => {
        shown[code] = is ? 1 : 0;
        this.changed();
      };
      if (values.length <= MOST_TICKS) {
        const ticks = values.map((value, code) => tick(String(value), shown[code] === 1, (is) => set(code, is)));
        return element("fieldset", {}, element("legend", {}, name), ...ticks);
      }
      const all = [["", "all"], ...values.map((value, code) => [String(code), String(value)])];
      return element("fieldset", {}, element("legend", {}, name), choice(`${name} is`, all, "", (code) => {
        values.forEach((_, other) => (shown[other] = code === "" || other === Number(code) ? 1 : 0));
        this.changed();
      }));
    });
    return element("details", { class: "filters" }, element("summary", {}, "Filters"), element("div", {}, ...groups));
  }
}
