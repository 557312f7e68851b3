// The web worker: games and search in WebAssembly. It answers each message `{ id, do, ... }` by
// `{ id, answer }` or `{ id, error }`, and reports a download by `{ id, done, total }` in bytes before.
"use strict";

// A module with one SIMD instruction, `i8x16.splat`: a browser without SIMD refuses it.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0,
  65, 0, 253, 15, 11]);

/** Searches of a move with a time limit deepen while another ply is expected to fit. A ply takes about
 * five times as long as the one before. */
const GROWTH = 5;
const MAX_PLIES = 8;

/** Shortest time between two reports of a download, in milliseconds. */
const REPORT = 50;

let engine = null;

function answer(length) {
  const bytes = new Uint8Array(engine.memory.buffer, engine.answer(), length);
  const found = JSON.parse(new TextDecoder().decode(bytes));
  if (found.error !== undefined) throw new Error(found.error);
  return found;
}

/** Writes parts into the buffer of the engine. */
function write(...parts) {
  const start = engine.buffer(parts.reduce((sum, part) => sum + part.length, 0));
  let at = start;
  for (const part of parts) {
    new Uint8Array(engine.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

function ask(request) {
  write(new TextEncoder().encode(JSON.stringify(request)));
  return answer(engine.request());
}

async function fetched(address) {
  let response;
  try {
    response = await fetch(address);
  } catch {
    throw new Error(`${address} cannot be fetched`);
  }
  if (!response.ok) throw new Error(`${address} cannot be fetched: status ${response.status}`);
  return response;
}

/** Returns the parts of a response; `report` is called with the bytes that have arrived and those of the
 * whole, which are 0 if they are not known. */
async function download(response, report) {
  // The length of an encoded response is that before its decoding.
  const total = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  const [reader, parts] = [response.body.getReader(), []];
  let [done, reported] = [0, 0];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      done += part.value.length;
      if (performance.now() - reported < REPORT && done !== total) continue;
      reported = performance.now();
      report({ done, total });
    }
  } catch {
    throw new Error(`${response.url} ends after ${done} bytes: the connection was lost`);
  }
  return parts;
}

/** Starts the engine; returns whether it uses SIMD. */
async function startEngine({ folder }) {
  if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly");
  const simd = WebAssembly.validate(SIMD);
  const bytes = await fetched(`${folder}${simd ? "engine-simd" : "engine"}.wasm`);
  const { instance } = await WebAssembly.instantiate(await bytes.arrayBuffer(), {});
  engine = instance.exports;
  return { simd };
}

async function load({ folder, game }, report) {
  const model = await download(await fetched(`${folder}models/${game}.model`), report);
  const name = new TextEncoder().encode(game);
  write(name, ...model);
  return answer(engine.load(name.length));
}

/** Searches to a depth in plies, or for about a time in milliseconds. */
function think({ game, bits, plies, time }) {
  const begin = performance.now();
  const elapsed = () => performance.now() - begin;
  let found = ask({ do: "think", game, bits, plies: time ? 1 : plies });
  for (let depth = 2; time && depth <= MAX_PLIES && GROWTH * elapsed() < time; depth++) {
    found = ask({ do: "think", game, bits, plies: depth });
  }
  return { ...found, seconds: elapsed() / 1000 };
}

const TASKS = { engine: startEngine, load, think };

addEventListener("message", async ({ data: { id, ...request } }) => {
  try {
    const task = TASKS[request.do];
    const report = (progress) => postMessage({ id, ...progress });
    postMessage({ id, answer: await (task ? task(request, report) : ask(request)) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
});
