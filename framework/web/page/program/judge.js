// Judging the moves of a game.

import { view } from "./view.js";
import { showReview } from "./review.js";

/** Number of the worst moves that are listed. */
const WORST = 10;

/** Returns how much less an action is worth than the choice; null if it has no value. */
export function loss({ choice, values }, action) {
  const value = new Map(values);
  const [best, own] = [value.get(choice), value.get(action)];
  return typeof best === "number" && typeof own === "number" ? best - own : null;
}

/** Judges the moves of a line one by one, those of a person only if there are some, and shows the progress and
 * the result. `think` returns the opinion of a position, and `lasts` is false once the review is no longer
 * wanted. */
export async function judge(line, think, lasts) {
  const made = line.slice(1);
  const of_person = made.some(({ person }) => person);
  const isJudged = ({ person }) => person || !of_person;
  const [moves, losses, judged] = [made.filter(isJudged).length, made.map(() => null), []];
  const names = view.about.actions;
  let [matches, shown] = [0, 0];
  for (let number = 1; number < line.length; number++) {
    if (!isJudged(line[number])) continue;
    const opinion = await think(line[number - 1].position.bits);
    if (!lasts()) return;
    const { action } = line[number];
    matches += action === opinion.choice;
    losses[number - 1] = loss(opinion, action);
    judged.push({ number, action: names[action], best: names[opinion.choice], loss: losses[number - 1] });
    if (performance.now() - shown > 100) {
      showReview({ done: judged.length, moves, result: null });
      shown = performance.now();
    }
  }
  const worst = judged.filter((one) => one.loss > 0).sort((one, other) => other.loss - one.loss).slice(0, WORST);
  const mean_loss = losses.reduce((sum, value) => sum + Math.max(value ?? 0, 0), 0) / moves;
  showReview({ done: moves, moves, of_person, result: { losses, worst, summary: { matches, mean_loss } } });
}
