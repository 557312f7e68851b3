// Recorded games.

import { attempt, byId, element, number } from "./base.js";
import { specs } from "./forms.js";
import { BINARY, ask, open } from "./server.js";

/** Lists the games of the file: of the browser's own, or of the chosen one of the folder. */
export async function listRecords() {
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
export async function openRecord() {
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
