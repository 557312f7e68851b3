// The page of `runner serve`: begins the view with the server as its source, and its own panels.

import { attempt, byId, setText } from "./base.js";
import { listen, showPanel } from "./controls.js";
import { beginForms, offered, showPlaying, specs } from "./forms.js";
import { listRecords, openRecord } from "./records.js";
import { ask, deliver, open, send, server, watch } from "./server.js";
import { order, showFault, view } from "./view.js";

function listenToPanels() {
  byId("replace").addEventListener("click", () => attempt(async () => replace()));
  byId("upload").addEventListener("change", listRecords);
  // The last choice counts.
  byId("number").addEventListener("change", () => { byId("any-number").value = ""; });
  const submit = (id, refusal, task) => byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(task, refusal);
  });
  submit("setup", "refusal", beginGame);
  submit("open-record", "record-refusal", openRecord);
}

/** The player that is being built: a later one waits for it. */
let replaced = Promise.resolve();

/** Gives the present game the chosen player. A player may take long to build; other orders do not wait for it. */
function replace() {
  const { game, agent } = specs();
  if (game !== server.game.spec) throw new Error("New game begins the game that is chosen above, with this player.");
  const sent = replaced.then(() => deliver({ do: "agent", agent }));
  replaced = sent.then(() => { server.game.agent = agent; }, () => {});
  return sent;
}

/** Begins a game of what the panel says: the only way to begin one. */
async function beginGame() {
  await Promise.all([replaced, offered()]);
  const wanted = specs();
  const { spec, agent } = server.game;
  if (wanted.game === spec && wanted.agent === agent) await order({ do: "new" });
  else await open("/api/games", wanted);
}

/** Opens the game and the position of the address, if there is one; without them, or if they are refused,
 * the game of the command line. */
async function openAddress(game, text) {
  try {
    if (game !== null && game !== specs().game) await showPlaying({ game });
    await open("/api/games", specs());
    if (text !== null) await deliver({ do: "position", text });
  } catch (error) {
    if (server.game.id === null) {
      await showPlaying({ game: server.start.game, agent: server.start.agents[0] });
      await open("/api/games", specs());
    }
    showPanel(true);
    setText(byId("refusal"), `The address: ${error.message}`);
  }
}

/** Begins: the game of the address, if it is there, or that of the command line. */
async function begin() {
  [view.send, view.begin] = [send, async () => {
    await attempt(beginGame);
    if (byId("refusal").textContent) showPanel(true);
  }];
  server.about = showPlaying;
  listen();
  listenToPanels();
  try {
    server.start = await ask("/api/start");
    await beginForms(replace);
    const address = new URLSearchParams(location.hash.slice(1));
    const games = await ask("/api/games");
    const known = games.find((one) => String(one.id) === address.get("game"));
    if (known) watch(known.id);
    else await openAddress(address.get("of"), address.get("at"));
  } catch (error) {
    showFault(error.message);
  }
}

// The page is painted before anything else is done.
requestAnimationFrame(() => setTimeout(begin));
