// What the parts of the view share. The view has no state of a game of its own: it draws the frames that
// its source sends, a server or a worker, and gives orders to that source.

import { announce, byId, setText } from "./base.js";

export const view = {
  /** What stays of the game. */
  about: null,
  /** The last frame that was drawn. */
  frame: null,
  /** The frame that the next drawing shows. */
  waiting: null,
  /** True if the values of the moves are shown while a person plays. */
  hint: false,
  /** Gives an order to the source; it throws an error with the reason of a refusal. */
  send: async () => {},
};

/** Gives an order to the game, and shows why it is refused. */
export async function order(wish) {
  try {
    await view.send(wish);
  } catch (error) {
    setText(byId("message"), error.message);
    announce(error.message);
  }
}
