// Recorded games.

import { attempt, byId, element, number } from "./base.js";
import { specs } from "./forms.js";
import { BINARY, ask, open } from "./server.js";

/** Lists the games of the file. */
export async function listRecords() {
  const [upload] = byId("upload").files;
  byId("number").replaceChildren();
  byId("other-number").hidden = true;
  byId("any-number").value = "";
  if (!upload) return;
  await attempt(async () => {
    const { games, more, damage } = await ask("/api/uploads/list", upload, BINARY);
    // Another file may have been chosen meanwhile.
    if (byId("upload").files[0] !== upload) return;
    byId("number").replaceChildren(...games.map((one) => element("option", { value: one.number },
      `${one.number}: ${number(one.score)} points, ${number(one.moves)} moves`)));
    byId("other-number").hidden = !more;
    if (damage) throw new Error(`Only the games before the damage are listed: ${damage}`);
  }, "record-refusal");
}

/** Opens the chosen game of the file. */
export async function openRecord() {
  const [upload] = byId("upload").files;
  if (!upload) throw new Error("Choose a file of recorded games.");
  // The number that was typed, such as 1e2, in digits.
  const chosen = byId("any-number").value || byId("number").value;
  const query = new URLSearchParams({ agent: specs().agent, ...(chosen && { number: Number(chosen) }) });
  await open(`/api/uploads?${query}`, upload, BINARY);
}
