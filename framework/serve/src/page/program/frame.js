// The frame: what is drawn for each position.

import { announce, byId, capital, comparable, element, number, setIcon, setText, store, stored } from "./base.js";
import { board, contentName, showFields } from "./board.js";
import { editor } from "./editor.js";
import { beginOpinion, drawOpinion } from "./opinion.js";
import { endLoading, view } from "./view.js";

/** Shows what stays of a game. */
export function showAbout(now) {
  view.about = now;
  view.frame = null;
  view.unit = "";
  view.scale = comparable([]);
  drawTitle(false);
  document.title = `${capital(now.game)} – runner`;
  const speeds = now.speeds.map((speed, place) =>
    element("option", { value: place }, speed === null ? "full" : `${number(speed)}/s`));
  byId("speed").replaceChildren(...speeds);
  beginOpinion();
  board.begin();
  editor.begin();
}

/** Says who plays what. */
export function drawTitle(person) {
  const { player, recorded } = view.about;
  const game = capital(view.about.game);
  const text = person ? `You play ${game}, advised by: ${player}`
    : recorded === null ? `${player}, plays ${game}` : `${game} by ${recorded}, judged by: ${player}`;
  setText(byId("title"), text);
  byId("title").title = text;
}

/** Draws a frame that has arrived, with the next picture of the screen. */
export function receive(now) {
  if (view.waiting === null) requestAnimationFrame(draw);
  view.waiting = now;
}

/** Draws the last frame that has arrived. */
function draw() {
  const [now, before] = [view.waiting, view.frame];
  view.waiting = null;
  if (!now || !view.about) return;
  if (!before && view.loading !== null) endLoading();
  board.show(now, before);
  if (!before || JSON.stringify(now.fields) !== JSON.stringify(before.fields)) showFields(now);
  view.frame = now;
  setText(byId("score"), number(now.score));
  setText(byId("move"), now.at < now.moves ? `${number(now.at)} of ${number(now.moves)}` : number(now.at));
  setText(byId("tile"), number(now.max_tile));
  // The keys that the message names have buttons here.
  setText(byId("message"), now.message.replace(/^game over: r .*/, "Game over"));
  drawBest(now);
  drawControls(now, before);
  drawOpinion(now);
  editor.show(now);
  describe(now);
}

/** Shows the best score of the person who plays. It counts games that are the person's alone. */
function drawBest(now) {
  const key = `best ${view.about.game}`;
  byId("best").hidden = !now.person;
  if (!now.person) return;
  let best = Number(stored(key) ?? 0);
  if (now.own && now.score > best) {
    best = now.score;
    store(key, best);
  }
  setText(byId("best").lastElementChild, number(best));
}

function drawControls(now, before) {
  const name = (id, text, icon) => {
    setText(byId(id).lastElementChild, text);
    setIcon(byId(id), icon);
  };
  const atEnd = now.at === now.moves;
  name("pause", now.paused ? "Play" : "Pause", now.paused ? "play" : "pause");
  // The end of a person's game, and of a finished one, stands still whether it is paused or not.
  byId("pause").disabled = byId("step").disabled = atEnd && (now.person || now.over);
  name("mover", now.person ? "Hand back" : "Take over", now.person ? "robot" : "hand");
  byId("mover").classList.toggle("lit", now.person);
  byId("judge").hidden = !(now.over && atEnd && now.moves > 0);
  drawTitle(now.person);
  // The facts of the search are folded when a person begins to play.
  if (now.person !== before?.person) byId("search").open = !now.person;
  const speed = byId("speed");
  if (document.activeElement !== speed) speed.value = now.speed;
  const place = byId("place");
  if (place.max !== String(now.moves)) place.max = now.moves;
  if (document.activeElement !== place || now.paused === false) place.value = now.at;
}

/** When the board was last described to screen readers, in milliseconds, and what was described. */
let described = { time: 0, what: "" };

/** Describes the board to screen readers: each move of a person, others every five seconds. */
function describe(now) {
  const slow = now.person || now.paused || now.over;
  const [time, what] = [performance.now(), `${now.at} ${now.text} ${now.over}`];
  if (what === described.what || !slow && time - described.time < 5000) return;
  described = { time, what };
  byId("board").setAttribute("aria-label", `Board. ${inWords(now)}`);
  const over = now.over ? "Game over. " : "";
  announce(`${over}Score ${number(now.score)}. ${slow ? inWords(now) : `Max tile ${now.max_tile}`}`);
}

/** Returns the position row by row in words. */
function inWords(now) {
  if (!view.about.board) return now.text;
  const { rows, cols } = view.about.board;
  const row = (r) => now.cells.slice(r * cols, (r + 1) * cols).map(contentName).join(" ");
  const fields = now.fields.map(([name, text]) => `${name}: ${text}.`);
  return [...[...Array(rows).keys()].map((r) => `Row ${r + 1}: ${row(r)}.`), ...fields].join(" ");
}
