// The stream of a game.

/** Watches a game from now on. */
function watch(id) {
  game.source?.close();
  [about, frame, waiting] = [null, null, null];
  const source = new EventSource(`/api/games/${id}/events`);
  game = { id, source };
  location.hash = `game=${id}`;
  byId("save").href = `/api/games/${id}/record`;
  showReview(null);
  source.addEventListener("about", (event) => showAbout(JSON.parse(event.data)));
  source.addEventListener("frame", (event) => {
    if (waiting === null) requestAnimationFrame(draw);
    waiting = JSON.parse(event.data);
  });
  source.addEventListener("review", (event) => showReview(JSON.parse(event.data)));
  source.addEventListener("ended", (event) => {
    source.close();
    setText(byId("message"), `The game has ended: ${event.data}`);
  });
  source.addEventListener("error", () => {
    const gone = source.readyState === EventSource.CLOSED;
    const text = gone
      ? "This game is over. Begin another one."
      : "The connection is lost; trying again.";
    setText(byId("message"), text);
  });
}

/** Opens a game and watches it. */
async function open(path, body, kind) {
  const opened = await ask(path, body, kind);
  setHint(false);
  watch(opened.id);
}

/** Shows what stays of a game. */
function showAbout(now) {
  about = now;
  frame = null;
  setText(byId("title"), about.recorded === null
    ? `${about.agent} plays ${about.game}`
    : `${about.game} by ${about.recorded}, judged by ${about.agent}`);
  document.title = `${about.game} – runner`;
  const speeds = about.speeds.map((speed, place) =>
    element("option", { value: place }, speed === null ? "full" : number(speed)));
  byId("speed").replaceChildren(...speeds);
  const actions = about.actions.map((name, action) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", () => order({ do: "act", action }));
    return button;
  });
  byId("actions").replaceChildren(...actions);
  const rows = about.actions.map((name) => element("tr", {},
    element("th", { scope: "row" }, name),
    element("td", {}, element("div", { class: "bar", "aria-hidden": "true" })),
    element("td", {})));
  byId("values").replaceChildren(...rows);
  board.begin();
  cells.begin();
}
