// Charts.

import { shape } from "./base.js";

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** Returns round numbers from 0 to `top`: about four, or the powers of ten on a logarithmic scale. */
function ticks(top, logarithmic) {
  if (logarithmic && top >= 10) {
    const powers = Array.from({ length: Math.floor(Math.log10(top)) + 1 }, (_, power) => 10 ** power);
    return [0, ...powers];
  }
  const least = top / 4;
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = unit * [1, 2, 2.5, 5, 10].find((times) => times * unit >= least);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, count) => count * step);
}

/** Draws a curve and marks with intervals, or bars on a logarithmic scale; all are lists of points. `names` are
 * the names of the axes. Returns a function from a horizontal place in the window to the value there. */
export function drawChart(svg, { curve = [], marks = [], bars = [], names }) {
  // Units are pixels, so that texts keep their size.
  const { width, height } = svg.getBoundingClientRect();
  const [left, bottom, above] = [48, 20, 24];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const all = [...curve, ...bars, ...marks.flatMap(([x, y, low, high]) => [[x, y], [x, low], [x, high]])];
  const xs = all.map((point) => point[0]);
  const most = (list) => list.reduce((max, value) => Math.max(max, value), 0) || 1;
  const [right, top] = [most(xs), most(all.map((point) => point[1]))];
  // Of the losses of a game, a few are much larger than all others.
  const scale = bars.length ? Math.log1p : (value) => value;
  const x = (value) => left + (width - left - 8) * value / right;
  const y = (value) => height - bottom - (height - bottom - above) * scale(value) / scale(top);
  const parts = [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(0), y2: y(0) }),
    shape("line", { class: "axis", x1: left, x2: left, y1: y(0), y2: above }),
    shape("text", { x: 0, y: 11 }, names[1]),
    shape("text", { x: 0, y: height - 4 }, names[0]),
  ];
  let free = height;
  for (const tick of ticks(top, bars.length > 0)) {
    // Labels need 12 units each.
    if (y(tick) > free) continue;
    free = y(tick) - 12;
    parts.push(shape("text", { x: left - 4, y: y(tick) + 4, "text-anchor": "end" }, short.format(tick)));
  }
  // The name of the axis stands at its 0.
  for (const tick of ticks(right, false).slice(1)) {
    const anchor = x(tick) > width - 24 ? "end" : "middle";
    parts.push(shape("text", { x: x(tick), y: height - 4, "text-anchor": anchor }, short.format(tick)));
  }
  if (curve.length) {
    const points = curve.map((point) => `${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`);
    parts.push(shape("polyline", { class: "curve", points: points.join(" ") }));
  }
  if (bars.length) {
    const path = bars.filter((bar) => bar[1] > 0)
      .map((bar) => `M${x(bar[0]).toFixed(1)} ${y(0)}V${y(bar[1]).toFixed(1)}`);
    parts.push(shape("path", { class: "curve", d: path.join("") }));
  }
  for (const [at, mean, low, high] of marks) {
    parts.push(shape("line", { class: "interval", x1: x(at), x2: x(at), y1: y(low), y2: y(high) }));
    parts.push(shape("circle", { class: "mark", cx: x(at), cy: y(mean), r: 3 }));
  }
  svg.replaceChildren(...parts);
  return (place) => (place - svg.getBoundingClientRect().left - left) * right / (width - left - 8);
}
