// A game in progress: its positions with a cursor, who moves, and the player's opinion. It takes the orders
// of the view and makes its frames, as a session of the server does.

import { ask, randomBits } from "./engine.js";
import { receive, showAbout } from "./frame.js";
import { showReview } from "./review.js";
import { judge, loss } from "./judge.js";

/** Moves per second; null is full speed. */
const SPEEDS = [0.5, 1, 2, 5, 10, 20, 60, null];

/** Shortest time between two frames, in milliseconds. */
const FRAME = 15;

/** Time of a search, in milliseconds, after which its position is shown without an opinion. */
const PATIENCE = 80;

export const session = {
  game: "2048",
  /** The search: `{ plies }` or `{ time }`. */
  strength: { plies: 3 },
  /** Positions with their scores; all but the first with the move that led to them, and whether a person
   * made it. */
  line: [],
  at: 0,
  person: false,
  paused: false,
  speed: 3,
  opinion: null,
  measured: null,
  verdict: null,
  message: "",
  /** A lasting line below the board, such as a fault of the network. */
  notice: "",
  /** The last move of a person: it is made when this is resolved. */
  acted: Promise.resolve(),
  /** Changes with the position or the search: what was found for an earlier one is dropped. */
  turn: 0,
  shown: 0,
  /** True while a review is shown, and while it is under way. */
  reviewed: false,
  judging: false,

  /** Begins a game of a kind, which `about` describes. `player` is its name in the title. */
  open(about, player) {
    showAbout({ ...about, game: this.game, agent: player, recorded: null, speeds: SPEEDS });
    return this.restart();
  },

  restart() {
    return this.begin({ do: "start", random: randomBits() }, false);
  },

  /** Begins at the position that the engine answers to a request. */
  async begin(request, paused) {
    const { game } = this;
    const { position, score } = await ask({ ...request, game });
    // Another game may have been chosen meanwhile.
    if (this.game !== game) return;
    this.line = [{ position, score, action: null, after: null }];
    [this.at, this.verdict, this.opinion, this.message] = [0, null, null, ""];
    this.hideReview();
    this.paused = paused;
    this.run();
  },

  hideReview() {
    if (this.reviewed) showReview(null);
    [this.reviewed, this.judging] = [false, false];
  },

  get now() {
    return this.line[this.at];
  },

  get isOver() {
    return !this.now.position.legal.length;
  },

  /** Thinks about the position, and moves while the program plays; until something else happens. It ends a
   * review that is under way. */
  async run() {
    const turn = ++this.turn;
    if (this.judging) this.hideReview();
    if (this.opinion) this.show();
    try {
      while (turn === this.turn) {
        const begin = performance.now();
        if (!this.opinion && !this.isOver) {
          const { bits } = this.now.position;
          // A position is shown with its opinion, unless that takes long.
          const late = setTimeout(() => turn === this.turn && this.show(), PATIENCE);
          const opinion = await ask({ do: "think", game: this.game, bits, ...this.strength });
          clearTimeout(late);
          if (turn !== this.turn) return;
          this.opinion = opinion;
          this.measured = 1 / Math.max(opinion.seconds, 1e-6);
          if (SPEEDS[this.speed] !== null || this.paused || this.person || begin - this.shown >= FRAME) this.show();
        }
        const atEnd = this.at === this.line.length - 1;
        if (this.paused || atEnd && (this.person || this.isOver)) return this.show();
        const speed = SPEEDS[this.speed];
        const rest = speed === null ? 0 : 1000 / speed - (performance.now() - begin);
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
        if (turn !== this.turn) return;
        if (!atEnd) {
          this.at++;
          this.opinion = null;
        } else if (!await this.make(this.opinion.choice, turn)) return;
      }
    } catch (error) {
      this.paused = true;
      this.message = `The player failed: ${error.message}`;
      this.show();
    }
  },

  /** Makes a move at the cursor; false if something else happened meanwhile. */
  async make(action, turn) {
    const { position, score } = this.now;
    const made = await ask({ do: "play", game: this.game, bits: position.bits, action, random: randomBits() });
    if (turn !== this.turn) return false;
    this.line.length = this.at + 1;
    const { person } = this;
    this.line.push({ position: made.position, score: score + made.reward, action, after: made.after, person });
    this.at++;
    [this.opinion, this.message] = [null, ""];
    this.hideReview();
    return true;
  },

  /** A move of a person, who takes over. It is made after those before: keys are quicker than the engine. */
  act(action) {
    const made = this.acted.then(() => this.makeOwn(action));
    this.acted = made.catch(() => {});
    return made;
  },

  async makeOwn(action) {
    if (!this.now.position.legal.includes(action)) {
      this.message = this.isOver ? "" : "This move is not legal.";
      return this.show();
    }
    const { opinion } = this;
    this.person = true;
    const turn = ++this.turn;
    if (!await this.make(action, turn)) return;
    const best = opinion?.choice;
    this.verdict = best === undefined || best === null ? null
      : { at: this.at, action, best, loss: loss(opinion, action) };
    this.run();
  },

  seek(at) {
    this.at = Math.max(0, Math.min(at, this.line.length - 1));
    [this.opinion, this.message] = [null, ""];
    this.paused = true;
    this.run();
  },

  forward() {
    if (this.at < this.line.length - 1) return this.seek(this.at + 1);
    this.paused = true;
    if (this.person || this.isOver || !this.opinion) return this.run();
    const turn = ++this.turn;
    return this.make(this.opinion.choice, turn).then((made) => made && this.run());
  },

  setSpeed(place) {
    this.speed = Math.max(0, Math.min(place, SPEEDS.length - 1));
    this.run();
  },

  /** Follows a change of the strength. */
  changed() {
    this.opinion = null;
    this.run();
  },

  /** Judges all moves of the game. */
  async review() {
    if (this.line.length < 2) throw new Error("There are no moves to judge.");
    this.paused = true;
    const { line, game, strength } = this;
    const turn = ++this.turn;
    [this.reviewed, this.judging] = [true, true];
    this.show();
    const think = (bits) => ask({ do: "think", game, bits, ...strength });
    try {
      await judge(line, think, () => turn === this.turn);
    } catch (error) {
      if (turn === this.turn) this.hideReview();
      throw error;
    }
    if (turn !== this.turn) return;
    this.judging = false;
    this.run();
  },

  /** Obeys an order of the view; throws an error with the reason of a refusal. */
  async obey(wish) {
    if (!this.line.length) return undefined;
    switch (wish.do) {
      case "pause":
        this.paused = !this.paused;
        return this.run();
      case "forward": return this.forward();
      case "back": return this.seek(this.at - 1);
      case "first": return this.seek(0);
      case "last": return this.seek(this.line.length - 1);
      case "seek": return this.seek(wish.at);
      case "faster": return this.setSpeed(this.speed + 1);
      case "slower": return this.setSpeed(this.speed - 1);
      case "speed": return this.setSpeed(wish.place);
      case "take-over":
        this.person = !this.person;
        // Otherwise the moves that follow an earlier position would be shown again.
        this.paused = this.person && this.at < this.line.length - 1;
        return this.run();
      case "new": return this.restart();
      case "act": return this.act(wish.action);
      case "review": return this.review();
      case "position": return this.begin({ do: "read", text: wish.text.trim() }, true);
      case "cell": {
        const { bits } = this.now.position;
        return this.begin({ do: "edit", bits, cell: wish.cell, rank: wish.rank }, true);
      }
      default: return undefined;
    }
  },

  /** Sends a frame to the view. */
  show() {
    this.shown = performance.now();
    const { position, score, action, after } = this.now;
    const next = this.line[this.at + 1];
    const { text, cells, fields, legal, max_tile } = position;
    receive({
      at: this.at, moves: this.line.length - 1, score, text, cells, fields: fields ?? [], legal, max_tile,
      last: action === null ? null : { action, before: this.line[this.at - 1].position.cells, after },
      next: next ? { action: next.action, loss: this.opinion ? loss(this.opinion, next.action) : null } : null,
      opinion: this.opinion, measured: this.measured,
      person: this.person, paused: this.paused, speed: this.speed, over: this.isOver,
      verdict: this.verdict?.at === this.at && this.now.person ? this.verdict : null,
      message: this.message || this.notice || (this.isOver ? "Game over" : ""),
    });
  },
};
