// The forms of specs.

import { byId, element } from "./base.js";
import { server } from "./server.js";

/** The form of one plugin and its parameters, which makes its spec. */
class SpecForm {
  /** `plugins` are offered; `offered` are whole specs that stand before them; `none` is the text
   * of the choice of nothing, if there is one; `changed` is called after every change. */
  constructor(plugins, offered, none, changed) {
    this.changed = changed;
    this.fields = [];
    this.choice = element("select");
    if (none !== null) this.choice.append(element("option", { value: "" }, none));
    offered.forEach((spec, place) => {
      // The whole spec of the first choice stands in the field below.
      const text = none === null ? `as started: ${spec.replace(/[^\w-].*/s, "")}` : spec;
      this.choice.append(element("option", { value: `spec ${place}`, title: spec }, text));
    });
    // A learner needs a model, and the command line names those that can be used.
    const usable = plugins.filter((plugin) => !plugin.learner
      || plugin.parameters.some((parameter) => parameter.permitted.length));
    for (const plugin of usable) {
      this.choice.append(element("option", { value: plugin.name, title: plugin.about }, plugin.name));
    }
    this.offered = offered;
    this.plugins = plugins;
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
    if (value.startsWith("spec ")) return this.offered[Number(value.slice(5))];
    const set = this.fields.map((made) => [made.name, made.value()]).filter(([, text]) => text !== "");
    const fields = set.map(([name, text]) => `${name}: ${text}`).join(", ");
    return fields ? `${value}(${fields})` : value;
  }
}

/** Returns the field of a parameter: its element, and a function that returns its RON text. */
function field(parameter, changed) {
  const { name, about: text, allowed, permitted } = parameter;
  const { kind, options = [] } = parameter.field;
  const help = element("span", {}, `${text}. Allowed: ${allowed}`);
  const label = (input) => element("label", {}, name, input, help);
  const nested = { game: ["game"], value: ["value"], player: ["agent", "value"] };
  if (nested[kind]) {
    const kinds = nested[kind];
    const plugins = server.start.plugins.filter((plugin) => kinds.includes(plugin.kind));
    const form = new SpecForm(plugins, permitted, `default: ${parameter.default}`, changed);
    return { name, element: label(form.element), value: () => form.spec() };
  }
  const listed = { flag: ["true", "false"], choice: options }[kind] ?? permitted;
  if (listed.length) {
    const select = element("select", {}, element("option", { value: "" }, `default: ${parameter.default}`),
      ...listed.concat(kind === "choice" ? permitted : []).map((option) => element("option", { value: option }, option)));
    select.addEventListener("change", changed);
    return { name, element: label(select), value: () => select.value };
  }
  const input = element("input", { placeholder: parameter.default, spellcheck: "false" });
  input.addEventListener("input", changed);
  const quoted = (typed) => (kind === "quantity" && /^[^"]/.test(typed) ? `"${typed}"` : typed);
  return { name, element: label(input), value: () => quoted(input.value.trim()) };
}

/** Shows the forms of game and player. */
export function showForms() {
  const forms = {};
  const fill = (id, make) => {
    const changed = () => {
      if (forms[id]) byId(`${id}-spec`).value = forms[id].spec();
    };
    forms[id] = make(changed);
    byId(`${id}-form`).replaceChildren(forms[id].element);
    changed();
  };
  const of = (...kinds) => server.start.plugins.filter((plugin) => kinds.includes(plugin.kind));
  fill("game", (changed) => new SpecForm(of("game"), [server.start.game], null, changed));
  fill("agent", (changed) => new SpecForm(of("agent", "value"), server.start.agents, null, changed));
}

export const specs = () => ({ game: byId("game-spec").value, agent: byId("agent-spec").value });
