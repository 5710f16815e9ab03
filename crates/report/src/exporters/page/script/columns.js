// The data of the page, as Rust wrote it: see src/exporters/page/columns.rs.
function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) out[at] = raw.charCodeAt(at);
  return out;
}

/** Numbers of single precision; unknown ones are NaN. */
function numbers(column) {
  return repeated(new Float32Array(bytes(column.f32).buffer), column.count);
}

/** A column of one value has it once. */
function repeated(values, count) {
  return count === undefined ? values : new values.constructor(count).fill(values[0]);
}

/** A column of few values: `values` in their natural order, and `at`, which of them each row has. */
function coded(column) {
  const at = repeated(new Uint16Array(bytes(column.u16).buffer), column.count);
  const order = column.values.map((_, index) => index);
  const natural = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  order.sort((a, b) => natural(column.values[a], column.values[b]));
  const place = new Uint16Array(65536).fill(65535);
  order.forEach((old, now) => (place[old] = now));
  for (let row = 0; row < at.length; row++) at[row] = place[at[row]];
  return { values: order.map((index) => column.values[index]), at };
}

/** Trials of a study, unpacked when they are first looked at. */
function trialsOf(study) {
  if (study.trials && !study.unpacked) {
    const packed = study.trials;
    const named = (columns, unpack) => new Map(columns.map((column) => [column.name, unpack(column)]));
    study.unpacked = {
      count: packed.count,
      size: coded(packed.size),
      phase: coded(packed.phase),
      outcome: coded(packed.outcome),
      reason: coded(packed.reason),
      low: numbers(packed.low),
      high: numbers(packed.high),
      parameters: named(packed.parameters, coded),
      metrics: named(packed.metrics, numbers),
    };
  }
  return study.unpacked;
}

/** What a trial's configuration is, as `a=1,b=2`. */
function configurationOf(trials, row) {
  const parts = [];
  for (const [name, column] of trials.parameters) {
    const value = column.values[column.at[row]];
    if (value !== undefined) parts.push(`${name}=${value}`);
  }
  return parts.join(",");
}
