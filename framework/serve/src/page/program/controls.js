// Keys, swipes, buttons and the panel.

import { byId, element } from "./base.js";
import { editor } from "./editor.js";
import { toggleHint } from "./opinion.js";
import { beginTheme } from "./theme.js";
import { order, refuseEarly, view } from "./view.js";

const KEYS = [
  [[" "], "pause", "space", "pause or play"],
  [["n", "."], "forward", "n", "one move forward"],
  [["b", ","], "back", "b", "one move back"],
  [["h"], "hint", "h", "hint: the player's values of the moves"],
  [["t"], "take-over", "t", "take over, or hand back"],
  [["v"], "review", "v", "review: judge all moves"],
  [["r"], "new", "r", "new game"],
  [["Home"], "first", "Home", "first position"],
  [["End"], "last", "End", "last position"],
  [["+", "="], "faster", "+", "faster"],
  [["-"], "slower", "-", "slower"],
  [["e"], "edit", "e", "edit: the arrows choose a cell, enter changes it"],
  [["s"], "save", "s", "save the game as a record"],
  [["Escape"], "cancel", "Esc", "stay at the end of the game; leave the panel or the cells"],
];

/** The keys of this page. */
let keys = KEYS;

/** Does what a control says: some wishes concern the page alone. */
function perform(wish) {
  switch (wish) {
    case "new": return view.begin();
    case "hint": return toggleHint();
    case "edit": return editor.focus(0);
    case "save": return byId("save").click();
    case "forward": return byId("step").disabled && view.loading === null ? undefined : order({ do: wish });
    case "pause": return byId("pause").disabled && view.loading === null ? undefined : order({ do: wish });
    default: return order({ do: wish });
  }
}

function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (key === "Escape" && target.closest("#panel")) return showPanel(false);
  if (target.closest("input, select, textarea, #picker")) return;
  if (target.closest("button, summary, a") && (key === " " || key === "Enter")) return;
  const arrow = /^Arrow(Up|Down|Left|Right)$/.exec(key)?.[1].toLowerCase();
  const isCell = target.matches(".cell");
  const known = keys.find(([keys]) => keys.includes(key));
  if (view.loading !== null && key !== "Escape" && (known || arrow)) refuseEarly();
  else if (isCell && arrow) editor.step(arrow);
  else if (isCell && key === "Escape") byId("board").focus();
  else if (known) perform(known[1]);
  else if (arrow) move(arrow);
  else if (/^[1-9]$/.test(key)) order({ do: "act", action: Number(key) - 1 });
  else return;
  event.preventDefault();
}

/** Moves in a direction. */
function move(direction) {
  const action = view.about.actions.findIndex((name) => name.toLowerCase() === direction);
  if (action >= 0) order({ do: "act", action });
}

/** Where a swipe began. */
let swipe = null;
/** True after a swipe, whose end is no click. */
let hasSwiped = false;

function swiped(event) {
  if (!swipe || !event.isPrimary || view.loading !== null) return;
  const [dx, dy] = [event.clientX - swipe.x, event.clientY - swipe.y];
  swipe = null;
  hasSwiped = Math.max(Math.abs(dx), Math.abs(dy)) >= 24;
  if (!hasSwiped) return;
  if (Math.abs(dx) > Math.abs(dy)) move(dx > 0 ? "right" : "left");
  else move(dy > 0 ? "down" : "up");
}

function listenToBoard() {
  const board = byId("board");
  board.addEventListener("pointerdown", (event) => {
    hasSwiped = false;
    // Two fingers enlarge the page.
    swipe = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
  });
  document.addEventListener("pointerup", swiped);
  document.addEventListener("pointercancel", () => { swipe = null; });
  // The focus stays on the board, where the arrow keys are moves.
  board.addEventListener("mousedown", (event) => {
    event.preventDefault();
    board.focus({ preventScroll: true });
  });
  board.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    // The enter key makes a click without a pointer; then the focus returns to the cell.
    const byKey = event.detail === 0;
    if (!cell || hasSwiped && !byKey) return;
    editor.open(Number(cell.dataset.cell), byKey ? cell : board);
  });
}

export function showPanel(shown) {
  byId("panel").hidden = !shown;
  byId("panel-button").setAttribute("aria-expanded", shown);
  (shown ? byId("panel").querySelector("summary") : byId("panel-button")).focus();
}

/** Begins to listen to keys, swipes and buttons. `without` are orders that the source does not know. */
export function listen(without = []) {
  keys = KEYS.filter(([, wish]) => !without.includes(wish));
  document.addEventListener("keydown", pressed);
  for (const place of [byId("controls"), byId("judge"), byId("panel")]) {
    place.addEventListener("click", (event) => {
      const wish = event.target.closest("[data-do]")?.dataset.do;
      if (wish) perform(wish);
    });
  }
  byId("panel-button").addEventListener("click", () => showPanel(byId("panel").hidden));
  byId("panel-close").addEventListener("click", () => showPanel(false));
  byId("speed").addEventListener("change", () => order({ do: "speed", place: Number(byId("speed").value) }));
  byId("place").addEventListener("input", () => order({ do: "seek", at: Number(byId("place").value) }));
  // A disabled control takes no taps: its surroundings do.
  document.querySelector("main").addEventListener("pointerdown", () => view.loading !== null && refuseEarly());
  listenToBoard();
  editor.listen();
  beginTheme();
  byId("keys").append(...[[[], "", "arrows, 1 to 9", "move; you take over if the player moves"], ...keys]
    .flatMap(([, , key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
}
