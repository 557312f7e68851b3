// Recorded games.

import { attempt, byId, element, number } from "./base.js";
import { specs } from "./forms.js";
import { BINARY, ask, deliver, open } from "./server.js";

const isRecords = async (file) => (await file.slice(0, 8).text()).includes("RUNREC");

/** Lists the games of the file. */
export async function listRecords() {
  const [upload] = byId("upload").files;
  byId("number").replaceChildren();
  byId("other-number").hidden = true;
  byId("any-number").value = "";
  // A text has one game.
  if (!upload || !await isRecords(upload)) return;
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
  const text = byId("written").value;
  if (!upload && !text.trim()) throw new Error("Choose a file, or paste a game.");
  // The number that was typed, such as 1e2, in digits.
  const chosen = byId("any-number").value || byId("number").value;
  const query = new URLSearchParams({ ...specs(), ...(chosen && { number: Number(chosen) }) });
  await open(`/api/uploads?${query}`, text.trim() ? new Blob([text]) : upload, BINARY);
  // The player would continue a game that is not over.
  if (text.trim() || !await isRecords(upload)) await deliver({ do: "first" });
}
