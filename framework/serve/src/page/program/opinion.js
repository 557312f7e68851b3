// What the player would do, and why: the choice, the values of the moves, and how they were found.

import { announce, byId, capital, comparable, element, icon, number, precise, rough, setIcon, setText } from "./base.js";
import { order, view } from "./view.js";

/** Makes a row for each move, which plays it. */
export function beginOpinion() {
  const rows = view.about.actions.map((name, action) => {
    const direction = ["up", "right", "down", "left"].includes(name) ? name : "dot";
    const button = element("button", { type: "button", title: `Play ${name}` },
      element("span", { class: "bar" }), icon(direction),
      element("span", {}, capital(name)),
      element("span", { class: "numbers" }, element("span"), element("span", { class: "behind" })));
    button.disabled = true;
    button.addEventListener("click", () => order({ do: "act", action }));
    return element("li", {}, button);
  });
  byId("values").replaceChildren(...rows);
}

/** Returns true if the values of the moves are shown: to a person on request, or in a review of the game. */
function showsValues(now) {
  return view.puzzle ? view.puzzle.isSolved : !now.person || view.hint || view.isReviewed;
}

/** Returns the share of a bar that a value fills. The scale is fixed: a move that loses a tenth of the expected
 * score, which is that of the game so far and the best value, has an empty bar. */
export function filled(value, most, score) {
  const range = Math.abs(score + most) / 10;
  return most > value ? Math.max(0, 1 - (most - value) / range) : 1;
}

/** Draws the player's opinion of the position. */
export function drawOpinion(now) {
  const opinion = showsValues(now) ? now.opinion : null;
  const values = new Map(opinion?.values ?? []);
  const finite = [...values.values()].filter((value) => value !== null);
  const most = Math.max(...finite);
  // Hidden values set the digits of sentences too.
  const known = (now.opinion?.values ?? []).map(([, value]) => value).filter((value) => value !== null);
  if (known.length) view.scale = comparable(known);
  const { scale } = view;
  view.unit = now.opinion?.facts.unit ?? view.unit;
  [...byId("values").children].forEach((row, action) => {
    const value = values.get(action);
    const isBest = opinion?.choice === action;
    row.classList.toggle("best", isBest);
    const share = value === undefined || value === null ? 0 : filled(value, most, view.unit.startsWith("points") ? now.score : 0);
    const button = row.firstChild;
    button.firstChild.style.width = `${100 * share}%`;
    const [text, difference] = button.lastChild.children;
    setText(text, value === undefined ? (isBest ? "best" : "") : scale.text(value));
    const isBehind = typeof value === "number" && scale.isMore(most, value);
    setText(difference, isBehind ? `−${scale.difference(most, value)}` : "");
    const legal = now.legal.includes(action);
    if (button.disabled === legal) button.disabled = !legal;
  });
  byId("judged").classList.toggle("solving", view.puzzle !== null && !view.puzzle.isSolved);
  drawChoice(now, opinion);
  setText(byId("verdict"), verdict(now) || reason(opinion, values, scale));
  drawChances(now);
  drawLine(now);
  drawFacts(now, opinion);
}

/** Draws the chances of the next large tiles. They stay while the player thinks. */
function drawChances(now) {
  const isHidden = now.over || !showsValues(now);
  if (!isHidden && !now.opinion) return;
  const chances = isHidden ? [] : now.opinion.chances.map(([tile, percent]) => `${tile}: ${percent}`);
  setText(byId("chances"), chances.length ? `Chance of ${chances.join(", ")}` : "");
}

/** True if the last opinion of the player has a line. */
let hasLine = false;

/** Draws the moves that a search expects, such as "left 2@4,1; up". It stays while the player thinks. */
function drawLine(now) {
  const line = now.opinion?.facts.line;
  if (now.opinion) hasLine = line !== undefined;
  byId("line").hidden = !hasLine || now.over || !showsValues(now);
  if (line === undefined) return;
  const steps = line.split("; ").map((step) => step.replace(/ (\d+)@(\d+),(\d+)$/, ", then $1 in row $2, column $3"));
  byId("line").lastElementChild.replaceChildren(...steps.map((step) => element("li", {}, capital(step))));
}

/** Draws the choice in large. */
function drawChoice(now, opinion) {
  const { actions } = view.about;
  const name = opinion?.choice === null || opinion?.choice === undefined ? null : actions[opinion.choice];
  setText(byId("who"), view.puzzle ? "Solve" : now.person ? (name === null ? "You play" : "The player would choose")
    : now.at < now.moves ? "The player would choose" : "The program plays");
  const place = byId("choice");
  place.classList.toggle("quiet", name === null);
  const known = ["up", "right", "down", "left"].includes(name);
  const asks = now.person || view.puzzle;
  setIcon(place, name === null ? (asks ? "hand" : "dot") : known ? name : "dot");
  setText(place.lastElementChild, name !== null ? capital(name) : now.over ? "Game over" : asks ? "Your move" : "Thinking");
  const frame = byId("frame");
  if (known) frame.dataset.best = name;
  else delete frame.dataset.best;
}

function drawFacts(now, opinion) {
  const facts = Object.entries(opinion?.facts ?? {}).filter(([name]) => name !== "line");
  if (opinion) facts.push(["time", `${number(1000 * opinion.seconds, rough)} ms`]);
  // One analysis alone says nothing of the speed.
  if (opinion && now.measured !== null && !now.person && !now.paused) {
    facts.push(["moves per second", number(now.measured, rough)]);
  }
  if (now.luck) facts.push(["luck so far", now.luck]);
  const list = byId("facts");
  if (list.children.length !== facts.length) {
    list.replaceChildren(...facts.map(() => element("div", {}, element("dt"), element("dd"))));
  }
  facts.forEach(([name, fact], place) => {
    const [term, text] = list.children[place].children;
    setText(term, name);
    setText(text, typeof fact === "number" ? number(fact, precise) : fact);
  });
}

/** Returns what the last move of a person, or the next recorded one, lost. */
function verdict(now) {
  if (view.puzzle) return view.puzzle.text;
  // A player that gives up has no choice.
  const name = (action) => view.about.actions[action] ?? "to stop";
  if (now.next && now.opinion && showsValues(now)) {
    const { action, loss, grade } = now.next;
    const made = `The move made here was ${name(action)}`;
    if (action === now.opinion.choice) return `${made}, as the player would.`;
    if (loss === null) return `${made}; the player would choose ${name(now.opinion.choice)}.`;
    return `${made}${told(grade)}; it was worth ${lost(loss)} ${name(now.opinion.choice)}.`;
  }
  if (now.verdict) {
    const { action, best, loss, grade } = now.verdict;
    if (action === best) return `Your move ${name(action)} was the player's choice.`;
    if (loss === null) return `The player would have chosen ${name(best)} instead of ${name(action)}.`;
    return `Your move ${name(action)}${told(grade)} was worth ${lost(loss)} ${name(best)}.`;
  }
  if (now.person && !view.hint && !now.over) return "Hint shows what the player would do.";
  return "";
}

const told = (grade) => (grade ? ` (${grade})` : "");

/** Returns a loss in words. A choice may have a lower value than another move, for example if it had more visits. */
const lost = (loss) => (view.scale.isMore(loss, 0) ? `${view.scale.text(loss)} less than` : "as much as");

/** Returns why the player makes its choice: by how much it is better than the next best move. */
function reason(opinion, values, scale) {
  const choice = opinion?.choice;
  if (choice === null || choice === undefined || typeof values.get(choice) !== "number") return "";
  const others = [...values].filter(([action, value]) => action !== choice && value !== null);
  if (!others.length) return "The only move.";
  const [action, value] = others.reduce((best, other) => (other[1] > best[1] ? other : best));
  const [own, name] = [values.get(choice), view.about.actions[action]];
  if (scale.isMore(own, value)) return `Worth ${scale.difference(own, value)} more than ${name}, the next best.`;
  return scale.isMore(value, own) ? "" : `As good as ${name}.`;
}

export function setHint(shown) {
  view.hint = shown;
  byId("hint").setAttribute("aria-pressed", shown);
}

/** Shows the values of the moves while a person plays, or hides them. */
export function toggleHint() {
  setHint(!view.hint);
  const { frame } = view;
  if (!frame) return;
  drawOpinion(frame);
  const choice = frame.opinion?.choice;
  if (view.hint && choice !== null && choice !== undefined) {
    announce(`The player would move ${view.about.actions[choice]}.`);
  }
}
