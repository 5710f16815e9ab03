// Two ways to paint the same picture: on a canvas, which stays quick with many points, and as SVG,
// which is saved and printed.

// Okabe and Ito, Color Universal Design, 2008: the colour-blind can distinguish them. Yellow is left
// out, which is too pale on paper.
const COLOURS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a4fa3", "#555555"],
  dark: ["#56a8e0", "#ff8a3d", "#2fc99a", "#e79bc6", "#f0b429", "#8fd0f7", "#b694e0", "#b8c0cc"],
};
const MARKS = ["disc", "square", "triangle", "diamond", "cross", "plus", "ring", "bar"];
const DASHES = [[], [8, 4], [4, 3], [1.5, 2.5], [8, 3, 1.5, 3]];
const LIGHT = { ink: "#222222", soft: "#5c6675", grid: "#e6e8eb", paper: "#ffffff", pale: "#b9c0c9", colours: COLOURS.light };
const DARK = { ink: "#e4e8ee", soft: "#a3adbb", grid: "#2b323d", paper: "#12161c", pale: "#525c6a", colours: COLOURS.dark };
const FONT = '"Helvetica Neue", Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif';

/** The look of the n-th series; once all colours are used, they come with other marks and dashes. */
function lookOf(at, theme) {
  const colours = theme.colours;
  const round = Math.floor(at / colours.length);
  return {
    colour: colours[at % colours.length],
    mark: MARKS[(at + round) % MARKS.length],
    dash: DASHES[round % DASHES.length],
  };
}

/** Outline of a mark around (x, y), as lists of points; a disc is a circle. */
function outline(mark, x, y, r) {
  const cross = (points) => points.map(([a, b]) => [[x + a[0] * r, y + a[1] * r], [x + b[0] * r, y + b[1] * r]]);
  switch (mark) {
    case "square": return { closed: [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]] };
    case "triangle": return { closed: [[x, y - 1.2 * r], [x + 1.1 * r, y + 0.8 * r], [x - 1.1 * r, y + 0.8 * r]] };
    case "diamond": return { closed: [[x, y - 1.3 * r], [x + 1.3 * r, y], [x, y + 1.3 * r], [x - 1.3 * r, y]] };
    case "cross": return { lines: cross([[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]]) };
    case "plus": return { lines: cross([[[-1.2, 0], [1.2, 0]], [[0, -1.2], [0, 1.2]]]) };
    case "bar": return { lines: cross([[[0, -1.2], [0, 1.2]]]) };
    default: return { circle: true, hollow: mark === "ring" };
  }
}

class CanvasPainter {
  constructor(context, width, height) {
    Object.assign(this, { context, width, height });
  }
  clear(colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(0, 0, this.width, this.height);
  }
  clipped(x, y, width, height, paint) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    paint();
    this.context.restore();
  }
  line(points, { colour, width = 1, dash = [] }) {
    const c = this.context;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.lineJoin = "round";
    c.setLineDash(dash);
    c.beginPath();
    points.forEach(([x, y], at) => (at ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.stroke();
    c.setLineDash([]);
  }
  area(points, colour, opacity) {
    const c = this.context;
    c.globalAlpha = opacity;
    c.fillStyle = colour;
    c.beginPath();
    points.forEach(([x, y], at) => (at ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fill();
    c.globalAlpha = 1;
  }
  mark(mark, x, y, r, colour) {
    const c = this.context;
    const shape = outline(mark, x, y, r);
    c.fillStyle = c.strokeStyle = colour;
    c.lineWidth = 1.5;
    c.beginPath();
    if (shape.circle) c.arc(x, y, r, 0, 2 * Math.PI);
    for (const [from, to] of shape.lines ?? []) {
      c.moveTo(...from);
      c.lineTo(...to);
    }
    shape.closed?.forEach(([x, y], at) => (at ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.closePath();
    if (shape.lines || shape.hollow) c.stroke();
    else c.fill();
  }
  /** Many small squares of one colour. */
  dots(xs, ys, count, r, colour) {
    const c = this.context;
    c.fillStyle = colour;
    for (let at = 0; at < count; at++) c.fillRect(xs[at] - r, ys[at] - r, 2 * r, 2 * r);
  }
  text(text, x, y, { colour, size = 12, anchor = "start", turned = false, bold = false }) {
    const c = this.context;
    c.save();
    c.translate(x, y);
    if (turned) c.rotate(-Math.PI / 2);
    c.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
    c.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    c.fillStyle = colour;
    c.fillText(text, 0, 0);
    c.restore();
  }
}

class SvgPainter {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], clips: 0 });
  }
  clear(colour) {
    this.parts.push(`<rect width="${this.width}" height="${this.height}" fill="${colour}"/>`);
  }
  clipped(x, y, width, height, paint) {
    const id = `clip${SvgPainter.ids = (SvgPainter.ids ?? 0) + 1}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${id})">`);
    paint();
    this.parts.push("</g>");
  }
  line(points, { colour, width = 1, dash = [] }) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.parts.push(`<polyline points="${places(points)}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"${dashes}/>`);
  }
  area(points, colour, opacity) {
    this.parts.push(`<polygon points="${places(points)}" fill="${colour}" fill-opacity="${opacity}"/>`);
  }
  mark(mark, x, y, r, colour) {
    const shape = outline(mark, x, y, r);
    if (shape.circle) {
      const look = shape.hollow ? `fill="none" stroke="${colour}" stroke-width="1.5"` : `fill="${colour}"`;
      this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${r}" ${look}/>`);
    }
    if (shape.closed) this.parts.push(`<polygon points="${places(shape.closed)}" fill="${colour}"/>`);
    for (const ends of shape.lines ?? []) this.line(ends, { colour, width: 1.5 });
  }
  dots(xs, ys, count, r, colour) {
    const path = [];
    for (let at = 0; at < count; at++) path.push(`M${short(xs[at] - r)} ${short(ys[at] - r)}h${2 * r}v${2 * r}h-${2 * r}z`);
    if (count) this.parts.push(`<path d="${path.join("")}" fill="${colour}"/>`);
  }
  text(text, x, y, { colour, size = 12, anchor = "start", turned = false, bold = false }) {
    const turn = turned ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : "";
    const weight = bold ? ' font-weight="600"' : "";
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}" fill="${colour}"${weight}${turn}>${escaped(text)}</text>`);
  }
  /** The whole picture; its styles are inside, so that it looks the same anywhere. */
  whole(title) {
    const font = escaped(FONT);
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" font-family="${font}" role="img"><title>${escaped(title)}</title>${this.parts.join("\n")}</svg>\n`;
  }
}

function short(number) {
  return Math.round(number * 100) / 100;
}

function places(points) {
  return points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
}

function escaped(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (sign) => signs[sign]);
}
