// The page: state, controls, plane and answer, held together.
import { makeControls } from "./controls.js";
import { parsed } from "./csv.js";
import { byId, classMark, make } from "./dom.js";
import { Painter, paintTrace } from "./draw.js";
import { FORMULATIONS, SCHEMES } from "./engine.js";
import { irises } from "./iris.js";
import { Panel } from "./panel.js";
import { showLegend } from "./legend.js";
import { Hands } from "./pointer.js";
import { script } from "./python.js";
import { Solver } from "./solver.js";
import { CLASSES, History, SETS, copyOf, fromAddress, requestOf, task, toAddress } from "./state.js";
import { View } from "./view.js";
import { Walking } from "./walking.js";
import { CLASS_NAMES, KIND } from "./words.js";

const MOST_POINTS = 2000;

class Page {
  constructor(solver) {
    this.solver = solver;
    this.tool = "move";
    this.label = 0;
    this.answer = null;
    this.milliseconds = null;
    this.view = new View();
    this.painter = new Painter(byId("plane"), this.view);
    this.walking = new Walking(solver.engine, () => this.#stepsChanged());
    this.panel = new Panel(byId("answer"), (what) => this.#step(what));
    this.hands = new Hands(byId("plane"), this.view, {
      points: () => this.state.points,
      tool: () => this.tool,
      label: () => this.label,
      full: () => {
        const full = this.state.points.length >= MOST_POINTS;
        if (full) this.#message(`There are ${MOST_POINTS} points; more are too many for a picture.`);
        return full;
      },
      touched: (done) => this.#touched(done),
      say: (what) => this.#say(what),
      choose: (label, point) => this.#chooseLabel(label, point),
    });
    const { state, wrong } = fromAddress(location.hash, FORMULATIONS, SCHEMES);
    this.state = state;
    if (!state.edited) this.#makeSet();
    this.history = new History(this.state);
    this.#wire();
    this.#resized();
    this.#everything();
    if (wrong.length) this.#message(`The address was not understood in part (${wrong.join(", ").slice(0, 80)}): the usual is taken there.`, true);
  }

  // ---- points ----

  #makeSet() {
    const { set } = this.state;
    const kind = task(this.state.formulation);
    if (!SETS[kind].includes(set.name)) Object.assign(set, { name: SETS[kind][0] });
    const raw = irises();
    const made = set.name === "iris"
      ? { x: this.solver.engine.standardised(raw.x, 2), label: raw.label }
      : this.solver.engine.points(set.name, set.count, set.classes, set.noise, set.seed);
    this.#take(made);
    this.state.edited = false;
  }

  #take({ x, label }) {
    this.state.points = Array.from(label, (c, i) => ({ x: x[2 * i], y: x[2 * i + 1], c }));
    this.view.fit(this.state.points);
    this.hands.focus = -1;
  }

  #touched(done) {
    this.state.edited = this.state.edited || done || this.hands.changed;
    this.#solve(done);
    if (done) this.#kept();
  }

  // ---- solving ----

  #solve(fine) {
    this.walking.forget();
    const request = requestOf(this.state), regress = this.state.formulation === "regression";
    this.request = request;
    const levels = task(this.state.formulation) === "classify" ? [-1, 0, 1] : [0];
    const grid = regress ? null : this.view.grid(fine), curve = regress ? this.view.abscissae() : null;
    const classes = request.classes;
    this.solver.solve(request, grid, levels, curve, (told) => {
      if (told.message) {
        this.answer = null;
        this.milliseconds = null;
        this.#message(told.message);
      } else {
        if (!this.noted) this.#message("");
        this.answer = told.answer;
        this.classes = classes;
        this.milliseconds = told.milliseconds;
      }
      this.#draw();
      if (fine && told.final && told.answer.certificate.status !== "INFEASIBLE" && Walking.allows(request, told.answer.parts.length)) this.walking.record(request);
      if (fine && (told.final || told.message)) this.#announce();
    });
  }

  #draw() {
    const stepping = this.walking.walk !== null;
    if (this.answer && this.answer.points.alpha.length !== this.state.points.length) return; // one for these points is on its way
    this.painter.paint(this.state, this.answer, { focus: this.hands.focus, pair: this.walking.pair, classes: this.classes ?? [0, 1] });
    showLegend(byId("legend"), this.state, this.answer);
    this.panel.show(this.state, this.answer, stepping ? null : this.milliseconds, stepping);
    this.#stepsChanged();
  }

  // ---- steps ----

  #stepsChanged() {
    const { walking } = this, infeasible = this.answer?.certificate.status === "INFEASIBLE";
    const possible = this.answer !== null && !infeasible && Walking.allows(this.request, this.answer.parts.length);
    paintTrace(this.panel.trace, walking.trace, walking.walk ? walking.steps : null);
    let text = "Every step moves the two coefficients that gain most, so that their sum Σ β, with β = yα, stays.";
    if (infeasible) text = "There is no optimum to step to.";
    else if (!possible) text = this.answer ? "Steps are shown of one problem with at most 300 points." : "";
    else if (walking.walk) {
      const at = (row) => `point ${row + 1}${task(this.state.formulation) === "classify" ? ` (${CLASS_NAMES[this.state.points[row].c]})` : ""}`;
      text = walking.pair.length
        ? `Step ${walking.steps}: ${walking.pair.map(({ row, before, after }) =>
          `${at(row)} from ${Math.abs(before).toPrecision(3)} to ${Math.abs(after).toPrecision(3)}`).join("; ")}.`
        : walking.steps ? "No pair is left that gains: this is the optimum." : "All coefficients are at their start. Press Step.";
    } else if (walking.trace.length > 1) text = `${walking.whole ? `${walking.trace.length - 1} steps of plain SMO to the optimum` : `The first ${walking.trace.length - 1} steps of plain SMO`}. ${text}`;
    this.panel.steps({ possible, walking: walking.walk !== null, running: walking.running, text });
  }

  #step(what) {
    const { walking } = this;
    try {
      if (what === "begin" || (!walking.walk && what !== "leave")) walking.begin(this.request);
      if (what === "one") walking.step();
      if (what === "run" && walking.running) walking.pause();
      else if (what === "run") walking.run(() => this.#stepped());
      if (what === "leave") {
        walking.leave();
        this.#solve(true);
        return;
      }
      this.#stepped();
    } catch (error) {
      this.#message(error.message);
    }
  }

  #stepped() {
    if (!this.walking.walk) return;
    const regress = this.state.formulation === "regression";
    const levels = task(this.state.formulation) === "classify" ? [-1, 0, 1] : [0];
    this.answer = this.walking.walk.fit.answer(regress ? null : this.view.grid(false), levels, regress ? this.view.abscissae() : null);
    this.#draw();
  }

  // ---- words ----

  // A note stays until something is changed; other messages until there is an answer.
  #message(text, note = false) {
    this.noted = note;
    const place = byId("message");
    place.hidden = !text;
    place.textContent = text;
    place.className = note ? "message note" : "message";
  }

  #say(what) {
    const live = byId("live");
    if (typeof what === "string") {
      live.textContent = what;
      return;
    }
    const point = this.state.points[what], told = this.answer?.points, kind = task(this.state.formulation);
    const role = told ? (KIND[kind][told.kind[what]] ?? KIND[kind][3])[0] : "";
    const name = kind === "classify" ? `${CLASS_NAMES[point.c]}, ` : "";
    live.textContent = `Point ${what + 1} of ${this.state.points.length}: ${name}at ${point.x}, ${point.y}${told && told.alpha[what] !== undefined
      ? `, alpha ${told.alpha[what].toPrecision(3)}, ${role}` : ""}`;
  }

  #announce() {
    if (this.hands.focus >= 0 || !this.answer) return;
    const { certificate } = this.answer;
    byId("live").textContent = `${this.panel.status.lastChild.textContent}: ${certificate.support} support vectors, gap ${certificate.gap.toPrecision(2)}`;
  }

  // ---- controls ----

  #controls() {
    const focused = document.activeElement?.getAttribute?.("aria-label") ?? document.activeElement?.textContent;
    makeControls(byId("controls"), this.state, {
      change: (fields, done) => {
        Object.assign(this.state, typeof fields === "function" ? fields(this.state) : fields);
        this.#solve(done);
        if (done) this.#kept();
      },
      choose: (fields) => this.#choose(fields),
      load: (set) => {
        this.state.set = set;
        this.#makeSet();
        this.#everything();
        this.#kept();
      },
      paste: () => byId("paste").showModal(),
      clear: () => {
        Object.assign(this.state, { points: [], edited: true });
        this.#everything();
        this.#kept();
      },
    });
    const same = [...byId("controls").querySelectorAll("button, select")].find((each) => focused && (each.getAttribute("aria-label") ?? each.textContent) === focused);
    if (document.activeElement === document.body) same?.focus();
  }

  #choose(fields) {
    const before = task(this.state.formulation);
    Object.assign(this.state, fields);
    const now = task(this.state.formulation);
    // Points of a regression mean something else: it begins with its own. Points in the plane stay.
    if (now !== before && (now === "regress" || before === "regress") && !this.state.edited) this.#makeSet();
    this.#everything();
    this.#kept();
  }

  #chooseLabel(label, point = -1) {
    if (point >= 0 && this.state.points[point]) {
      this.state.points[point].c = label;
      this.#touched(true);
      this.#say(point);
    }
    this.label = label;
    this.#toolbar();
  }

  #toolbar() {
    const kind = task(this.state.formulation);
    const tools = make("div", { className: "group", role: "radiogroup", "aria-label": "What the pointer does" });
    for (const [key, title] of [["move", "Add and drag"], ["brush", "Brush"], ["erase", "Erase"]]) {
      const button = make("button", { type: "button", role: "radio", "aria-checked": String(this.tool === key) }, title);
      button.addEventListener("click", () => {
        this.tool = key;
        this.#toolbar();
      });
      tools.append(button);
    }
    const labels = make("div", { className: "group", role: "radiogroup", "aria-label": "Class of new points" });
    for (let k = 0; k < CLASSES && kind === "classify"; ++k) {
      const button = make("button", { type: "button", className: "swatch", role: "radio", "aria-checked": String(this.label === k),
        "aria-label": `Class ${k + 1}, ${CLASS_NAMES[k]}`, title: `${CLASS_NAMES[k]} (${k + 1})` }, classMark(k));
      button.addEventListener("click", () => this.#chooseLabel(k));
      labels.append(button);
    }
    const fit = make("button", { type: "button", title: "Show all points" }, "Fit view");
    fit.addEventListener("click", () => {
      this.view.fit(this.state.points);
      this.#solve(true);
    });
    const active = document.activeElement?.getAttribute?.("aria-label") ?? document.activeElement?.textContent, inside = byId("tools").contains(document.activeElement);
    byId("tools").replaceChildren(tools, ...(kind === "classify" ? [labels] : []), make("span", { className: "gap" }), fit);
    if (inside) [...byId("tools").querySelectorAll("button")].find((each) => (each.getAttribute("aria-label") ?? each.textContent) === active)?.focus();
  }

  // ---- the whole ----

  #everything() {
    this.#controls();
    this.#toolbar();
    this.#solve(true);
    this.#buttons();
  }

  #kept() {
    if (this.noted) this.#message("");
    this.history.keep(this.state);
    this.#buttons();
    const classes = new Set(this.state.points.map((point) => point.c)).size;
    if (classes !== this.shownClasses) {
      this.shownClasses = classes;
      this.#controls();
    }
    window.history.replaceState(null, "", toAddress(this.state));
  }

  #buttons() {
    byId("undo").disabled = !this.history?.canUndo;
    byId("redo").disabled = !this.history?.canRedo;
  }

  #back(state) {
    if (!state) return;
    this.state = state;
    this.hands.focus = -1;
    this.#everything();
    window.history.replaceState(null, "", toAddress(this.state));
  }

  #resized() {
    this.painter.resize();
    this.view.fit(this.state.points);
  }

  #wire() {
    byId("undo").addEventListener("click", () => this.#back(this.history.undo()));
    byId("redo").addEventListener("click", () => this.#back(this.history.redo()));
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target.matches("textarea, input[type=number]")) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      this.#back(key === "y" || event.shiftKey ? this.history.redo() : this.history.undo());
    });
    const copied = async (text, button) => {
      try {
        await navigator.clipboard.writeText(text);
        const title = button.textContent;
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = title), 1400);
        return true;
      } catch {
        return false;
      }
    };
    byId("link").addEventListener("click", async (event) => {
      window.history.replaceState(null, "", toAddress(this.state));
      if (!(await copied(location.href, event.currentTarget ?? byId("link")))) this.#message("The address of this page is the link: copy it from there.", true);
    });
    byId("python").addEventListener("click", () => {
      byId("script").value = script(this.state);
      byId("code").showModal();
      byId("script").scrollTop = 0;
    });
    byId("code-copy").addEventListener("click", async () => {
      byId("script").select();
      if (!(await copied(byId("script").value, byId("code-copy")))) byId("code-told").textContent = "Press Ctrl+C: the script is selected.";
    });
    byId("code-close").addEventListener("click", () => byId("code").close());
    byId("png").addEventListener("click", () => byId("plane").toBlob((blob) => {
      const link = make("a", { href: URL.createObjectURL(blob), download: "maxmargin.png" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }));
    byId("theme").addEventListener("click", () => {
      const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      this.#draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    byId("paste-cancel").addEventListener("click", () => byId("paste").close());
    byId("paste-take").addEventListener("click", () => this.#pasted());
    window.addEventListener("hashchange", () => {
      const { state } = fromAddress(location.hash, FORMULATIONS, SCHEMES);
      this.state = state;
      if (!state.edited) this.#makeSet();
      else this.view.fit(state.points);
      this.#everything();
      this.history.keep(this.state);
      this.#buttons();
    });
    new ResizeObserver(() => {
      this.#resized();
      this.#solve(true);
    }).observe(byId("plane"));
  }

  #pasted() {
    try {
      const found = parsed(byId("csv").value);
      const x = byId("standardise").checked ? this.solver.engine.standardised(found.x, 2) : found.x;
      this.#take({ x, label: found.label });
      this.state.edited = true;
      byId("paste-error").textContent = "";
      byId("paste").close();
      this.#everything();
      this.#kept();
    } catch (error) {
      byId("paste-error").textContent = error.message;
    }
  }

  // For tests: what is shown, as plain data.
  get shown() {
    return { state: copyOf(this.state), answer: this.answer, milliseconds: this.milliseconds, script: script(this.state) };
  }
}

try {
  const solver = await Solver.load(new URL("core.wasm", import.meta.url));
  window.playground = new Page(solver);
  byId("loading").hidden = true;
} catch (error) {
  byId("loading").textContent = `The playground could not start: ${error.message}`;
}
