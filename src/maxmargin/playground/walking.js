// SMO step by step, and the trace of all its steps, which is made while nobody waits.

const MOST_POINTS = 300, MOST_STEPS = 600, SLICE = 9; // milliseconds

const told = (walk) => {
  const { primal, dual, violation, status } = walk.fit.certificate();
  return { primal, dual, violation, status };
};

export class Walking {
  constructor(engine, changed) {
    this.engine = engine;
    this.changed = changed;
    this.trace = [];
    this.whole = false; // the trace goes on to where no pair is left
    this.walk = null;
    this.steps = 0;
    this.pair = [];
    this.timer = null;
  }

  static allows(request, parts) {
    return parts === 1 && request.y.length <= MOST_POINTS;
  }

  // Follows the search of a new request to its end, a slice at a time.
  record(request) {
    this.forget();
    let walk;
    try {
      walk = this.engine.walk(request);
    } catch {
      return; // what is wrong has been said of the answer
    }
    this.recording = walk;
    const trace = [told(walk)];
    const slice = () => {
      if (this.recording !== walk) return;
      const end = performance.now() + SLICE;
      let moving = true;
      while (moving && trace.length < MOST_STEPS && performance.now() < end) {
        moving = walk.step().length > 0;
        if (moving) trace.push(told(walk));
      }
      if (moving && trace.length < MOST_STEPS) {
        this.slice = setTimeout(slice, 12);
        return;
      }
      this.recording = null;
      walk.delete();
      this.trace = trace;
      this.whole = !moving;
      this.changed();
    };
    this.slice = setTimeout(slice, 120);
  }

  forget() {
    clearTimeout(this.slice);
    this.recording?.delete();
    this.recording = null;
    this.trace = [];
    this.leave();
  }

  begin(request) {
    this.leave();
    this.walk = this.engine.walk(request);
    this.steps = 0;
    this.pair = [];
  }

  // One step; false at the end.
  step() {
    this.pair = this.walk.step();
    if (this.pair.length) ++this.steps;
    else this.pause();
    return this.pair.length > 0;
  }

  run(each) {
    this.timer = setInterval(() => {
      this.step();
      each();
    }, 220);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
  }

  leave() {
    this.pause();
    this.walk?.delete();
    this.walk = null;
    this.pair = [];
  }

  get running() {
    return this.timer !== null;
  }
}
