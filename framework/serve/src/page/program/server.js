// The server: requests, and the stream of the game that is watched.

import { byId, setText } from "./base.js";
import { receive, showAbout } from "./frame.js";
import { setHint } from "./opinion.js";
import { showReview } from "./review.js";
import { addressOf, showFault, showLoading, view } from "./view.js";

export const server = {
  /** What the server offers: plugins and players. */
  start: null,
  /** Receives what stays of a game. */
  about: () => {},
  /** The game that is watched: its number, the stream of its frames, and the specs with which this page has
   * opened it. */
  game: { id: null, source: null, spec: null, agent: null },
};

export const BINARY = "application/octet-stream";

/** Asks the server; throws an error with its message. */
export async function ask(path, body, kind = "application/json") {
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
  // What stands between page and server may answer with another document.
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) {
    const reason = [answer?.error, answer?.place].filter(Boolean).join("\n");
    throw new Error(reason || `the server answers with status ${response.status}; load the page again`);
  }
  return answer;
}

/** The answer to the last order. */
let answered = Promise.resolve();

/** Gives an order to the game that is watched, once the one before is answered: on two connections, the later
 * one could arrive first. */
export function send(wish) {
  const sent = answered.then(() => deliver(wish));
  answered = sent.catch(() => {});
  return sent;
}

/** Gives an order at once. */
export async function deliver(wish) {
  if (server.game.id !== null) await ask(`/api/games/${server.game.id}`, wish);
}

/** Keeps the position in the address while the game stands still, so that it is there when the page is loaded
 * again. */
function keepAddress(frame) {
  if (!view.about || !(frame.paused || frame.person)) return;
  const address = addressOf(frame, `game=${server.game.id}&`);
  if (location.href !== address) history.replaceState(null, "", address);
}

/** Watches a game from now on. */
export function watch(id, spec = null, agent = null) {
  server.game.source?.close();
  [view.about, view.frame, view.waiting] = [null, null, null];
  showLoading("Loading the game");
  const source = new EventSource(`/api/games/${id}/events`);
  server.game = { id, source, spec, agent };
  history.replaceState(null, "", `#game=${id}`);
  byId("save").href = `/api/games/${id}/record`;
  showReview(null);
  source.addEventListener("about", (event) => {
    const about = JSON.parse(event.data);
    showAbout(about);
    server.about(about);
  });
  source.addEventListener("frame", (event) => {
    const frame = JSON.parse(event.data);
    receive(frame);
    keepAddress(frame);
  });
  source.addEventListener("review", (event) => showReview(JSON.parse(event.data)));
  source.addEventListener("ended", (event) => {
    source.close();
    showFault(`The game has ended: ${event.data}`);
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) showFault("This game is over. Begin another one.");
    else setText(byId("message"), "The connection is lost; trying again.");
  });
}

/** Opens a game and watches it. */
export async function open(path, body, kind) {
  const opened = await ask(path, body, kind);
  setHint(false);
  watch(opened.id, body.game, body.agent);
}
