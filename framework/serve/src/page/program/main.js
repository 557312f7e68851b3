// The page of `runner serve`: begins the view with the server as its source, and its own panels.

import { attempt, byId } from "./base.js";
import { listen } from "./controls.js";
import { showForms, specs } from "./forms.js";
import { listRecords, openRecord } from "./records.js";
import { ask, deliver, open, send, server, watch } from "./server.js";
import { showFault, view } from "./view.js";

function listenToPanels() {
  // A player may take long to build; other orders do not wait for it.
  byId("replace").addEventListener("click", () => attempt(() => deliver({ do: "agent", agent: specs().agent })));
  byId("upload").addEventListener("change", listRecords);
  // The last choice counts.
  byId("number").addEventListener("change", () => { byId("any-number").value = ""; });
  const submit = (id, refusal, task) => byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(task, refusal);
  });
  submit("setup", "refusal", () => open("/api/games", specs()));
  submit("open-record", "record-refusal", openRecord);
}

/** Begins: the game of the address, if it is there, or that of the command line. */
async function begin() {
  view.send = send;
  listen();
  listenToPanels();
  try {
    server.start = await ask("/api/start");
    const { agents, game } = server.start;
    showForms();
    const wanted = Number(/^#game=(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    const games = await ask("/api/games");
    if (games.some((one) => one.id === wanted)) watch(wanted);
    else await open("/api/games", { game, agent: agents[0] });
  } catch (error) {
    showFault(error.message);
  }
}

// The page is painted before anything else is done.
requestAnimationFrame(() => setTimeout(begin));
