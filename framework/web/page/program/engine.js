// Questions to the worker.

const waiting = new Map();
let worker = null;
let last = 0;

/** Starts the worker. */
export function startWorker() {
  worker = new Worker(new URL("./worker.js", import.meta.url));
  worker.addEventListener("message", ({ data: { id, answer, error, done, total } }) => {
    // After a failure of the worker, nothing waits.
    if (!waiting.has(id)) return;
    const { resolve, reject, report } = waiting.get(id);
    if (done !== undefined) return report(done, total);
    waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  });
  worker.addEventListener("error", () => {
    for (const { reject } of waiting.values()) reject(new Error("the program of the page failed; load it again"));
    waiting.clear();
  });
}

/** Asks the worker; throws an error with its message. `report` is called with the bytes of a download that
 * have arrived, and those of the whole. */
export function ask(request, report = () => {}) {
  return new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject, report });
    worker.postMessage({ id, ...request });
  });
}

/** Returns 64 random bits in hexadecimal digits. */
export function randomBits() {
  const [low, high] = crypto.getRandomValues(new Uint32Array(2));
  return high.toString(16) + low.toString(16).padStart(8, "0");
}
