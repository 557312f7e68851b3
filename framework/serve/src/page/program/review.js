// The review: all moves of a game, judged, and its mistakes to be played again.

import { announce, byId, capital, comparable, element, number, setText, shape } from "./base.js";
import { drawCurve } from "./charts.js";
import { drawOpinion } from "./opinion.js";
import { order, request, view } from "./view.js";

/** The review that is drawn: the opinions of all moves. */
let drawn = null;
/** Place of the mistake that is played again. */
let place = -1;

const isBad = (grade) => grade === "mistake" || grade === "blunder";

// A chart has the size at which it was drawn; the pointer would find other moves in a larger or smaller one.
new ResizeObserver(() => drawn && drawCourse()).observe(byId("course"));

/** Shows the state of a review; null hides it. */
export function showReview(review) {
  const [list, progress] = [byId("mistakes"), byId("progress")];
  const result = review?.result;
  const hasValues = Boolean(result) && result.summary.mean_loss !== null;
  drawn = hasValues ? result : null;
  [view.puzzle, place] = [null, -1];
  byId("judged").hidden = !review;
  view.isReviewed = Boolean(review);
  byId("course").toggleAttribute("hidden", !hasValues);
  byId("solve").hidden = !result?.worst.length || !hasValues;
  setText(byId("solve"), review?.of_person ? "Play my mistakes again" : "Play the mistakes again");
  list.replaceChildren();
  if (review?.fault) return setText(progress, `The player failed: ${review.fault}`);
  if (!review) return setText(progress, "");
  if (!result) return setText(progress, `Judging: ${number(review.done)} of ${number(review.moves)} moves`);
  setText(progress, inWords(review));
  announce(inWords(review));
  const scale = comparable(result.worst.map((judged) => judged.loss ?? 0));
  list.append(...result.worst.map((judged) => {
    const lost = judged.loss === null ? "" : ` −${scale.text(judged.loss)}`;
    const button = element("button", { type: "button" }, `${capital(judged.grade ?? "move")} ${number(judged.number)}`,
      element("span", { class: "detail" }, `: ${judged.action} instead of ${judged.best ?? "stop"}`), lost);
    button.addEventListener("click", () => order({ do: "seek", at: judged.number - 1 }));
    return element("li", {}, button);
  }));
  if (hasValues) drawCourse();
}

/** Returns the sum of a review in words. */
function inWords({ moves, of_person: ofPerson, result }) {
  const { matches, accuracy, grades, mean_loss: loss } = result.summary;
  const share = (count) => `${(100 * count / moves).toFixed(1)}%`;
  if (accuracy !== null) {
    const plurals = { best: "best", good: "good", inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" };
    const counts = Object.entries(plurals).map(([grade, plural]) =>
      `${number(grades[grade] ?? 0)} ${grades[grade] === 1 ? grade : plural}`);
    return `Accuracy ${accuracy.toFixed(1)}%. ${number(moves)} ${ofPerson ? "of your " : ""}moves: `
      + counts.join(", ");
  }
  return `${share(matches)} of ${number(moves)} ${ofPerson ? "of your " : ""}moves are the player's choice`
    + (loss === null ? ". It gives no values of moves, so no loss is known; let a value or a search judge."
      : `; the mean loss is ${number(loss)}. Ratings give no grades.`);
}

/** Draws the value over the game. The move under the pointer is shown, and a click goes to it. */
function drawCourse() {
  const chart = byId("course");
  const { values, grades, losses, summary } = drawn;
  const points = values.flatMap((value, place) => (value === null ? [] : [[place + 1, value]]));
  const marks = points.filter(([move]) => isBad(grades[move - 1]));
  const at = drawCurve(chart, points, marks, ["Move", summary.accuracy === null ? "Value" : "Expected score"]);
  const { width, height } = chart.viewBox.baseVal;
  const [text, line] = [shape("text", { x: width - 8, y: 11, "text-anchor": "end" }), shape("path", { class: "pointed" })];
  chart.append(line, text);
  const pointed = ({ clientX }) => Math.max(1, Math.min(Math.round(at(clientX)), values.length));
  chart.onpointermove = chart.onpointerdown = (event) => {
    const move = pointed(event);
    const x = event.clientX - chart.getBoundingClientRect().left;
    line.setAttribute("d", `M${x} 16V${height - 20}`);
    const loss = losses[move - 1];
    const told = grades[move - 1] ? `, ${grades[move - 1]}` : "";
    setText(text, `Move ${move}: ${loss === null ? "no value" : `${number(values[move - 1])}${told}, ${number(Math.max(loss, 0))} lost`}`);
  };
  chart.onpointerleave = () => {
    setText(text, "");
    line.removeAttribute("d");
  };
  chart.onclick = (event) => order({ do: "seek", at: pointed(event) - 1 });
}

/** Shows the next mistake as a position to solve; after the last one, the review. */
async function nextMistake() {
  const mistakes = drawn.worst.filter((judged) => !drawn.summary.accuracy || isBad(judged.grade) || !isBad(drawn.worst[0].grade));
  view.puzzle = null;
  place++;
  if (place >= mistakes.length) {
    place = -1;
    setText(byId("solve"), "Play them again");
    return drawOpinion(view.frame);
  }
  const { number: move } = mistakes[place];
  view.puzzle = { text: `Mistake ${place + 1} of ${mistakes.length}: find a better move.`, isSolved: false, answer };
  setText(byId("solve"), place + 1 < mistakes.length ? "Next mistake" : "End");
  await request({ do: "seek", at: move - 1 });
  if (view.puzzle) announce(view.puzzle.text);
  drawOpinion(view.frame);
  for (const shown of ["board", "advice"]) byId(shown).scrollIntoView({ block: "nearest" });
}

/** Judges the move of a person who solves a position. */
function answer(action) {
  const { frame: { opinion }, puzzle, about } = view;
  const at = opinion?.values.findIndex(([known]) => known === action) ?? -1;
  const name = capital(about.actions[action]);
  if (!opinion) puzzle.text = "The player still thinks; try again in a moment.";
  else if (at < 0) puzzle.text = `${name} is not legal here.`;
  else {
    const [, value] = opinion.values[at];
    const best = Math.max(...opinion.values.map(([, other]) => other));
    const grade = opinion.grades[at] ?? (action === opinion.choice ? "best" : "worse");
    puzzle.isSolved = grade === "best" || grade === "good";
    const lost = value < best ? `, ${number(best - value)} less than the best move` : "";
    puzzle.text = `${name}: ${grade}${lost}. ${puzzle.isSolved ? "Solved." : "Try again."}`;
  }
  announce(puzzle.text);
  drawOpinion(view.frame);
}

byId("solve").addEventListener("click", () => nextMistake());
