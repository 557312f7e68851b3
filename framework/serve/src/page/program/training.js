// The curve of a training.

import { byId, number, setText } from "./base.js";
import { drawChart } from "./charts.js";
import { ask } from "./server.js";

export const training = {
  points: [],
  // Up to where the points are known, in the words of the server.
  next: { from: 0, file: 0 },
  timer: null,

  /** Begins with the curve that is chosen. */
  begin() {
    [this.points, this.next] = [[], { from: 0, file: 0 }];
    this.update();
  },

  /** Reads new points while the panel is open. */
  async update() {
    clearTimeout(this.timer);
    if (!byId("training").open || byId("curve").value === "") return;
    if (!document.hidden) {
      try {
        const known = new URLSearchParams(this.next);
        const { points, next, restarted } = await ask(`/api/curves/${byId("curve").value}?${known}`);
        this.points = restarted ? points : this.points.concat(points);
        this.next = next;
        this.draw();
      } catch (error) {
        setText(byId("curve-text"), error.message);
      }
    }
    this.timer = setTimeout(() => this.update(), 2000);
  },

  draw() {
    const means = this.points.filter((point) => typeof point.mean === "number");
    const evaluated = this.points.filter((point) => typeof point.evaluation?.mean === "number");
    const last = this.points.at(-1);
    if (!last) return setText(byId("curve-text"), "There are no points yet.");
    const mean = means.at(-1)?.mean;
    const [time, unit] = last.seconds < 100 ? [last.seconds, "seconds"] : [last.seconds / 60, "minutes"];
    setText(byId("curve-text"), `${number(last.moves)} moves, ${number(time)} ${unit}, mean score ${number(mean)}`);
    const marks = evaluated.map(({ moves, evaluation }) => {
      const [low, high] = evaluation.ci95 ?? [evaluation.mean, evaluation.mean];
      return [moves, evaluation.mean, low, high];
    });
    const curve = means.map((point) => [point.moves, point.mean]);
    drawChart(byId("curve-chart"), { curve, marks, names: ["Moves", "Mean score, points"] });
  },
};
