// Questions to the worker.

const waiting = new Map();
let worker = null;
let last = 0;

/** Starts the worker. */
export function startWorker() {
  worker = new Worker(new URL("./worker.js", import.meta.url));
  worker.addEventListener("message", ({ data: { id, answer, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  });
  worker.addEventListener("error", () => {
    for (const { reject } of waiting.values()) reject(new Error("the program of the page failed; load it again"));
    waiting.clear();
  });
}

/** Asks the worker; throws an error with its message. */
export function ask(request) {
  return new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, ...request });
  });
}

/** Returns 64 random bits in hexadecimal digits. */
export function randomBits() {
  const [low, high] = crypto.getRandomValues(new Uint32Array(2));
  return high.toString(16) + low.toString(16).padStart(8, "0");
}
