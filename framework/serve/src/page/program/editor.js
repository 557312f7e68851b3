// Editing a position: a click on a cell offers the tiles for it; a text sets the whole position.

import { announce, attempt, byId, element, setText } from "./base.js";
import { cellName, contentName } from "./board.js";
import { colours } from "./palette.js";
import { addressOf, order, request, view } from "./view.js";

export const editor = {
  /** The cell that is changed, and the element that had the focus. */
  cell: 0,
  returnTo: null,
  /** True if a person has changed the text of the position: it stays until it is set. */
  isTyped: false,

  listen() {
    byId("picker").addEventListener("toggle", (event) => {
      if (event.newState === "closed") this.returnTo?.focus({ preventScroll: true });
    });
    byId("edit").addEventListener("toggle", () => {
      this.isTyped &&= byId("edit").open;
      if (view.frame) this.show(view.frame);
    });
    byId("text").addEventListener("input", () => { this.isTyped = true; });
    byId("paste").addEventListener("click", (event) => {
      const { copy } = event.target.dataset;
      if (copy && view.frame) this.copy(copy === "address" ? addressOf(view.frame) : view.frame[copy]);
    });
    byId("paste").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(async () => {
        await request({ do: "position", text: byId("text").value });
        this.isTyped = false;
      }, "paste-refusal");
    });
  },

  /** Copies a text; where the browser forbids it, the text stands in the field, selected. */
  async copy(text) {
    const done = text === null ? "This position has no hex form." : "Copied.";
    try {
      if (text !== null) await navigator.clipboard.writeText(text);
      setText(byId("copied"), done);
      announce(done);
    } catch {
      this.isTyped = true;
      byId("text").value = text;
      byId("text").select();
    }
  },

  /** Prepares the tiles of a game. */
  begin() {
    const { about } = view;
    byId("picker").hidePopover();
    const swatches = (about.board?.values ?? []).map((_, rank) => {
      const swatch = element("button", { class: "swatch", type: "button", "data-rank": rank },
        contentName(rank));
      if (rank) [swatch.style.background, swatch.style.color] = colours(rank, about, 0);
      swatch.addEventListener("click", () => {
        byId("picker").hidePopover();
        order({ do: "cell", cell: this.cell, rank });
      });
      return swatch;
    });
    byId("swatches").replaceChildren(...swatches);
  },

  /** Offers the tiles for a cell. The game waits meanwhile. */
  open(cell, returnTo) {
    const { frame } = view;
    if (!frame || view.loading !== null) return;
    if (!frame.paused && !frame.person) order({ do: "pause" });
    [this.cell, this.returnTo] = [cell, returnTo];
    setText(byId("picker-title"), cellName(cell));
    const picker = byId("picker");
    picker.showPopover();
    const place = document.querySelector(`[data-cell="${cell}"]`).getBoundingClientRect();
    const within = (start, size, room) => `${Math.max(8, Math.min(start, room - size - 8))}px`;
    picker.style.left = within(place.right + 8, picker.offsetWidth, innerWidth);
    picker.style.top = within(place.top, picker.offsetHeight, innerHeight);
    for (const swatch of byId("swatches").children) {
      swatch.setAttribute("aria-pressed", Number(swatch.dataset.rank) === frame.cells[cell]);
    }
    byId("swatches").children[frame.cells[cell]]?.focus();
  },

  /** Goes to a neighbour of the focused cell; the arrow keys do so once a cell has the focus. */
  step(direction) {
    const { rows, cols } = view.about.board;
    const cell = Number(document.activeElement.dataset.cell);
    const [row, col] = [Math.floor(cell / cols), cell % cols];
    const [down, right] = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] }[direction];
    const clamp = (value, count) => Math.max(0, Math.min(value, count - 1));
    this.focus(clamp(row + down, rows) * cols + clamp(col + right, cols));
  },

  focus(cell) {
    document.querySelector(`[data-cell="${cell}"]`)?.focus();
  },

  /** Shows a position: the names of the cells, and the text while its panel is open. */
  show(now) {
    if (view.about.board && (now.paused || now.person)) {
      for (const cell of document.querySelectorAll(".cell")) {
        const content = contentName(now.cells[cell.dataset.cell]);
        cell.setAttribute("aria-label", `${cellName(Number(cell.dataset.cell))}: ${content}. Change`);
      }
    }
    const text = byId("text");
    if (byId("edit").open && !this.isTyped && document.activeElement !== text) text.value = now.text;
  },
};
