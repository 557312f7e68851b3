// Completion of a spec that is typed.

const NESTED = { game: ["game"], value: ["value"], player: ["agent", "value"] };

/** Returns the words that may follow a text, and the part of them that is typed. `plugins` are all plugins,
 * `first` those whose names may stand at the start. */
export function wordsAfter(text, plugins, first) {
  const [typed] = /[\w-]*$/.exec(text);
  const before = text.slice(0, text.length - typed.length);
  const fitting = (words) => ({ typed, words: words.filter((word) => word.startsWith(typed) && word !== typed) });
  // The plugin whose parentheses are open.
  let open = before.length - 1;
  for (let closed = 0; open >= 0; open--) {
    if (before[open] === ")") closed++;
    else if (before[open] === "(" && closed-- === 0) break;
  }
  if (open < 0) return fitting(before.trim() ? [] : first.map((plugin) => plugin.name));
  const [owner] = /[\w-]*$/.exec(before.slice(0, open));
  const parameters = plugins.find((plugin) => plugin.name === owner)?.parameters ?? [];
  const named = /([\w-]+)\s*:\s*$/.exec(before)?.[1];
  if (named === undefined) {
    return fitting(/[(,]\s*$/.test(before) ? parameters.map((parameter) => `${parameter.name}: `) : [")"]);
  }
  const { field, permitted } = parameters.find((parameter) => parameter.name === named) ?? { field: {}, permitted: [] };
  const nested = plugins.filter((plugin) => NESTED[field.kind]?.includes(plugin.kind)).map((plugin) => plugin.name);
  return fitting([...nested, ...field.kind === "flag" ? ["true", "false"] : field.options ?? [], ...permitted]);
}
