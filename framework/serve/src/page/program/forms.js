// The cells of the editor.

const cells = {
  begin() {
    const place = byId("cells");
    place.replaceChildren();
    if (!about.board) return;
    const { rows, cols, values } = about.board;
    place.style.gridTemplateColumns = `repeat(${cols}, 1fr)`;
    for (let cell = 0; cell < rows * cols; cell++) {
      const name = `Row ${Math.floor(cell / cols) + 1}, column ${cell % cols + 1}`;
      const select = element("select", { "aria-label": name },
        ...values.map((value, rank) => element("option", { value: rank }, rank ? String(value) : "")));
      select.addEventListener("change", () => order({ do: "cell", cell, rank: Number(select.value) }));
      place.append(select);
    }
  },

  /** Shows a position, while the editor is open. */
  show(now) {
    if (!byId("edit").open) return;
    [...byId("cells").children].forEach((select, cell) => {
      if (document.activeElement !== select || now.paused) select.value = now.cells[cell];
    });
    if (document.activeElement !== byId("text")) byId("text").value = now.text;
  },
};

// The forms of specs.

/** The form of one plugin and its parameters, which makes its spec. */
class SpecForm {
  /** `plugins` are offered; `offered` are whole specs that stand before them; `none` is the text
   * of the choice of nothing, if there is one; `changed` is called after every change. */
  constructor(plugins, offered, none, changed) {
    this.changed = changed;
    this.fields = [];
    this.choice = element("select");
    if (none !== null) this.choice.append(element("option", { value: "" }, none));
    offered.forEach((spec, place) => this.choice.append(element("option", { value: `spec ${place}` }, spec)));
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
    const plugins = start.plugins.filter((plugin) => kinds.includes(plugin.kind));
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
function showForms() {
  const forms = {};
  const fill = (id, make) => {
    const changed = () => {
      if (forms[id]) byId(`${id}-spec`).value = forms[id].spec();
    };
    forms[id] = make(changed);
    byId(`${id}-form`).replaceChildren(forms[id].element);
    changed();
  };
  const of = (...kinds) => start.plugins.filter((plugin) => kinds.includes(plugin.kind));
  fill("game", (changed) => new SpecForm(of("game"), [start.game], null, changed));
  fill("agent", (changed) => new SpecForm(of("agent", "value"), start.agents, null, changed));
}

const specs = () => ({ game: byId("game-spec").value, agent: byId("agent-spec").value });

// Recorded games.

/** Lists the games of the file: of the browser's own, or of the chosen one of the folder. */
async function listRecords() {
  const [upload] = byId("upload").files;
  const file = byId("file").value;
  byId("own-file").hidden = !upload;
  byId("number").replaceChildren(element("option", { value: "" }, "the first"));
  byId("other-number").hidden = true;
  byId("any-number").value = "";
  if (!upload && file === "") return;
  await attempt(async () => {
    const { games, more, damage } = upload
      ? await ask("/api/uploads/list", upload, BINARY)
      : await ask(`/api/records/${encodeURIComponent(file)}`);
    byId("number").replaceChildren(...games.map((one) => element("option", { value: one.number },
      `${one.number}: ${number(one.score)} points, ${number(one.moves)} moves`)));
    byId("other-number").hidden = !more;
    if (damage) throw new Error(`Only the games before the damage are listed: ${damage}`);
  }, "record-refusal");
}

/** Opens the chosen game of the file. */
async function openRecord() {
  const [upload] = byId("upload").files;
  const { agent } = specs();
  // The number that was typed, such as 1e2, in digits.
  const chosen = byId("any-number").value || byId("number").value;
  const wanted = chosen ? Number(chosen) : null;
  if (upload) {
    const query = new URLSearchParams({ agent, ...(wanted !== null && { number: wanted }) });
    await open(`/api/uploads?${query}`, upload, BINARY);
  } else {
    const file = encodeURIComponent(byId("file").value);
    await open(`/api/records/${file}`, { agent, number: wanted });
  }
}
