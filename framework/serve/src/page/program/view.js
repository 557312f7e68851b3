// What the parts of the view share. The view has no state of a game of its own: it draws the frames that
// its source sends, a server or a worker, and gives orders to that source.

import { announce, byId, comparable, setText } from "./base.js";

export const view = {
  /** What stays of the game. */
  about: null,
  /** The last frame that was drawn. */
  frame: null,
  /** The frame that the next drawing shows. */
  waiting: null,
  /** What the page waits for, or why it waits in vain, as text; null while it shows a game. */
  loading: "Loading",
  /** True if the page waits in vain. */
  isFault: false,
  /** True if a key was pressed or a control was tapped while the page was loading. */
  isAwaited: false,
  /** The unit of the player's values, once it is known. */
  unit: "",
  /** How the values of the player are shown, once some are known. */
  scale: comparable([]),
  /** True if the values of the moves are shown while a person plays. */
  hint: false,
  /** The mistake that a person solves: what is said of it, and whether the values are shown. */
  puzzle: null,
  /** True if a review of the game is shown. */
  isReviewed: false,
  /** Begins a game. */
  begin: () => order({ do: "new" }),
  /** Gives an order to the source; it throws an error with the reason of a refusal. */
  send: async () => {},
};

/** Shows what the page waits for, and the share of it that is done, if it is known. Until a game is shown,
 * the controls are disabled. */
export function showLoading(text, share) {
  if (view.loading === null) view.isAwaited = false;
  [view.loading, view.isFault] = [text, false];
  setText(byId("message"), view.isAwaited ? `Not ready yet. ${text}` : text);
  if (share === undefined) byId("loaded").removeAttribute("value");
  else byId("loaded").value = share;
  setBusy(true);
  disableControls(true);
}

export function endLoading() {
  view.loading = null;
  setBusy(false);
  disableControls(false);
}

/** Shows why a game is not available. If none is shown, the controls remain disabled. */
export function showFault(text) {
  setText(byId("message"), text);
  if (view.loading === null) return;
  [view.loading, view.isFault] = [text, true];
  setBusy(false);
}

/** Returns the address of a position. */
export function addressOf({ text }, game = "") {
  const written = (part) => encodeURIComponent(part).replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `${location.origin}${location.pathname}#${game}of=${written(view.about.game)}&at=${written(text)}`;
}

const whyNot = () => (view.isFault ? view.loading : `Not ready yet. ${view.loading}`);

/** Says that a key or a tap does nothing yet. */
export function refuseEarly() {
  view.isAwaited = true;
  const text = whyNot();
  setText(byId("message"), text);
  announce(text);
}

function setBusy(busy) {
  document.querySelector("main").setAttribute("aria-busy", busy);
  byId("loaded").hidden = !busy;
}

function disableControls(disabled) {
  for (const control of document.querySelectorAll("#bar :is(button, input, select), #values button")) {
    control.disabled = disabled;
  }
}

/** Gives an order to the game; throws an error with the reason of a refusal. */
export async function request(wish) {
  if (view.loading !== null) throw new Error(whyNot());
  await view.send(wish);
}

/** Gives an order to the game, and shows why it is refused. */
export async function order(wish) {
  if (view.loading !== null) return refuseEarly();
  if (view.puzzle && wish.do === "act") return view.puzzle.answer(wish.action);
  view.puzzle = null;
  try {
    await request(wish);
  } catch (error) {
    setText(byId("message"), error.message);
    announce(error.message);
  }
}
