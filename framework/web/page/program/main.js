// The static page: begins the view with a worker as its source, and its own panel.

import { byId, number, setText } from "./base.js";
import { listen } from "./controls.js";
import { ask, startWorker } from "./engine.js";
import { drawTitle } from "./frame.js";
import { session } from "./session.js";
import { showFault, showLoading, view } from "./view.js";

/** Folder of the engine and the models. */
const FOLDER = new URL("../", import.meta.url).href;

const STRENGTHS = [
  [{ plies: 1 }, "1 ply, no search"],
  [{ plies: 2 }, "2 plies"],
  [{ plies: 3 }, "3 plies"],
  [{ plies: 4 }, "4 plies"],
  [{ time: 500 }, "about 0.5 s per move"],
  [{ time: 2000 }, "about 2 s per move"],
];

/** Games whose network was loaded, and what went wrong with that of others. */
const networks = new Map();
let speedNote = "";

const strength = () => STRENGTHS[Number(byId("strength").value)];

function player() {
  const value = networks.get(session.game) === undefined ? "trained network" : "heuristic";
  return `expectimax (${strength()[1]}, ${value})`;
}

/** Loads the network of a game once; without it, a heuristic plays. */
async function load(game) {
  if (networks.has(game)) return;
  const report = (done, total) => {
    if (session.game !== game) return;
    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
    // All bytes are there before the network is.
    if (done === total) {
      showLoading("Reading the trained network");
      return;
    }
    const of = total ? ` of ${megabytes(total)}` : "";
    showLoading(`Loading the trained network: ${megabytes(done)}${of} MB`, total ? done / total : undefined);
  };
  try {
    const { bytes } = await ask({ do: "load", folder: FOLDER, game }, report);
    networks.set(game, undefined);
    setText(byId("engine"), `The network takes ${number(bytes / 2 ** 20)} MiB of memory. ${speedNote}`);
  } catch (error) {
    networks.set(game, error.message);
  }
}

async function open(game) {
  session.turn++;
  session.game = game;
  showLoading("Loading the trained network");
  for (const button of document.querySelectorAll("[data-game]")) {
    button.setAttribute("aria-pressed", button.dataset.game === game);
  }
  await load(game);
  const about = await ask({ do: "about", game });
  // Another game may have been chosen meanwhile.
  if (session.game !== game) return;
  const fault = networks.get(game);
  session.notice = fault === undefined ? ""
    : `The trained network cannot be used: ${fault}. A heuristic plays instead, which is much weaker.`;
  await session.open(about, player());
}

function changeStrength() {
  const [search, text] = strength();
  setText(byId("strength-text"), text);
  if (view.about) {
    view.about.agent = player();
    drawTitle(session.person);
  }
  try {
    localStorage.setItem("strength", byId("strength").value);
  } catch {
    // The choice lasts as long as the page.
  }
  session.strength = search;
  if (view.loading === null) session.changed();
}

function restoreStrength() {
  try {
    byId("strength").value = localStorage.getItem("strength") ?? byId("strength").value;
  } catch {
    // Storage may be denied.
  }
  session.strength = strength()[0];
  setText(byId("strength-text"), strength()[1]);
}

async function begin() {
  view.send = (wish) => session.obey(wish);
  listen(["save", "cancel"]);
  restoreStrength();
  const attempt = (task) => task().catch((error) => showFault(`The page cannot play: ${error.message}`));
  byId("strength").addEventListener("input", changeStrength);
  for (const button of document.querySelectorAll("[data-game]")) {
    button.addEventListener("click", () => attempt(() => open(button.dataset.game)));
  }
  await attempt(async () => {
    startWorker();
    showLoading("Loading the program");
    const { simd } = await ask({ do: "engine", folder: FOLDER });
    speedNote = simd ? "" : "This browser has no SIMD instructions: the search is slower.";
    setText(byId("engine"), speedNote);
    await open("2048");
  });
}

begin();
