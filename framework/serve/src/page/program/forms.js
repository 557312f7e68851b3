// The choice of game and player: levels, models, or the form of any spec.

import { attempt, byId, element, rough, setText } from "./base.js";
import { wordsAfter } from "./completion.js";
import { ask, server } from "./server.js";

/** What is offered for the chosen game: players by level, models, and the names of the plugins that play it. */
const offer = { game: null, levels: [], models: [], playing: null };

/** The form of one plugin and its parameters, which makes its spec. */
class SpecForm {
  /** `plugins` are offered; `permitted` are whole specs that stand before them; `none` is the text of the
   * choice of nothing, if there is one; `chosen` is the choice at first; `changed` is called after every
   * change. */
  constructor(plugins, permitted, none, chosen, changed) {
    this.changed = changed;
    this.fields = [];
    this.choice = element("select");
    if (none !== null) this.choice.append(element("option", { value: "" }, none));
    permitted.forEach((spec, place) => {
      this.choice.append(element("option", { value: `spec ${place}`, title: spec }, spec));
    });
    for (const plugin of plugins) {
      this.choice.append(element("option", { value: plugin.name, title: plugin.about }, plugin.name));
    }
    this.permitted = permitted;
    this.plugins = plugins;
    if (plugins.some((plugin) => plugin.name === chosen)) this.choice.value = chosen;
    this.place = element("div", { class: "parameters" });
    this.element = element("div", {}, this.choice, this.place);
    this.choice.addEventListener("change", () => this.build());
    this.build();
  }

  /** Builds the fields of the plugin that is chosen. */
  build() {
    const plugin = this.plugins.find((known) => known.name === this.choice.value);
    this.fields = (plugin?.parameters ?? []).map((parameter) => field(parameter, this.changed));
    this.place.replaceChildren(...this.fields.map((made) => made.element));
    this.changed();
  }

  /** Returns the spec; an empty text if nothing is chosen. */
  spec() {
    const { value } = this.choice;
    if (value.startsWith("spec ")) return this.permitted[Number(value.slice(5))];
    const set = this.fields.map((made) => [made.name, made.value()]).filter(([, text]) => text !== "");
    const fields = set.map(([name, text]) => `${name}: ${text}`).join(", ");
    return fields ? `${value}(${fields})` : value;
  }
}

/** Returns the field of a parameter: its element, and a function that returns its RON text. */
function field(parameter, changed) {
  const { name, about: text, allowed, permitted } = parameter;
  const { kind, options = [] } = parameter.field;
  const help = element("span", {}, plain(`${text}. Allowed: ${allowed}`));
  const none = plain(`default: ${parameter.default}`);
  const label = (input) => element("label", {}, name, input, help);
  const nested = { game: ["game"], value: ["value"], player: ["agent", "value"] };
  if (nested[kind]) {
    const kinds = nested[kind];
    // The value of the strongest player is the best one of this game.
    const best = kind === "value" && name === "value" ? /value: ([\w-]+)/.exec(offer.levels[0]?.agent)?.[1] : "";
    const form = new SpecForm(playing(...kinds), permitted, none, best, changed);
    return { name, element: label(form.element), value: () => form.spec() };
  }
  const listed = { flag: ["true", "false"], choice: options }[kind] ?? permitted;
  if (listed.length) {
    const select = element("select", {}, element("option", { value: "" }, none),
      ...listed.concat(kind === "choice" ? permitted : []).map((option) => element("option", { value: option }, option)));
    select.addEventListener("change", changed);
    return { name, element: label(select), value: () => select.value };
  }
  const input = element("input", { placeholder: plain(parameter.default), spellcheck: "false" });
  input.addEventListener("input", changed);
  const quoted = (typed) => (kind === "quantity" && /^[^"]/.test(typed) ? `"${typed}"` : typed);
  return { name, element: label(input), value: () => quoted(input.value.trim()) };
}

const plain = (text) => text.replaceAll("`", "");

/** Returns the plugins of these kinds that are games, or that play the chosen game. */
const playing = (...kinds) => server.start.plugins.filter((plugin) => kinds.includes(plugin.kind)
  && (plugin.kind === "game" || (offer.playing?.includes(plugin.name) ?? true)));

/** The kinds of plugins that may stand at the start of each spec. */
const KINDS = { game: ["game"], agent: ["agent", "value"] };

/** Shows the form of a spec whose text stands in a field. */
function showForm(of) {
  const text = byId(`${of}-spec`);
  let form = null;
  const changed = () => {
    if (!form) return;
    text.value = form.spec();
    complete(of);
  };
  const chosen = /^[\w-]*/.exec(text.value)[0];
  form = new SpecForm(playing(...KINDS[of]), [], null, chosen, changed);
  form.choice.setAttribute("aria-label", of);
  if (!text.value) changed();
  byId(`${of}-form`).replaceChildren(form.element);
}

/** Offers the words that may follow in the text of a spec. */
function complete(of) {
  const field = byId(`${of}-spec`);
  const { typed, words } = wordsAfter(field.value.slice(0, field.selectionStart), server.start.plugins, playing(...KINDS[of]));
  byId(`${of}-words`).replaceChildren(...words.slice(0, 12).map((word) => {
    const button = element("button", { type: "button" }, word.trim());
    button.addEventListener("click", () => {
      field.setRangeText(word, field.selectionStart - typed.length, field.selectionStart, "end");
      field.focus();
      complete(of);
    });
    return button;
  }));
}

const isOther = () => document.querySelector("[name=player]:checked")?.value === "other";

/** Returns the specs of the chosen game and player. */
export function specs() {
  const game = byId("game-choice").value || byId("game-spec").value;
  const chosen = document.querySelector("[name=player]:checked")?.value;
  const choices = [...offer.levels, ...offer.models];
  return { game, agent: isOther() ? byId("agent-spec").value : choices[chosen]?.agent ?? server.start.agents[0] };
}

/** Opens the forms of what is chosen as "Other". The plugins that play the game are asked for once. */
async function showForms() {
  const ofGame = byId("game-choice").value === "";
  byId("agent-other").hidden = !isOther();
  if (ofGame && byId("game-other").hidden) showForm("game");
  byId("game-other").hidden = !ofGame;
  if (!isOther() || offer.playing) return;
  const { game } = offer;
  const names = await ask(`/api/players?${new URLSearchParams({ game })}`);
  if (game !== offer.game) return;
  offer.playing = names;
  byId("agent-spec").value ||= offer.levels[0].agent;
  showForm("agent");
}

/** Returns the parts of a spec, whose order says nothing, in an order of their own. */
const parts = (spec) => (spec.match(/[^(),]+/g) ?? []).map((part) => part.trim()).sort().join();

/** The last offer, which may be under way. */
let offering = Promise.resolve();
export const offered = () => offering;

/** Shows the players of a game, and chooses one of them: by default of the level that was chosen. */
function offerPlayers(game, agent) {
  offering = offering.catch(() => {}).then(() => showOffer(game, agent));
  return offering;
}

async function showOffer(game, agent) {
  const { levels, models } = await ask(`/api/offer?${new URLSearchParams({ game })}`);
  Object.assign(offer, { game, levels, models, playing: null });
  const choices = [...levels, ...models];
  const before = Number(document.querySelector("[name=player]:checked")?.value);
  const place = agent === undefined ? (before < levels.length ? before : 0) : choices.findIndex((choice) => parts(choice.agent) === parts(agent));
  if (place < 0) byId("agent-spec").value = agent;
  const radio = (value, name, detail, title) => {
    const input = element("input", { type: "radio", name: "player", value });
    input.checked = value === (place < 0 ? "other" : place);
    return element("label", { class: "choice", title }, input, element("span", {}, name), element("span", { class: "detail" }, detail));
  };
  const about = ({ mean }) => (mean === null ? "" : `about ${rough.format(Number(mean.toPrecision(2)))} points`);
  const shown = choices.map((choice, at) => radio(at, choice.name, about(choice), choice.agent));
  const heading = (text) => element("p", { class: "faint" }, text);
  byId("agent-choice").replaceChildren(
    ...shown.slice(0, levels.length),
    ...levels.some((level) => level.mean !== null) ? [heading("Mean scores of 40 games or more.")] : [],
    ...models.length ? [heading("My models"), ...shown.slice(levels.length)] : [],
    radio("other", "Other", "any player, as text", ""));
  await showForms();
}

/** Shows what is played: the spec, and the choice of a game that this page has not opened. */
export async function showPlaying({ game, agent }) {
  setText(byId("playing"), agent ?? "");
  if (server.game.spec !== null) return;
  byId("game-choice").value = game;
  if (!byId("game-choice").value) [byId("game-choice").value, byId("game-spec").value] = ["", game];
  await offerPlayers(game, agent);
  if (server.game.id !== null) [server.game.spec, server.game.agent] = [game, specs().agent];
}

/** Fills the choice of games and players, those of the command line first. `changed` is called with a player
 * that is chosen for the game that is shown. */
export async function beginForms(changed) {
  const { plugins, game, agents } = server.start;
  const games = plugins.filter((plugin) => plugin.kind === "game");
  const names = [...new Set([game, ...games.map((plugin) => plugin.name)])];
  byId("game-choice").append(...names.map((name) => element("option", { value: name }, name)),
    element("option", { value: "" }, "Other"));
  byId("game-choice").addEventListener("change", () => attempt(async () => {
    await showForms();
    if (byId("game-choice").value) await offerPlayers(byId("game-choice").value);
  }));
  byId("game-spec").addEventListener("change", () => attempt(() => offerPlayers(specs().game)));
  byId("agent-choice").addEventListener("change", () => attempt(async () => {
    await showForms();
    if (!isOther() && specs().game === server.game.spec) await changed();
  }));
  for (const of of ["game", "agent"]) {
    for (const event of ["input", "click", "keyup"]) byId(`${of}-spec`).addEventListener(event, () => complete(of));
  }
  await offerPlayers(game, agents[0]);
}
