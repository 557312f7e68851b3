// The frame.

/** Draws the last frame that has arrived. */
function draw() {
  const [now, before] = [waiting, frame];
  waiting = null;
  if (!now || !about) return;
  board.show(now, before);
  if (!before || JSON.stringify(now.fields) !== JSON.stringify(before.fields)) showFields(now);
  frame = now;
  setText(byId("score"), number(now.score));
  setText(byId("move"), now.at < now.moves ? `${number(now.at)} of ${number(now.moves)}` : number(now.at));
  setText(byId("tile"), number(now.max_tile));
  setText(byId("measured"), number(now.measured, rough));
  setText(byId("position"), now.text);
  setText(byId("message"), now.message);
  setText(byId("pause"), now.paused ? "Continue" : "Pause");
  setText(byId("mover"), now.person ? "Hand back" : "Take over");
  byId("hint").disabled = !now.person;
  const speed = byId("speed");
  if (document.activeElement !== speed) speed.value = now.speed;
  const place = byId("place");
  if (place.max !== String(now.moves)) place.max = now.moves;
  if (document.activeElement !== place || now.paused === false) place.value = now.at;
  [...byId("actions").children].forEach((button, action) => {
    const legal = now.legal.includes(action);
    if (button.disabled === legal) button.disabled = !legal;
  });
  drawOpinion(now);
  cells.show(now);
  describe(now, before);
}

/** Returns true if the values of the moves are shown. */
function showsValues(now) {
  return !now.person || hint || now.at < now.moves;
}

/** Draws the player's opinion of the position. */
function drawOpinion(now) {
  const opinion = showsValues(now) ? now.opinion : null;
  const values = new Map(opinion?.values ?? []);
  const finite = [...values.values()].filter((value) => value !== null);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  [...byId("values").children].forEach((row, action) => {
    const value = values.get(action);
    const isBest = opinion?.choice === action;
    row.classList.toggle("best", isBest);
    const share = value === undefined || value === null ? 0
      : most > least ? 0.1 + 0.9 * (value - least) / (most - least) : 1;
    row.children[1].firstChild.style.width = `${100 * share}%`;
    setText(row.children[2], value === undefined ? (isBest ? "best" : "") : number(value, precise));
  });
  setText(byId("verdict"), verdict(now));
  const facts = Object.entries(opinion?.facts ?? {});
  if (opinion) facts.push(["time", `${number(1000 * opinion.seconds, rough)} ms`]);
  const list = byId("facts");
  if (list.children.length !== 2 * facts.length) {
    list.replaceChildren(...facts.flatMap(() => [element("dt"), element("dd")]));
  }
  facts.forEach(([name, fact], place) => {
    setText(list.children[2 * place], name);
    setText(list.children[2 * place + 1], typeof fact === "number" ? number(fact, precise) : fact);
  });
}

/** Returns what the last move of a person, or the next recorded one, lost. */
function verdict(now) {
  const name = (action) => about.actions[action];
  if (now.next && now.opinion) {
    const { action, loss } = now.next;
    const made = `The move made here was ${name(action)}`;
    if (action === now.opinion.choice) return `${made}, as the player would.`;
    if (loss === null) return `${made}; the player would choose ${name(now.opinion.choice)}.`;
    return `${made}; it was worth ${number(loss, precise)} less than ${name(now.opinion.choice)}.`;
  }
  if (now.verdict) {
    const { action, best, loss } = now.verdict;
    if (action === best) return `Your move ${name(action)} was the player's choice.`;
    if (loss === null) return `The player would have chosen ${name(best)} instead of ${name(action)}.`;
    return `Your move ${name(action)} was worth ${number(loss, precise)} less than ${name(best)}.`;
  }
  if (now.person && !hint) return "Press h, or Hint, for the player's values of the moves.";
  return now.opinion ? "" : now.over ? "" : "The player thinks.";
}

/** When the board was last described to screen readers, in milliseconds. */
let described = 0;

/** Describes the board to screen readers: each move of a person, others every five seconds. */
function describe(now, before) {
  const slow = now.person || now.paused || now.over;
  const time = performance.now();
  if (before && before.at === now.at && before.text === now.text && before.over === now.over) return;
  if (!slow && time - described < 5000) return;
  described = time;
  byId("board").setAttribute("aria-label", `Board. ${inWords(now)}`);
  const over = now.over ? "Game over. " : "";
  announce(`${over}Score ${number(now.score)}. ${slow ? inWords(now) : `Max tile ${now.max_tile}`}`);
}

/** Returns the position row by row in words. */
function inWords(now) {
  if (!about.board) return now.text;
  const { rows, cols, values } = about.board;
  const row = (r) => now.cells.slice(r * cols, (r + 1) * cols)
    .map((rank) => (rank ? values[rank] : "empty")).join(" ");
  const fields = now.fields.map(([name, text]) => `${name}: ${text}.`);
  return [...[...Array(rows).keys()].map((r) => `Row ${r + 1}: ${row(r)}.`), ...fields].join(" ");
}

function setHint(shown) {
  hint = shown;
  byId("hint").setAttribute("aria-pressed", hint);
}

/** Shows the values of the moves while a person plays, or hides them. */
function toggleHint() {
  setHint(!hint);
  if (!frame) return;
  drawOpinion(frame);
  const choice = frame.opinion?.choice;
  if (hint && choice !== null && choice !== undefined) announce(`The player would move ${about.actions[choice]}.`);
}

// The review.

/** Shows the state of a review; null hides it. */
function showReview(review) {
  const [chart, list, progress] = [byId("losses"), byId("mistakes"), byId("progress")];
  const result = review?.result;
  const hasLosses = Boolean(result) && result.summary.mean_loss !== null;
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
