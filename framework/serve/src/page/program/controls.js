// Keys, swipes and buttons.

const KEYS = [
  [[" "], "pause", "space", "pause or continue"],
  [["n", "."], "forward", "n", "one move forward"],
  [["b", ","], "back", "b", "one move back"],
  [["Home"], "first", "Home", "first position"],
  [["End"], "last", "End", "last position"],
  [["+", "="], "faster", "+", "faster"],
  [["-"], "slower", "-", "slower"],
  [["t"], "take-over", "t", "take over, or hand back"],
  [["f"], "next-tile", "f", "first position with the goal tile, then with larger ones"],
  [["w"], "worst", "w", "worst of the last 100 moves"],
  [["r"], "new", "r", "new game"],
  [["Escape"], "cancel", "Esc", "stay at the end of the game"],
];

function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !about) return;
  if (target.closest("input, select, textarea")) return;
  if (target.closest("button, summary, a") && (key === " " || key === "Enter")) return;
  const known = KEYS.find(([keys]) => keys.includes(key));
  const arrow = /^Arrow(Up|Down|Left|Right)$/.exec(key)?.[1].toLowerCase();
  if (known) order({ do: known[1] });
  else if (arrow) move(arrow);
  else if (/^[1-9]$/.test(key)) order({ do: "act", action: Number(key) - 1 });
  else if (key === "h") toggleHint();
  else if (key === "s") byId("save").click();
  else return;
  event.preventDefault();
}

/** Moves in a direction. */
function move(direction) {
  const action = about.actions.findIndex((name) => name.toLowerCase() === direction);
  if (action >= 0) order({ do: "act", action });
}

/** Where a swipe began. */
let swipe = null;

function swiped(event) {
  if (!swipe || !about) return;
  const [dx, dy] = [event.clientX - swipe.x, event.clientY - swipe.y];
  swipe = null;
  if (Math.max(Math.abs(dx), Math.abs(dy)) < 24) return;
  if (Math.abs(dx) > Math.abs(dy)) move(dx > 0 ? "right" : "left");
  else move(dy > 0 ? "down" : "up");
}

/** Goes to the next scheme of colours. */
function changeTheme() {
  const schemes = ["system", "light", "dark"];
  const now = document.documentElement.dataset.theme ?? "system";
  setTheme(schemes[(schemes.indexOf(now) + 1) % schemes.length]);
}

function setTheme(scheme) {
  if (scheme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = scheme;
  setText(byId("theme"), `Colours: ${scheme}`);
  byId("theme").setAttribute("aria-label", `Colours: ${scheme === "system" ? "those of the system" : scheme}`);
  try {
    localStorage.setItem("colours", scheme);
  } catch {
    // The choice lasts as long as the page.
  }
}

/** Makes the script for another page. */
async function makeScript() {
  byId("script").value = "";
  byId("bookmarklet").hidden = true;
  const { script } = await ask("/api/remotes", specs());
  byId("script").value = script;
  byId("bookmarklet").href = `javascript:${encodeURIComponent(script)}`;
  byId("bookmarklet").hidden = false;
}

function listen() {
  document.addEventListener("keydown", pressed);
  byId("controls").addEventListener("click", (event) => {
    const wish = event.target.dataset.do;
    if (wish) order({ do: wish });
  });
  byId("hint").addEventListener("click", toggleHint);
  byId("speed").addEventListener("change", () => order({ do: "speed", place: Number(byId("speed").value) }));
  byId("place").addEventListener("input", () => order({ do: "seek", at: Number(byId("place").value) }));
  byId("board").addEventListener("pointerdown", (event) => { swipe = { x: event.clientX, y: event.clientY }; });
  document.addEventListener("pointerup", swiped);
  byId("theme").addEventListener("click", changeTheme);
  byId("review").addEventListener("click", () => order({ do: "review" }));
  byId("replace").addEventListener("click", () => attempt(() => ask(`/api/games/${game.id}`, { do: "agent", agent: specs().agent })));
  byId("remote").addEventListener("click", () => attempt(makeScript, "remote-refusal"));
  byId("file").addEventListener("change", () => {
    byId("upload").value = "";
    listRecords();
  });
  byId("upload").addEventListener("change", listRecords);
  byId("remove-upload").addEventListener("click", () => {
    byId("upload").value = "";
    byId("file").focus();
    listRecords();
  });
  // The last choice counts.
  byId("number").addEventListener("change", () => { byId("any-number").value = ""; });
  byId("training").addEventListener("toggle", () => training.update());
  byId("recorded").addEventListener("toggle", listRecords);
  byId("edit").addEventListener("toggle", () => frame && cells.show(frame));
  byId("curve").addEventListener("change", () => training.begin());
  const submit = (id, refusal, task) => byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(task, refusal);
  });
  submit("setup", "refusal", () => open("/api/games", specs()));
  submit("paste", "paste-refusal", () => ask(`/api/games/${game.id}`, { do: "position", text: byId("text").value }));
  submit("open-record", "record-refusal", openRecord);
}

/** Begins: the game of the address, if it is there, or that of the command line. */
async function begin() {
  listen();
  try {
    setTheme(localStorage.getItem("colours") ?? "system");
  } catch {
    setTheme("system");
  }
  byId("keys").append(...KEYS.concat([
    [[], "", "arrows, 1 to 9", "move; you take over if the player moves"],
    [[], "", "h", "hint: the player's values of the moves"],
    [[], "", "s", "save the game as a record"],
  ]).flatMap(([, , key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
  await attempt(async () => {
    start = await ask("/api/start");
    showForms();
    byId("folder").hidden = !start.records.length;
    byId("file").append(...start.records.map((name) => element("option", { value: name }, name)));
    byId("curve").append(...start.curves.map((name, place) => element("option", { value: place }, name)));
    byId("training").hidden = !start.curves.length;
    const wanted = Number(/^#game=(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    const games = await ask("/api/games");
    if (games.some((open) => open.id === wanted)) watch(wanted);
    else await open("/api/games", { game: start.game, agent: start.agents[0] });
  });
}

// The page is painted before anything else is done.
requestAnimationFrame(() => setTimeout(begin));
