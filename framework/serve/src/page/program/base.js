// Elements and texts.

export const byId = (id) => document.getElementById(id);

export const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
export const rough = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
export const precise = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Returns a number as text, from 100 on without decimals; a dash if there is none. */
export function number(value, format = Math.abs(value) < 100 ? numbers : whole) {
  return value === null || value === undefined ? "–" : format.format(value);
}

/** Returns how values that stand side by side are shown: all with the decimals that three digits of the largest
 * have. A difference is that of the numbers that are shown. */
export function comparable(values) {
  const most = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(most)));
  const format = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const shown = (value) => Number(value.toFixed(digits));
  return {
    text: (value) => number(value, format),
    difference: (more, less) => format.format(shown(more) - shown(less)),
    isMore: (more, less) => shown(more) > shown(less),
  };
}

/** Sets the text of an element, if it differs: unchanged text costs no layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns a new element with attributes and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns a new element of SVG. */
export function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

/** Sets the icon of an element that has one; a direction turns the arrow. */
export function setIcon(element, name) {
  const svg = element.querySelector("svg");
  const direction = ["up", "right", "down", "left"].includes(name) ? name : "";
  svg.setAttribute("class", direction);
  svg.firstElementChild.setAttribute("href", `#i-${direction ? "up" : name}`);
}

/** Returns a new icon. */
export function icon(name) {
  const svg = shape("svg", { "aria-hidden": "true" });
  svg.append(shape("use", {}));
  const holder = element("span", {}, svg);
  setIcon(holder, name);
  return svg;
}

/** Returns the name of an action for display: its first letter is a capital. */
export function capital(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Keeps a text in the browser. Storage may be denied: then it lasts as long as the page. */
export function store(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    kept.set(key, text);
  }
}

const kept = new Map();

/** Returns a text that the browser keeps; null if there is none. */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return kept.get(key) ?? null;
  }
}

/** Says a text to screen readers. */
export function announce(text) {
  setText(byId("live"), text);
}

/** Runs a task, and shows why it is refused in the element with this id. */
export async function attempt(task, place = "refusal") {
  setText(byId(place), "");
  try {
    await task();
  } catch (error) {
    setText(byId(place), error.message);
  }
}
