// The board.

import { byId, element, setText } from "./base.js";
import { colours, isStone, skin } from "./palette.js";
import { view } from "./view.js";

export const board = {
  /** The tile in each cell. */
  tiles: [],
  /** The highest rank that is shown. */
  most: 0,

  /** Prepares the board of a game. */
  begin() {
    const { about } = view;
    const place = byId("board");
    this.tiles = [];
    place.replaceChildren();
    place.classList.toggle("none", !about.board);
    document.documentElement.dataset.skin = skin(about.board?.values);
    if (!about.board) return;
    const { rows, cols } = about.board;
    const main = document.querySelector("main");
    main.style.setProperty("--rows", rows);
    main.style.setProperty("--cols", cols);
    for (let cell = 0; cell < rows * cols; cell++) {
      const button = element("button", { class: "cell", type: "button", tabindex: "-1", "data-cell": cell,
        "aria-label": cellName(cell) });
      place.append(this.put(button, cell));
    }
  },

  /** Moves an element to a cell. */
  put(tile, cell) {
    tile.style.setProperty("--row", Math.floor(cell / view.about.board.cols));
    tile.style.setProperty("--col", cell % view.about.board.cols);
    return tile;
  },

  /** Returns a new tile. */
  tile(cell, rank, kind) {
    const tile = this.put(element("div", { class: `tile ${kind}`, "aria-hidden": "true" }), cell);
    this.label(tile, rank);
    byId("board").append(tile);
    return tile;
  },

  /** Writes the value and sets the colours of a tile. */
  label(tile, rank) {
    const { values } = view.about.board;
    const stone = isStone(rank, values);
    const value = stone ? "" : String(values[rank] ?? "?");
    setText(tile, value);
    tile.toggleAttribute("data-stone", stone);
    tile.dataset.digits = Math.min(value.length, 6);
    tile.dataset.rank = rank;
    this.paint(tile, rank);
  },

  paint(tile, rank) {
    [tile.style.background, tile.style.color] = colours(rank, view.about, this.most);
  },

  /** Shows a position; `before` is the one that was shown. */
  show(now, before) {
    const { about } = view;
    if (!about.board) return setText(byId("board"), now.text);
    const most = Math.max(...now.cells);
    const repaint = most !== this.most;
    this.most = most;
    const { last } = now;
    const follows = before && last && now.at === before.at + 1
      && same(before.cells, last.before);
    const moves = follows && animates(now)
      ? slide(last.before, last.after, about.board, about.actions[last.action])
      : null;
    byId("board").classList.toggle("still", moves === null);
    if (moves === null) this.set(now.cells);
    else this.move(moves, last.after, now.cells);
    if (repaint) this.tiles.forEach((tile) => this.paint(tile, Number(tile.dataset.rank)));
  },

  /** Moves tiles, and shows those that enter. */
  move(moves, after, ranks) {
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
      this.label(kept, after[to]);
      kept.className = "tile merged";
      setTimeout(() => tile.remove(), 90);
    }
    ranks.forEach((rank, cell) => {
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

/** Returns the name of a cell in words. */
export function cellName(cell) {
  const { cols } = view.about.board;
  return `Row ${Math.floor(cell / cols) + 1}, column ${cell % cols + 1}`;
}

/** Returns the content of a cell in words. */
export function contentName(rank) {
  const { values } = view.about.board;
  return isStone(rank, values) ? "stone" : rank ? String(values[rank] ?? "?") : "empty";
}

/** Shows what a position has beside the board, such as an announced tile. */
export function showFields(now) {
  byId("next").hidden = !now.fields.length;
  if (!now.fields.length) return;
  const [[first]] = now.fields;
  // One field has its name as the title of the card.
  setText(byId("next").firstElementChild, now.fields.length === 1 ? first : "Beside the board");
  byId("fields").replaceChildren(...now.fields.flatMap(([name, text, rank]) => {
    const tile = element("b", {}, text);
    if (rank !== null) [tile.style.background, tile.style.color] = colours(rank, view.about, 0);
    return now.fields.length === 1 ? [tile] : [name, tile];
  }));
}

/** Returns true if the moves are slow enough to be seen. */
function animates(now) {
  const speed = view.about.speeds[now.speed];
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
export function slide(before, after, shape, action) {
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
