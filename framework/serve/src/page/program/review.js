// The review: all moves of a game, judged.

import { byId, element, number, precise, setText } from "./base.js";
import { drawChart } from "./charts.js";
import { order } from "./view.js";

/** Shows the state of a review; null hides it. */
export function showReview(review) {
  const [chart, list, progress] = [byId("losses"), byId("mistakes"), byId("progress")];
  const result = review?.result;
  const hasLosses = Boolean(result) && result.summary.mean_loss !== null;
  byId("judged").hidden = !review;
  chart.toggleAttribute("hidden", !hasLosses);
  list.replaceChildren();
  if (review?.fault) return setText(progress, `The player failed: ${review.fault}`);
  if (!review) return setText(progress, "");
  if (!result) return setText(progress, `${number(review.done)} of ${number(review.moves)} moves`);
  const { matches, mean_loss: loss } = result.summary;
  const share = number(100 * matches / review.moves);
  setText(progress, `${number(matches)} of ${number(review.moves)} moves (${share}%) are the player's choice`
    + (hasLosses ? `; the mean loss is ${number(loss, precise)}.`
      : ". It gives no values of moves, so no loss is known; let a value or a search judge."));
  if (hasLosses) drawChart(chart, [], [], result.losses.map((value, place) => [place + 1, Math.max(value ?? 0, 0)]));
  list.append(...result.worst.map((judged) => {
    const lost = judged.loss === null ? "" : `, lost ${number(judged.loss, precise)}`;
    const text = `Move ${number(judged.number)}: ${judged.action} instead of ${judged.best ?? "stop"}${lost}`;
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => order({ do: "seek", at: judged.number - 1 }));
    return element("li", {}, button);
  }));
}
