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

/** Shows what a position has beside the board, such as an announced tile. */
function showFields(now) {
  byId("fields").replaceChildren(...now.fields.flatMap(([name, text, rank]) => {
    const tile = element("b", {}, text);
    if (rank !== null) [tile.style.background, tile.style.color] = colours(rank);
    return [name, tile];
  }));
}

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
