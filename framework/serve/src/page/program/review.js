// The review: all moves of a game, judged.

import { byId, comparable, element, number, setText, shape } from "./base.js";
import { drawBars } from "./charts.js";
import { order, view } from "./view.js";

/** The losses that are drawn. */
let drawn = [];
/** How losses are shown: all with the digits of the largest. */
let scale = comparable([]);

// A chart has the size at which it was drawn; the pointer would find other moves in a larger or smaller one.
new ResizeObserver(() => drawn.length && drawLosses()).observe(byId("losses"));

/** Shows the state of a review; null hides it. */
export function showReview(review) {
  const [chart, list, progress] = [byId("losses"), byId("mistakes"), byId("progress")];
  const result = review?.result;
  const hasLosses = Boolean(result) && result.summary.mean_loss !== null;
  drawn = hasLosses ? result.losses : [];
  byId("judged").hidden = !review;
  view.isReviewed = Boolean(review);
  chart.toggleAttribute("hidden", !hasLosses);
  list.replaceChildren();
  if (review?.fault) return setText(progress, `The player failed: ${review.fault}`);
  if (!review) return setText(progress, "");
  if (!result) return setText(progress, `Judging: ${number(review.done)} of ${number(review.moves)} moves`);
  const { matches, mean_loss: loss } = result.summary;
  scale = comparable(result.worst.map((judged) => judged.loss ?? 0));
  const share = number(100 * matches / review.moves);
  const moves = `${number(review.moves)} ${review.of_person ? "of your " : ""}moves`;
  setText(progress, `${number(matches)} of ${moves} (${share}%) are the player's choice`
    + (hasLosses ? `; the mean loss is ${scale.text(loss)}${unit()}.`
      : ". It gives no values of moves, so no loss is known; let a value or a search judge."));
  list.append(...result.worst.map((judged) => {
    const lost = judged.loss === null ? "" : ` −${scale.text(judged.loss)}`;
    const button = element("button", { type: "button" }, `Move ${number(judged.number)}`,
      element("span", { class: "detail" }, `: ${judged.action} instead of ${judged.best ?? "stop"}`), lost);
    button.addEventListener("click", () => order({ do: "seek", at: judged.number - 1 }));
    return element("li", {}, button);
  }));
  if (hasLosses) drawLosses();
}

/** Returns the unit of losses with a space before it; ratings have none. */
const unit = () => (view.unit.startsWith("points") ? " points" : "");

/** Draws the losses. The move under the pointer is shown with its loss, and a click goes to it. */
function drawLosses() {
  const [chart, losses] = [byId("losses"), drawn];
  const bars = losses.map((loss, place) => [place + 1, Math.max(loss ?? 0, 0)]);
  const at = drawBars(chart, bars, ["Move", unit() ? "Points lost" : "Loss"]);
  const { width, height } = chart.viewBox.baseVal;
  const [text, line] = [shape("text", { x: width - 8, y: 11, "text-anchor": "end" }), shape("path", { class: "pointed" })];
  chart.append(line, text);
  const pointed = ({ clientX }) => Math.max(1, Math.min(Math.round(at(clientX)), losses.length));
  chart.onpointermove = chart.onpointerdown = (event) => {
    const move = pointed(event);
    const x = event.clientX - chart.getBoundingClientRect().left;
    line.setAttribute("d", `M${x} 16V${height - 20}`);
    const loss = losses[move - 1];
    setText(text, `Move ${move}: ${loss === null ? "no value" : `${scale.text(Math.max(loss, 0))} lost`}`);
  };
  chart.onpointerleave = () => {
    setText(text, "");
    line.removeAttribute("d");
  };
  chart.onclick = (event) => order({ do: "seek", at: pointed(event) - 1 });
}
