// Values in words: numbers and their units never break apart.
const NARROW = "\u202f";
const NO_BREAK = "\u00a0";

/** A number with so many significant digits, thousands apart, and powers of ten where it is far from one. */
function significant(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15) return powerOfTen(value, digits);
  const text = Number(value.toPrecision(digits));
  const [whole, part] = String(text).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, whole.length > 4 ? NARROW : "") + (part ? "." + part : "");
}

function powerOfTen(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const short = String(Number(mantissa));
  const power = "10" + superscript(Number(exponent));
  return short === "1" ? power : short + NARROW + "·" + NARROW + power;
}

function superscript(number) {
  const signs = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return String(number).replace(/./g, (sign) => signs[sign] ?? sign);
}

/** A whole number, thousands apart. */
function grouped(number) {
  const text = String(Math.round(number));
  return text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, NARROW) : text;
}

/** Seconds in the unit that suits them. */
function seconds(value, digits = 4) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [factor, unit] = units.find(([factor]) => Math.abs(value) >= factor * 0.9995) ?? units[3];
  return significant(value / factor, digits) + NO_BREAK + unit;
}

/** A value of a metric with its unit. */
function inWords(metric, value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (metric.unit === "s") return seconds(value, digits);
  return significant(value, digits) + (metric.unit ? NO_BREAK + metric.unit : "");
}

/** What stands at the ticks of a metric's axis; of no metric, nothing. */
function ticksOf(metric) {
  return (value) => (!metric ? "" : metric.unit === "s" ? seconds(value, 3) : significant(value, 3));
}

/** A value with its 95 % interval, if that is known. */
function withInterval(metric, value, low, high) {
  const words = inWords(metric, value);
  if (!(Number.isFinite(low) && Number.isFinite(high)) || low === high) return words;
  return `${words}, 95${NO_BREAK}% interval ${inWords(metric, low, 3)} to ${inWords(metric, high, 3)}`;
}

function median(sorted) {
  return quantile(sorted, 0.5);
}

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}
