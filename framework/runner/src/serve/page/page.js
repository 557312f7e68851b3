// The page of `runner serve`. It has no state of a game of its own: it draws the frames that the
// server sends, and sends orders.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

/** What the server offers: plugins, players, records and curves. */
let start = null;
/** The game that is watched: its number, and the stream of its frames. */
let game = { id: null, source: null };
/** What stays of the game, and its last frame. */
let about = null;
let frame = null;
/** The frame that the next drawing shows. */
let waiting = null;
/** True if the values of the moves are shown while a person plays. */
let hint = false;

// Texts.

const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const rough = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const precise = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** Returns a number as text; a dash if there is none. */
function number(value, format = numbers) {
  return value === null || value === undefined ? "–" : format.format(value);
}

/** Sets the text of an element, if it differs: unchanged text costs no layout. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns a new element with attributes and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Says a text to screen readers. */
function announce(text) {
  setText(byId("live"), text);
}

// Requests.

/** Asks the server; throws an error with its message. */
async function ask(path, body, kind = "application/json") {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": kind },
    body: kind === "application/json" ? JSON.stringify(body) : body,
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; start `runner serve` again");
  }
  if (response.status === 204) return null;
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.error, answer.place].filter(Boolean).join("\n"));
  return answer;
}

/** Runs a task of the form, and shows why it is refused. */
async function attempt(task) {
  setText(byId("refusal"), "");
  try {
    await task();
  } catch (error) {
    setText(byId("refusal"), error.message);
  }
}

/** Gives an order to the game. */
async function order(wish) {
  if (game.id === null) return;
  try {
    await ask(`/api/games/${game.id}`, wish);
  } catch (error) {
    setText(byId("message"), error.message);
    announce(error.message);
  }
}

// The stream of a game.

/** Watches a game from now on. */
function watch(id) {
  game.source?.close();
  [about, frame, waiting] = [null, null, null];
  const source = new EventSource(`/api/games/${id}/events`);
  game = { id, source };
  location.hash = `game=${id}`;
  byId("save").href = `/api/games/${id}/record`;
  setText(byId("progress"), "");
  showReview(null);
  source.addEventListener("about", (event) => showAbout(JSON.parse(event.data)));
  source.addEventListener("frame", (event) => {
    if (waiting === null) requestAnimationFrame(draw);
    waiting = JSON.parse(event.data);
  });
  source.addEventListener("review", (event) => showReview(JSON.parse(event.data)));
  source.addEventListener("ended", (event) => {
    source.close();
    setText(byId("message"), `The game has ended: ${event.data}`);
  });
  source.addEventListener("error", () => {
    const gone = source.readyState === EventSource.CLOSED;
    const text = gone
      ? "This game is over. Begin another one."
      : "The connection is lost; trying again.";
    setText(byId("message"), text);
  });
}

/** Opens a game and watches it. */
async function open(path, body, kind) {
  const opened = await ask(path, body, kind);
  setHint(false);
  watch(opened.id);
}

/** Shows what stays of a game. */
function showAbout(now) {
  about = now;
  frame = null;
  setText(byId("title"), `${about.agent} plays ${about.game}`);
  document.title = `${about.game} – runner`;
  const speeds = about.speeds.map((speed, place) =>
    element("option", { value: place }, speed === null ? "full" : number(speed)));
  byId("speed").replaceChildren(...speeds);
  const actions = about.actions.map((name, action) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", () => order({ do: "act", action }));
    return button;
  });
  byId("actions").replaceChildren(...actions);
  const rows = about.actions.map((name) => element("tr", {},
    element("th", { scope: "row" }, name),
    element("td", {}, element("div", { class: "bar", "aria-hidden": "true" })),
    element("td", {})));
  byId("values").replaceChildren(...rows);
  board.begin();
  cells.begin();
}

// The board.

const board = {
  /** The tile in each cell. */
  tiles: [],

  /** Prepares the board of a game. */
  begin() {
    const place = byId("board");
    this.tiles = [];
    place.replaceChildren();
    place.classList.toggle("none", !about.board);
    if (!about.board) return;
    const { rows, cols } = about.board;
    place.style.setProperty("--rows", rows);
    place.style.setProperty("--cols", cols);
    for (let cell = 0; cell < rows * cols; cell++) {
      place.append(this.put(element("div", { class: "cell" }), cell));
    }
  },

  /** Moves an element to a cell. */
  put(tile, cell) {
    tile.style.setProperty("--row", Math.floor(cell / about.board.cols));
    tile.style.setProperty("--col", cell % about.board.cols);
    return tile;
  },

  /** Returns a new tile. */
  tile(cell, rank, kind) {
    const tile = this.put(element("div", { class: `tile ${kind}` }), cell);
    this.label(tile, rank);
    byId("board").append(tile);
    return tile;
  },

  /** Writes the value and sets the colours of a tile. */
  label(tile, rank) {
    const value = String(about.board.values[rank] ?? "?");
    const [back, fore] = colours(rank);
    setText(tile, value);
    tile.dataset.digits = Math.min(value.length, 6);
    tile.dataset.rank = rank;
    tile.style.background = back;
    tile.style.color = fore;
  },

  /** Shows a position; `before` is the one that was shown. */
  show(now, before) {
    if (!about.board) return setText(byId("board"), now.text);
    const { last } = now;
    const follows = before && last && now.at === before.at + 1
      && same(before.cells, last.before);
    const moves = follows && animates(now)
      ? slide(last.before, last.after, about.board, about.actions[last.action])
      : null;
    byId("board").classList.toggle("still", moves === null);
    if (moves === null) return this.set(now.cells);
    const tiles = [];
    for (const { from, to, merges } of moves) {
      const tile = this.tiles[from];
      this.put(tile, to);
      tile.className = "tile";
      if (!merges) {
        tiles[to] = tile;
        continue;
      }
      // The tile that moved first shows the result, when the other one has arrived.
      const kept = tiles[to];
      this.label(kept, last.after[to]);
      kept.className = "tile merged";
      setTimeout(() => tile.remove(), 90);
    }
    now.cells.forEach((rank, cell) => {
      if (!rank) return;
      if (!tiles[cell]) tiles[cell] = this.tile(cell, rank, "new");
      else if (Number(tiles[cell].dataset.rank) !== rank) this.label(tiles[cell], rank);
    });
    this.tiles = tiles;
  },

  /** Shows cells without animation. */
  set(ranks) {
    for (const tile of byId("board").querySelectorAll(".tile")) {
      if (!this.tiles.includes(tile)) tile.remove();
    }
    ranks.forEach((rank, cell) => {
      const tile = this.tiles[cell];
      if (!rank) {
        tile?.remove();
        delete this.tiles[cell];
      } else if (!tile) {
        this.tiles[cell] = this.tile(cell, rank, "");
      } else {
        this.put(tile, cell);
        if (Number(tile.dataset.rank) !== rank) this.label(tile, rank);
      }
    });
  },
};

/** Returns true if the moves are slow enough to be seen. */
function animates(now) {
  const speed = about.speeds[now.speed];
  const slow = speed !== null && speed <= 10;
  return (now.person || now.paused || slow)
    && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function same(one, other) {
  return one.length === other.length && one.every((value, place) => value === other[place]);
}

/** Returns the cells of each line in the order in which a move fills them; null for an action that
 * is no direction. */
function lines({ rows, cols }, action) {
  const count = (length) => [...Array(length).keys()];
  const row = (r) => count(cols).map((c) => r * cols + c);
  const column = (c) => count(rows).map((r) => r * cols + c);
  switch (action) {
    case "left": return count(rows).map(row);
    case "right": return count(rows).map((r) => row(r).reverse());
    case "up": return count(cols).map(column);
    case "down": return count(cols).map((c) => column(c).reverse());
    default: return null;
  }
}

/** Returns the moves of tiles that lead from one board to the other; null if sliding and merging
 * in pairs does not explain it. */
function slide(before, after, shape, action) {
  const moves = [];
  for (const line of lines(shape, action) ?? [null]) {
    if (line === null) return null;
    const tiles = line.filter((cell) => before[cell]);
    for (const to of line.filter((cell) => after[cell])) {
      const first = tiles.shift();
      if (first === undefined) return null;
      moves.push({ from: first, to, merges: false });
      if (before[first] === after[to]) continue;
      const second = tiles.shift();
      if (second === undefined) return null;
      moves.push({ from: second, to, merges: true });
    }
    if (tiles.length) return null;
  }
  return moves;
}

const ramp = new Map();

/** Returns the colours of a rank: from sand over orange, red and violet to blue and green, each
 * darker than the one before it. */
function colours(rank) {
  if (!ramp.has(rank)) {
    const step = Math.max(rank, 1) - 1;
    const hue = (((48 - 16 * step) % 360) + 360) % 360;
    const saturation = Math.min(0.25 + 0.08 * step, 0.75);
    const lightness = Math.max(0.85 - 0.035 * step, 0.42);
    const fore = luminance(hue, saturation, lightness) > 0.55 ? "#28241f" : "#faf8f4";
    ramp.set(rank, [`hsl(${hue} ${100 * saturation}% ${100 * lightness}%)`, fore]);
  }
  return ramp.get(rank);
}

/** Returns the luminance, 0 to 1, of a colour of hue (degrees), saturation and lightness. */
function luminance(hue, saturation, lightness) {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset) => {
    const k = (offset + hue / 30) % 12;
    return lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return 0.299 * part(0) + 0.587 * part(8) + 0.114 * part(4);
}

// The frame.

/** Draws the last frame that has arrived. */
function draw() {
  const [now, before] = [waiting, frame];
  waiting = null;
  if (!now || !about) return;
  board.show(now, before);
  frame = now;
  setText(byId("score"), number(now.score));
  setText(byId("move"), now.at < now.moves ? `${number(now.at)} of ${number(now.moves)}` : number(now.at));
  setText(byId("tile"), number(now.max_tile));
  setText(byId("measured"), number(now.measured, rough));
  setText(byId("position"), now.text);
  setText(byId("message"), now.message);
  setText(byId("pause"), now.paused ? "Continue" : "Pause");
  setText(byId("mover"), now.person ? "Hand back" : "Take over");
  byId("hint").disabled = !now.person;
  const speed = byId("speed");
  if (document.activeElement !== speed) speed.value = now.speed;
  const place = byId("place");
  if (place.max !== String(now.moves)) place.max = now.moves;
  if (document.activeElement !== place || now.paused === false) place.value = now.at;
  [...byId("actions").children].forEach((button, action) => {
    const legal = now.legal.includes(action);
    if (button.disabled === legal) button.disabled = !legal;
  });
  drawOpinion(now);
  cells.show(now);
  describe(now, before);
}

/** Returns true if the values of the moves are shown. */
function showsValues(now) {
  return !now.person || hint || now.at < now.moves;
}

/** Draws the player's opinion of the position. */
function drawOpinion(now) {
  const opinion = showsValues(now) ? now.opinion : null;
  const values = new Map(opinion?.values ?? []);
  const finite = [...values.values()].filter((value) => value !== null);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  [...byId("values").children].forEach((row, action) => {
    const value = values.get(action);
    const isBest = opinion?.choice === action;
    row.classList.toggle("best", isBest);
    const share = value === undefined || value === null ? 0
      : most > least ? 0.1 + 0.9 * (value - least) / (most - least) : 1;
    row.children[1].firstChild.style.width = `${100 * share}%`;
    setText(row.children[2], value === undefined ? (isBest ? "best" : "") : number(value, precise));
  });
  setText(byId("verdict"), verdict(now));
  const facts = Object.entries(opinion?.facts ?? {});
  if (opinion) facts.push(["time", `${number(1000 * opinion.seconds, rough)} ms`]);
  const list = byId("facts");
  if (list.children.length !== 2 * facts.length) {
    list.replaceChildren(...facts.flatMap(() => [element("dt"), element("dd")]));
  }
  facts.forEach(([name, fact], place) => {
    setText(list.children[2 * place], name);
    setText(list.children[2 * place + 1], typeof fact === "number" ? number(fact, precise) : fact);
  });
}

/** Returns what the last move of a person, or the next recorded one, lost. */
function verdict(now) {
  const name = (action) => about.actions[action];
  if (now.next && now.opinion) {
    const { action, loss } = now.next;
    const made = `The move made here was ${name(action)}`;
    if (action === now.opinion.choice) return `${made}, as the player would.`;
    if (loss === null) return `${made}; the player would choose ${name(now.opinion.choice)}.`;
    return `${made}; it was worth ${number(loss, precise)} less than ${name(now.opinion.choice)}.`;
  }
  if (now.verdict) {
    const { action, best, loss } = now.verdict;
    if (action === best) return `Your move ${name(action)} was the player's choice.`;
    if (loss === null) return `The player would have chosen ${name(best)} instead of ${name(action)}.`;
    return `Your move ${name(action)} was worth ${number(loss, precise)} less than ${name(best)}.`;
  }
  if (now.person && !hint) return "Press h, or Hint, for the player's values of the moves.";
  return now.opinion ? "" : now.over ? "" : "The player thinks.";
}

/** When the board was last described to screen readers, in milliseconds. */
let described = 0;

/** Describes the board to screen readers: each move of a person, others every five seconds. */
function describe(now, before) {
  const slow = now.person || now.paused || now.over;
  const time = performance.now();
  if (before && before.at === now.at && before.text === now.text && before.over === now.over) return;
  if (!slow && time - described < 5000) return;
  described = time;
  byId("board").setAttribute("aria-label", `Board. ${inWords(now)}`);
  const over = now.over ? "Game over. " : "";
  announce(`${over}Score ${number(now.score)}. ${slow ? inWords(now) : `Max tile ${now.max_tile}`}`);
}

/** Returns the position row by row in words. */
function inWords(now) {
  if (!about.board) return now.text;
  const { rows, cols, values } = about.board;
  const row = (r) => now.cells.slice(r * cols, (r + 1) * cols)
    .map((rank) => (rank ? values[rank] : "empty")).join(" ");
  return [...Array(rows).keys()].map((r) => `Row ${r + 1}: ${row(r)}.`).join(" ");
}

function setHint(shown) {
  hint = shown;
  byId("hint").setAttribute("aria-pressed", hint);
}

/** Shows the values of the moves while a person plays, or hides them. */
function toggleHint() {
  setHint(!hint);
  if (!frame) return;
  drawOpinion(frame);
  const choice = frame.opinion?.choice;
  if (hint && choice !== null && choice !== undefined) announce(`The player would move ${about.actions[choice]}.`);
}

// The review.

/** Shows the state of a review; null hides it. */
function showReview(review) {
  const [chart, list, progress] = [byId("losses"), byId("mistakes"), byId("progress")];
  const result = review?.result;
  chart.toggleAttribute("hidden", !result);
  list.replaceChildren();
  if (review?.fault) return setText(progress, `The player failed: ${review.fault}`);
  if (!review) return;
  if (!result) return setText(progress, `${number(review.done)} of ${number(review.moves)} moves`);
  const { matches, mean_loss: loss } = result.summary;
  const share = number(100 * matches / review.moves);
  setText(progress, `${number(matches)} of ${number(review.moves)} moves (${share}%) are the player's choice`
    + (loss === null ? "." : `; the mean loss is ${number(loss, precise)}.`));
  drawChart(chart, [], [], result.losses.map((value, place) => [place + 1, Math.max(value ?? 0, 0)]));
  list.append(...result.worst.map((judged) => {
    const lost = judged.loss === null ? "" : `, lost ${number(judged.loss, precise)}`;
    const text = `Move ${number(judged.number)}: ${judged.action} instead of ${judged.best ?? "stop"}${lost}`;
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => order({ do: "seek", at: judged.number - 1 }));
    return element("li", {}, button);
  }));
}

// Charts.

/** Returns a new element of SVG. */
function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Draws a curve and marks with intervals, or bars on a logarithmic scale; all are lists of points. */
function drawChart(svg, curve, marks, bars) {
  const [width, height, left, bottom] = [400, 190, 44, 20];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const all = [...curve, ...bars, ...marks.flatMap(([x, y, low, high]) => [[x, y], [x, low], [x, high]])];
  const xs = all.map((point) => point[0]);
  const most = (list) => list.reduce((max, value) => Math.max(max, value), 0) || 1;
  const [right, top] = [most(xs), most(all.map((point) => point[1]))];
  // Of the losses of a game, a few are much larger than all others.
  const [scale, inverse] = bars.length ? [Math.log1p, Math.expm1] : [(value) => value, (value) => value];
  const x = (value) => left + (width - left - 8) * value / right;
  const y = (value) => height - bottom - (height - bottom - 8) * scale(value) / scale(top);
  const parts = [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(0), y2: y(0) }),
    shape("line", { class: "axis", x1: left, x2: left, y1: y(0), y2: 8 }),
  ];
  for (const share of [0, 0.5, 1]) {
    const tick = inverse(share * scale(top));
    parts.push(shape("text", { x: left - 4, y: y(tick) + 4, "text-anchor": "end" }, short.format(tick)));
    parts.push(shape("text", { x: x(share * right), y: height - 4, "text-anchor": share === 1 ? "end" : "middle" }, short.format(share * right)));
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
}

// The curve of a training.

const training = {
  points: [],
  next: 0,
  timer: null,

  /** Begins with the curve that is chosen. */
  begin() {
    [this.points, this.next] = [[], 0];
    this.update();
  },

  /** Reads new points while the panel is open. */
  async update() {
    clearTimeout(this.timer);
    if (!byId("training").open || byId("curve").value === "") return;
    if (!document.hidden) {
      try {
        const { points, next, restarted } = await ask(`/api/curves/${byId("curve").value}?from=${this.next}`);
        this.points = restarted ? points : this.points.concat(points);
        this.next = next;
        this.draw();
      } catch (error) {
        setText(byId("curve-text"), error.message);
      }
    }
    this.timer = setTimeout(() => this.update(), 2000);
  },

  draw() {
    const means = this.points.filter((point) => typeof point.mean === "number");
    const evaluated = this.points.filter((point) => typeof point.evaluation?.mean === "number");
    const last = this.points.at(-1);
    if (!last) return setText(byId("curve-text"), "There are no points yet.");
    const mean = means.at(-1)?.mean;
    const minutes = number(last.seconds / 60);
    setText(byId("curve-text"), `${number(last.moves)} moves, ${minutes} minutes, mean score ${number(mean)}`);
    const marks = evaluated.map(({ moves, evaluation }) => {
      const [low, high] = evaluation.ci95 ?? [evaluation.mean, evaluation.mean];
      return [moves, evaluation.mean, low, high];
    });
    drawChart(byId("curve-chart"), means.map((point) => [point.moves, point.mean]), marks, []);
  },
};

// The cells of the editor.

const cells = {
  begin() {
    const place = byId("cells");
    place.replaceChildren();
    if (!about.board) return;
    const { rows, cols, values } = about.board;
    place.style.gridTemplateColumns = `repeat(${cols}, 1fr)`;
    for (let cell = 0; cell < rows * cols; cell++) {
      const name = `Row ${Math.floor(cell / cols) + 1}, column ${cell % cols + 1}`;
      const select = element("select", { "aria-label": name },
        ...values.map((value, rank) => element("option", { value: rank }, rank ? String(value) : "")));
      select.addEventListener("change", () => order({ do: "cell", cell, rank: Number(select.value) }));
      place.append(select);
    }
  },

  /** Shows a position, while the editor is open. */
  show(now) {
    if (!byId("edit").open) return;
    [...byId("cells").children].forEach((select, cell) => {
      if (document.activeElement !== select || now.paused) select.value = now.cells[cell];
    });
    if (document.activeElement !== byId("text")) byId("text").value = now.text;
  },
};

// The forms of specs.

/** The form of one plugin and its parameters, which makes its spec. */
class SpecForm {
  /** `plugins` are offered; `offered` are whole specs that stand before them; `none` is the text
   * of the choice of nothing, if there is one; `changed` is called after every change. */
  constructor(plugins, offered, none, changed) {
    this.changed = changed;
    this.fields = [];
    this.choice = element("select");
    if (none !== null) this.choice.append(element("option", { value: "" }, none));
    offered.forEach((spec, place) => this.choice.append(element("option", { value: `spec ${place}` }, spec)));
    // A learner needs a model, and the command line names those that can be used.
    const usable = plugins.filter((plugin) => !plugin.learner
      || plugin.parameters.some((parameter) => parameter.permitted.length));
    for (const plugin of usable) {
      this.choice.append(element("option", { value: plugin.name, title: plugin.about }, plugin.name));
    }
    this.offered = offered;
    this.plugins = plugins;
    this.place = element("div", { class: "parameters" });
    this.element = element("div", {}, this.choice, this.place);
    this.choice.addEventListener("change", () => this.build());
    this.build();
  }

  /** Builds the fields of the plugin that is chosen. */
  build() {
    const plugin = this.plugins.find((known) => known.name === this.choice.value);
    this.fields = (plugin?.parameters ?? []).map((parameter) => field(parameter, this.changed));
    this.place.replaceChildren(...this.fields.map((made) => made.element));
    this.changed();
  }

  /** Returns the spec; an empty text if nothing is chosen. */
  spec() {
    const { value } = this.choice;
    if (value.startsWith("spec ")) return this.offered[Number(value.slice(5))];
    const set = this.fields.map((made) => [made.name, made.value()]).filter(([, text]) => text !== "");
    const fields = set.map(([name, text]) => `${name}: ${text}`).join(", ");
    return fields ? `${value}(${fields})` : value;
  }
}

/** Returns the field of a parameter: its element, and a function that returns its RON text. */
function field(parameter, changed) {
  const { name, about: text, allowed, permitted } = parameter;
  const { kind, options = [] } = parameter.field;
  const help = element("span", {}, `${text}. Allowed: ${allowed}`);
  const label = (input) => element("label", {}, name, input, help);
  if (kind === "value" || kind === "player") {
    const kinds = kind === "value" ? ["value"] : ["agent", "value"];
    const plugins = start.plugins.filter((plugin) => kinds.includes(plugin.kind));
    const form = new SpecForm(plugins, permitted, `default: ${parameter.default}`, changed);
    return { name, element: label(form.element), value: () => form.spec() };
  }
  const listed = { flag: ["true", "false"], choice: options }[kind] ?? permitted;
  if (listed.length) {
    const select = element("select", {}, element("option", { value: "" }, `default: ${parameter.default}`),
      ...listed.concat(kind === "choice" ? permitted : []).map((option) => element("option", { value: option }, option)));
    select.addEventListener("change", changed);
    return { name, element: label(select), value: () => select.value };
  }
  const input = element("input", { placeholder: parameter.default, spellcheck: "false" });
  input.addEventListener("input", changed);
  const quoted = (typed) => (kind === "quantity" && /^[^"]/.test(typed) ? `"${typed}"` : typed);
  return { name, element: label(input), value: () => quoted(input.value.trim()) };
}

/** Shows the forms of game and player. */
function showForms() {
  const forms = {};
  const fill = (id, make) => {
    const changed = () => {
      if (forms[id]) byId(`${id}-spec`).value = forms[id].spec();
    };
    forms[id] = make(changed);
    byId(`${id}-form`).replaceChildren(forms[id].element);
    changed();
  };
  const of = (...kinds) => start.plugins.filter((plugin) => kinds.includes(plugin.kind));
  fill("game", (changed) => new SpecForm(of("game"), [start.game], null, changed));
  fill("agent", (changed) => new SpecForm(of("agent", "value"), start.agents, null, changed));
}

const specs = () => ({ game: byId("game-spec").value, agent: byId("agent-spec").value });

// Recorded games.

/** Lists the games of the chosen file of the folder. */
async function listRecords() {
  const numbers = byId("number");
  numbers.replaceChildren(element("option", { value: "" }, "the first"));
  const file = byId("file").value;
  if (byId("upload").files.length || file === "") return;
  await attempt(async () => {
    const { games } = await ask(`/api/records/${encodeURIComponent(file)}`);
    numbers.replaceChildren(...games.map((one) => element("option", { value: one.number },
      `${one.number}: ${number(one.score)} points, ${number(one.moves)} moves`)));
  });
}

async function openRecord() {
  const [file] = byId("upload").files;
  const agent = specs().agent;
  const chosen = byId("number").value === "" ? null : Number(byId("number").value);
  if (file) {
    const query = new URLSearchParams({ agent });
    await open(`/api/uploads?${query}`, file, "application/octet-stream");
  } else {
    await open(`/api/records/${encodeURIComponent(byId("file").value)}`, { agent, number: chosen });
  }
}

// Keys, swipes and buttons.

const KEYS = [
  [[" "], "pause", "space", "pause or continue"],
  [["n", "."], "forward", "n", "one move forward"],
  [["b", ","], "back", "b", "one move back"],
  [["Home"], "first", "Home", "first position"],
  [["End"], "last", "End", "last position"],
  [["+", "="], "faster", "+", "faster"],
  [["-"], "slower", "-", "slower"],
  [["t"], "take-over", "t", "take over, or hand back"],
  [["f"], "next-tile", "f", "first position with the goal tile, then with larger ones"],
  [["w"], "worst", "w", "worst of the last 100 moves"],
  [["r"], "new", "r", "new game"],
  [["Escape"], "cancel", "Esc", "stay at the end of the game"],
];

function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !about) return;
  if (target.closest("input, select, textarea")) return;
  if (target.closest("button, summary, a") && (key === " " || key === "Enter")) return;
  const known = KEYS.find(([keys]) => keys.includes(key));
  const arrow = /^Arrow(Up|Down|Left|Right)$/.exec(key)?.[1].toLowerCase();
  if (known) order({ do: known[1] });
  else if (arrow) move(arrow);
  else if (/^[1-9]$/.test(key)) order({ do: "act", action: Number(key) - 1 });
  else if (key === "h") toggleHint();
  else if (key === "s") byId("save").click();
  else return;
  event.preventDefault();
}

/** Moves in a direction. */
function move(direction) {
  const action = about.actions.findIndex((name) => name.toLowerCase() === direction);
  if (action >= 0) order({ do: "act", action });
}

/** Where a swipe began. */
let swipe = null;

function swiped(event) {
  if (!swipe || !about) return;
  const [dx, dy] = [event.clientX - swipe.x, event.clientY - swipe.y];
  swipe = null;
  if (Math.max(Math.abs(dx), Math.abs(dy)) < 24) return;
  if (Math.abs(dx) > Math.abs(dy)) move(dx > 0 ? "right" : "left");
  else move(dy > 0 ? "down" : "up");
}

/** Goes to the next scheme of colours. */
function changeTheme() {
  const schemes = ["system", "light", "dark"];
  const now = document.documentElement.dataset.theme ?? "system";
  setTheme(schemes[(schemes.indexOf(now) + 1) % schemes.length]);
}

function setTheme(scheme) {
  if (scheme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = scheme;
  setText(byId("theme"), `Colours: ${scheme}`);
  byId("theme").setAttribute("aria-label", `Colours: ${scheme === "system" ? "those of the system" : scheme}`);
  try {
    localStorage.setItem("colours", scheme);
  } catch {
    // The choice lasts as long as the page.
  }
}

/** Makes the script for another page. */
async function makeScript() {
  const { script } = await ask("/api/remotes", specs());
  byId("script").value = script;
  byId("bookmarklet").href = `javascript:${encodeURIComponent(script)}`;
  byId("bookmarklet").hidden = false;
}

function listen() {
  document.addEventListener("keydown", pressed);
  byId("controls").addEventListener("click", (event) => {
    const wish = event.target.dataset.do;
    if (wish) order({ do: wish });
  });
  byId("hint").addEventListener("click", toggleHint);
  byId("speed").addEventListener("change", () => order({ do: "speed", place: Number(byId("speed").value) }));
  byId("place").addEventListener("input", () => order({ do: "seek", at: Number(byId("place").value) }));
  byId("board").addEventListener("pointerdown", (event) => { swipe = { x: event.clientX, y: event.clientY }; });
  document.addEventListener("pointerup", swiped);
  byId("theme").addEventListener("click", changeTheme);
  byId("review").addEventListener("click", () => order({ do: "review" }));
  byId("replace").addEventListener("click", () => attempt(() => ask(`/api/games/${game.id}`, { do: "agent", agent: specs().agent })));
  byId("remote").addEventListener("click", () => attempt(makeScript));
  byId("file").addEventListener("change", listRecords);
  byId("upload").addEventListener("change", listRecords);
  byId("training").addEventListener("toggle", () => training.update());
  byId("recorded").addEventListener("toggle", listRecords);
  byId("edit").addEventListener("toggle", () => frame && cells.show(frame));
  byId("curve").addEventListener("change", () => training.begin());
  const submit = (id, task) => byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(task);
  });
  submit("setup", () => open("/api/games", specs()));
  submit("paste", () => ask(`/api/games/${game.id}`, { do: "position", text: byId("text").value }));
  submit("open-record", openRecord);
}

/** Begins: the game of the address, if it is there, or that of the command line. */
async function begin() {
  listen();
  try {
    setTheme(localStorage.getItem("colours") ?? "system");
  } catch {
    setTheme("system");
  }
  byId("keys").append(...KEYS.concat([
    [[], "", "arrows, 1 to 9", "move; you take over if the player moves"],
    [[], "", "h", "hint: the player's values of the moves"],
    [[], "", "s", "save the game as a record"],
  ]).flatMap(([, , key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
  await attempt(async () => {
    start = await ask("/api/start");
    showForms();
    byId("folder").hidden = !start.records.length;
    byId("file").append(...start.records.map((name) => element("option", { value: name }, name)));
    byId("curve").append(...start.curves.map((name, place) => element("option", { value: place }, name)));
    byId("training").hidden = !start.curves.length;
    const wanted = Number(/^#game=(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    const games = await ask("/api/games");
    if (games.some((open) => open.id === wanted)) watch(wanted);
    else await open("/api/games", { game: start.game, agent: start.agents[0] });
  });
}

// The page is painted before anything else is done.
requestAnimationFrame(() => setTimeout(begin));
