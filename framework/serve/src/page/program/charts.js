// Charts.

import { shape } from "./base.js";

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** Returns round numbers from 0 to `top`: about four. */
function ticks(top) {
  const least = top / 4;
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = unit * [1, 2, 2.5, 5, 10].find((times) => times * unit >= least);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, count) => count * step);
}

/** Returns 0 and the powers of ten up to `top`. */
function powers(top) {
  if (top < 10) return ticks(top);
  return [0, ...Array.from({ length: Math.floor(Math.log10(top)) + 1 }, (_, power) => 10 ** power)];
}

/** Draws bars, a list of points, on a logarithmic scale: of the losses of a game, a few are much larger than all
 * others. `names` are the names of the axes. Returns a function from a horizontal place in the window to the value
 * there. */
export function drawBars(svg, bars, names) {
  // Units are pixels, so that texts keep their size.
  const { width, height } = svg.getBoundingClientRect();
  const [left, bottom, above] = [48, 20, 24];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const [right, top] = [0, 1].map((axis) => bars.reduce((max, bar) => Math.max(max, bar[axis]), 0) || 1);
  const x = (value) => left + (width - left - 8) * value / right;
  const y = (value) => height - bottom - (height - bottom - above) * Math.log1p(value) / Math.log1p(top);
  const parts = [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(0), y2: y(0) }),
    shape("line", { class: "axis", x1: left, x2: left, y1: y(0), y2: above }),
    shape("text", { x: 0, y: 11 }, names[1]),
    shape("text", { x: 0, y: height - 4 }, names[0]),
  ];
  let free = height;
  for (const tick of powers(top)) {
    // Labels need 12 units each.
    if (y(tick) > free) continue;
    free = y(tick) - 12;
    parts.push(shape("text", { x: left - 4, y: y(tick) + 4, "text-anchor": "end" }, short.format(tick)));
  }
  // The name of the axis stands at its 0, and only whole numbers of moves exist.
  for (const tick of ticks(right).slice(1).filter(Number.isInteger)) {
    const anchor = x(tick) > width - 24 ? "end" : "middle";
    parts.push(shape("text", { x: x(tick), y: height - 4, "text-anchor": anchor }, short.format(tick)));
  }
  const path = bars.filter((bar) => bar[1] > 0)
    .map((bar) => `M${x(bar[0]).toFixed(1)} ${y(0)}V${y(bar[1]).toFixed(1)}`);
  parts.push(shape("path", { class: "curve", d: path.join("") }));
  svg.replaceChildren(...parts);
  return (place) => (place - svg.getBoundingClientRect().left - left) * right / (width - left - 8);
}
