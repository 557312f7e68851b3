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

/** Draws a curve through points, whose places grow, and a mark at some of them: lists of [place, value]. `names`
 * are the names of the axes. Returns a function from a horizontal place in the window to the value there. */
export function drawCurve(svg, points, marks, names) {
  // Units are pixels, so that texts keep their size.
  const { width, height } = svg.getBoundingClientRect();
  const [left, bottom, above] = [48, 20, 24];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const values = points.map(([, value]) => value);
  const [right, top] = [points.at(-1)?.[0] ?? 1, values.reduce((one, other) => Math.max(one, other), 0) || 1];
  const least = values.reduce((one, other) => Math.min(one, other), 0);
  const x = (value) => left + (width - left - 8) * value / right;
  const y = (value) => height - bottom - (height - bottom - above) * (value - least) / (top - least);
  const parts = [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(0), y2: y(0) }),
    shape("line", { class: "axis", x1: left, x2: left, y1: y(least), y2: above }),
    shape("text", { x: 0, y: 11 }, names[1]),
    shape("text", { x: 0, y: height - 4 }, names[0]),
  ];
  let free = height;
  for (const tick of ticks(top)) {
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
  const line = points.map(([place, value]) => `${x(place).toFixed(1)} ${y(value).toFixed(1)}`);
  if (line.length) parts.push(shape("path", { class: "curve", d: `M${line.join("L")}` }));
  parts.push(...marks.map(([place, value]) => shape("circle", { class: "mark", cx: x(place), cy: y(value), r: 3.5 })));
  svg.replaceChildren(...parts);
  return (place) => (place - svg.getBoundingClientRect().left - left) * right / (width - left - 8);
}
