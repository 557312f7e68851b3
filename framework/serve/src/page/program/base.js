// The program of the page of `runner serve`, in the files of this folder. It has no state of a game
// of its own: it draws the frames that the server sends, and sends orders.
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

const BINARY = "application/octet-stream";

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
  // What stands between page and server may answer with another document.
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) {
    const reason = [answer?.error, answer?.place].filter(Boolean).join("\n");
    throw new Error(reason || `the server answers with status ${response.status}; load the page again`);
  }
  return answer;
}

/** Runs a task, and shows why it is refused in the element with this id. */
async function attempt(task, place = "refusal") {
  setText(byId(place), "");
  try {
    await task();
  } catch (error) {
    setText(byId(place), error.message);
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
