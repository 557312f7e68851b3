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
  return !now.person || view.hint || view.isReviewed;
}

/** Returns the share of a bar that a value fills. A gap that is small beside the values looks small: a bar that is
 * nearly empty is worth a tenth less, or is the least of values that differ by more. */
export function filled(value, least, most) {
  const range = Math.max(most - least, Math.abs(most) / 10);
  return range > 0 ? 0.08 + 0.92 * (1 - (most - value) / range) : 1;
}

/** Draws the player's opinion of the position. */
export function drawOpinion(now) {
  const opinion = showsValues(now) ? now.opinion : null;
  const values = new Map(opinion?.values ?? []);
  const finite = [...values.values()].filter((value) => value !== null);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  // Hidden values set the digits of sentences too.
  const known = (now.opinion?.values ?? []).map(([, value]) => value).filter((value) => value !== null);
  if (known.length) view.scale = comparable(known);
  const { scale } = view;
  [...byId("values").children].forEach((row, action) => {
    const value = values.get(action);
    const isBest = opinion?.choice === action;
    row.classList.toggle("best", isBest);
    const share = value === undefined || value === null ? 0 : filled(value, least, most);
    const button = row.firstChild;
    button.firstChild.style.width = `${100 * share}%`;
    const [text, difference] = button.lastChild.children;
    setText(text, value === undefined ? (isBest ? "best" : "") : scale.text(value));
    const isBehind = typeof value === "number" && scale.isMore(most, value);
    setText(difference, isBehind ? `−${scale.difference(most, value)}` : "");
    const legal = now.legal.includes(action);
    if (button.disabled === legal) button.disabled = !legal;
  });
  drawChoice(now, opinion);
  setText(byId("verdict"), verdict(now) || reason(opinion, values, scale));
  drawFacts(now, opinion);
}

/** Draws the choice in large. */
function drawChoice(now, opinion) {
  const { actions } = view.about;
  const name = opinion?.choice === null || opinion?.choice === undefined ? null : actions[opinion.choice];
  setText(byId("who"), now.person ? "You play" : now.at < now.moves ? "A move of this game" : "The program plays");
  const place = byId("choice");
  place.classList.toggle("quiet", name === null);
  const known = ["up", "right", "down", "left"].includes(name);
  setIcon(place, name === null ? (now.person ? "hand" : "dot") : known ? name : "dot");
  setText(place.lastElementChild, name !== null ? capital(name) : now.over ? "Game over" : now.person ? "Your move" : "Thinking");
  const frame = byId("frame");
  if (known) frame.dataset.best = name;
  else delete frame.dataset.best;
}

function drawFacts(now, opinion) {
  view.unit = opinion?.facts.unit ?? view.unit;
  const facts = Object.entries(opinion?.facts ?? {});
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
  // A player that gives up has no choice.
  const name = (action) => view.about.actions[action] ?? "to stop";
  if (now.next && now.opinion && showsValues(now)) {
    const { action, loss } = now.next;
    const made = `The move made here was ${name(action)}`;
    if (action === now.opinion.choice) return `${made}, as the player would.`;
    if (loss === null) return `${made}; the player would choose ${name(now.opinion.choice)}.`;
    return `${made}; it was worth ${lost(loss)} ${name(now.opinion.choice)}.`;
  }
  if (now.verdict) {
    const { action, best, loss } = now.verdict;
    if (action === best) return `Your move ${name(action)} was the player's choice.`;
    if (loss === null) return `The player would have chosen ${name(best)} instead of ${name(action)}.`;
    return `Your move ${name(action)} was worth ${lost(loss)} ${name(best)}.`;
  }
  if (now.person && !view.hint && !now.over) return "Hint shows what the player would do.";
  return "";
}

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
