// Plays on a page that is built like the original web game of 2048: it reads the tiles of the page,
// asks the player at ADDRESS for an action, and presses its key. Run it again to stop.
(() => {
  "use strict";
  if (window.stopRunner) {
    window.stopRunner("stopped");
    return;
  }
  const KEYS = { up: ["ArrowUp", 38], right: ["ArrowRight", 39], down: ["ArrowDown", 40], left: ["ArrowLeft", 37] };
  // An earlier run has left its element.
  const status = document.getElementById("runner-status") ?? document.createElement("div");
  status.id = "runner-status";
  status.style.cssText = "position:fixed;right:8px;bottom:8px;padding:4px 8px;z-index:9999;"
    + "background:#222;color:#fff;font:14px sans-serif;border-radius:4px";
  document.body.append(status);
  let plays = true;
  window.stopRunner = (reason) => {
    plays = false;
    status.textContent = `runner: ${reason}`;
    delete window.stopRunner;
  };
  const frames = async (count) => {
    for (let k = 0; k < count; k++) await new Promise(requestAnimationFrame);
  };

  // Returns the position. Two tiles that merge stay in the page below the result, which is larger.
  function read() {
    const rows = document.querySelectorAll(".grid-container .grid-row").length || 4;
    const cols = document.querySelectorAll(".grid-container .grid-cell").length / rows || 4;
    const cells = Array(rows * cols).fill(0);
    for (const tile of document.querySelectorAll(".tile-container .tile")) {
      const place = /tile-position-(\d+)-(\d+)/.exec(tile.className);
      const value = /(?:^|\s)tile-(\d+)(?=\s|$)/.exec(tile.className);
      if (!place || !value) continue;
      const cell = (Number(place[2]) - 1) * cols + Number(place[1]) - 1;
      cells[cell] = Math.max(cells[cell], Number(value[1]));
    }
    return { rows, cols, cells };
  }

  // Waits until the page has drawn another position than `before`, at most two seconds. Returns the
  // position. A page draws tiles at their old places first, and at their new ones in the next frame.
  async function next(before) {
    const end = performance.now() + 2000;
    while (String(read().cells) === before && performance.now() < end) await frames(1);
    await frames(3);
    return read();
  }

  function press([key, code]) {
    const event = new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true });
    // Older pages read these, which the constructor ignores.
    Object.defineProperty(event, "keyCode", { get: () => code });
    Object.defineProperty(event, "which", { get: () => code });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }

  async function play() {
    let refused = 0;
    let before = "";
    for (let moves = 0; plays; moves++) {
      document.querySelector(".game-message.game-won .keep-playing-button")?.click();
      const position = await next(before);
      refused = String(position.cells) === before ? refused + 1 : 0;
      before = String(position.cells);
      if (document.querySelector(".game-message.game-over")) return "the game is over";
      if (refused === 5) return "the page does not take the moves";
      const response = await fetch("ADDRESS", { method: "POST", body: JSON.stringify(position) });
      const { action, error } = await response.json();
      if (error) return error;
      if (!KEYS[action]) return "the player has no move";
      if (!plays) return "stopped";
      status.textContent = `runner: move ${moves + 1}, ${action}`;
      press(KEYS[action]);
    }
    return "stopped";
  }

  // After a stop, another run may have begun.
  play().catch(() => "the server does not answer").then((reason) => plays && window.stopRunner(reason));
})();
