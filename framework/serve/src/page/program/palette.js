// The colours of tiles. Those of 2048 and Threes are the ones that players know; texts are dark where
// white ones would be hard to read.

/** Background and text by rank, from 2 on: those of 2048, then dark ones that tell tiles apart. */
export const DOUBLING = [
  ["#eee4da", "#4a4038"], ["#ede0c8", "#4a4038"], ["#f2b179", "#3b2a1a"], ["#f59563", "#331f10"],
  ["#f67c5f", "#2b150c"], ["#f65e3b", "#1f0d06"], ["#edcf72", "#3f3412"], ["#edcc61", "#3f3412"],
  ["#edc850", "#3a2f0e"], ["#edc53f", "#3a2f0e"], ["#edc22e", "#3a2f0e"], ["#3c3a32", "#f9f6f2"],
  ["#24503d", "#f3faf6"], ["#1f4a6b", "#f2f8fc"], ["#4d3778", "#f6f3fc"], ["#74274f", "#fdf2f7"],
  ["#151412", "#ffd75e"],
];

/** Background and text of 1, 2, other tiles, and the largest tile of the board in Threes. */
export const THREES = [
  ["#66ccff", "#0b2f42"], ["#ff6680", "#3d0611"], ["#fefefe", "#2d3436"], ["#fefefe", "#c2183f"],
];

/** Background and text of a stone. */
const STONE = ["#57524c", "#f4f1ec"];

/** Returns true if cells of a rank hold a stone, which has no value and is not empty. */
export const isStone = (rank, values) => rank > 0 && values[rank] === 0;

/** Returns the skin of a board whose ranks have these values. */
export function skin(values) {
  return values && values[1] === 1 && values[2] === 2 && values[4] === 2 * values[3] && values[3] === 3
    ? "threes" : "doubling";
}

/** Returns background and text of the tile of a rank. `about` is the constant part of the game, and
 * `most` the highest rank of the board. */
export function colours(rank, about, most) {
  const { values } = about.board;
  if (isStone(rank, values)) return STONE;
  if (skin(values) === "threes") {
    if (rank <= 2) return THREES[Math.max(rank, 1) - 1];
    return THREES[rank === most && rank > 3 ? 3 : 2];
  }
  // The goal is the gold tile, the eleventh colour, as 2048 is.
  const tiles = (last) => values.slice(0, last + 1).filter((value) => value !== 0).length;
  const goal = about.goal ? tiles(values.indexOf(about.goal)) : 11;
  const place = goal > 0 ? Math.round(tiles(rank) * 11 / goal) : tiles(rank);
  return DOUBLING[Math.min(Math.max(place, 1), DOUBLING.length) - 1];
}
