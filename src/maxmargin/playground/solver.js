// Who solves: small problems at once, where the page waits; large ones, and those that take long, in a worker.
import { Engine } from "./engine.js";

const AT_ONCE = 500; // points
const PATIENCE = 0.08; // seconds that the page waits, before the worker goes on
const TIME = 30; // seconds that the worker has
const STALE = 400; // milliseconds: a worker that is busy for longer with what nobody wants any more is replaced

export class Solver {
  #worker = null;
  #number = 0;
  #busy = null; // { number, since }
  #waiting = null;
  #tell = null;

  static async load(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`The playground's core is not there (${response.status}).`);
    const module = await WebAssembly.compile(await response.arrayBuffer());
    return new Solver(module);
  }

  constructor(module) {
    this.module = module;
    this.engine = new Engine(module);
  }

  // Calls tell({ answer, milliseconds, final } or { message }), now and perhaps again later.
  solve(request, grid, levels, curve, tell) {
    const number = ++this.#number;
    this.#tell = tell;
    this.#waiting = null;
    if (request.y.length > AT_ONCE) {
      this.#send({ number, request: { ...request, maxSeconds: TIME }, grid, levels, curve });
      return;
    }
    const begun = performance.now();
    let fit = null;
    try {
      fit = this.engine.fit({ ...request, maxSeconds: PATIENCE });
      const answer = fit.answer(grid, levels, curve), final = answer.certificate.status !== "TIME_LIMIT";
      tell({ answer, milliseconds: performance.now() - begun, final });
      if (!final) this.#send({ number, request: { ...request, maxSeconds: TIME }, grid, levels, curve });
    } catch (error) {
      tell({ message: error.message });
    } finally {
      fit?.delete();
    }
  }

  #send(job) {
    if (this.#busy) {
      this.#waiting = job;
      setTimeout(() => {
        if (this.#waiting !== job) return;
        this.#worker.terminate();
        this.#worker = this.#busy = this.#waiting = null;
        this.#send(job);
      }, STALE);
      return;
    }
    if (!this.#worker) {
      this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      this.#worker.onmessage = ({ data }) => this.#received(data);
      this.#worker.onerror = (event) => this.#tell?.({ message: event.message ?? "The worker could not be started." });
      this.#worker.postMessage({ module: this.module });
    }
    this.#busy = { number: job.number, since: performance.now() };
    this.#worker.postMessage(job);
  }

  #received(data) {
    const milliseconds = performance.now() - (this.#busy?.since ?? performance.now());
    this.#busy = null;
    const next = this.#waiting;
    this.#waiting = null;
    // An answer of a moment ago is better than none while a drag goes on.
    const fresh = data.number === this.#number;
    if (data.answer && (fresh || next)) this.#tell?.({ answer: data.answer, milliseconds, final: fresh });
    if (data.message && fresh) this.#tell?.({ message: data.message });
    if (next) this.#send(next);
  }
}
