// What is said of an answer: status, certificate, points; and the steps of SMO.
import { make, shown } from "./dom.js";
import { task } from "./state.js";
import { CLASS_NAMES, INFEASIBLE_AT_ORIGIN, KIND, STATUS } from "./words.js";

const GOOD = ["CONVERGED", "ZERO_OPTIMUM"], BAD = ["INFEASIBLE"];

function tone(status) {
  return GOOD.includes(status) ? "good" : BAD.includes(status) ? "bad" : "warn";
}

// Primal and dual as the ends of an interval that holds the optimum: its width beside the dual's is the gap.
function facts(state, answer, milliseconds) {
  const c = answer.certificate, kind = task(state.formulation), parts = answer.parts;
  const many = parts.length > 1;
  if (c.status === "INFEASIBLE") {
    const weights = [...answer.points.weight].map((weight, i) => [weight, i]).filter(([weight]) => weight > 0);
    return [["primal objective", "∞"], [state.offset ? "the two means" : "the sum that is 0", ""],
      ...weights.slice(0, 12).map(([weight, i]) => [`point ${i + 1}, ${CLASS_NAMES[state.points[i].c]}`, `weight ${shown(weight, 4)}`])];
  }
  const rows = [
    ["primal objective", shown(c.primal, 10)],
    ["dual objective", shown(c.dual, 10)],
    ["gap", shown(c.gap, 3)],
    ["relative gap", shown(c.relativeGap, 3)],
    ["KKT violation", shown(c.violation, 3)],
    ["support vectors", `${c.support} of ${state.points.length}`],
  ];
  if (!many) rows.push([kind === "one" ? "level b" : "offset b", shown(c.bias)]);
  if (many) rows.push(["subproblems", String(state.scheme === "joint" ? "all classes at once" : parts.length)]);
  if (kind === "classify" && !many && c.status !== "INFEASIBLE") rows.push(["street width 2/‖w‖", shown(2 / Math.sqrt(c.squareNorm))]);
  if (state.formulation === "ball") rows.push(["radius R", shown(c.radius)]);
  if (!many && parts[0].weights && kind === "classify") rows.push(["w", parts[0].weights.map((v) => shown(v, 4)).join(", ")]);
  rows.push(["pair steps", String(c.steps)]);
  if (milliseconds !== null) rows.push(["solved and drawn in", `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`]);
  return rows;
}

export class Panel {
  constructor(place, step) {
    this.status = make("p", { className: "status" }, make("span", { className: "dot", "aria-hidden": "true" }), make("span"));
    this.told = make("p", { className: "told" });
    this.numbers = make("dl", { className: "numbers" });
    this.table = make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Table of points" });
    this.details = make("details", {}, make("summary", {}, "All points with their α"), this.table);
    this.details.addEventListener("toggle", () => this.#fillTable());
    this.trace = make("canvas", { id: "trace", role: "img", "aria-label": "Primal and dual objective over the steps" });
    this.traceTold = make("p", { className: "told" }, make("span", { className: "key primal" }), "primal  ",
      make("span", { className: "key dual" }), "dual: the optimum is between them at every step.");
    this.stepTold = make("p", { className: "told", "aria-live": "polite" });
    const button = (title, what) => make("button", { type: "button", onclick: () => step(what) }, title);
    this.begin = button("Begin at α = 0", "begin");
    this.one = button("Step", "one");
    this.run = button("Run", "run");
    this.end = button("Leave", "leave");
    place.replaceChildren(
      make("section", { className: "card", "aria-label": "Certificate" }, make("h2", {}, "Certificate"), this.status, this.told, this.numbers),
      make("section", { className: "card", "aria-label": "Steps" }, make("h2", {}, "Step by step"), this.trace,
        this.traceTold,
        make("div", { className: "row" }, this.begin, this.one, this.run, this.end), this.stepTold),
      make("section", { className: "card", "aria-label": "Points" }, this.details));
  }

  show(state, answer, milliseconds, stepping) {
    this.state = state;
    this.answer = answer;
    const c = answer?.certificate, atOrigin = c?.status === "INFEASIBLE" && !state.offset;
    const [title, text] = atOrigin ? INFEASIBLE_AT_ORIGIN : c ? STATUS[c.status] : ["–", ""];
    this.status.dataset.kind = c ? tone(c.status) : "";
    this.status.lastChild.textContent = stepping && c?.status === "ITERATION_LIMIT" ? "On the way" : title;
    this.told.textContent = text;
    this.numbers.replaceChildren(...(c ? facts(state, answer, milliseconds) : []).flatMap(([name, value]) =>
      [make("dt", {}, name), make("dd", {}, value)]));
    if (this.details.open) this.#fillTable();
  }

  steps({ possible, walking, running, text }) {
    this.trace.hidden = this.traceTold.hidden = !possible;
    this.begin.disabled = !possible;
    this.one.disabled = this.run.disabled = !possible;
    this.end.disabled = !walking;
    this.run.textContent = running ? "Pause" : "Run";
    this.stepTold.textContent = text;
  }

  #fillTable() {
    if (!this.details.open || !this.answer) return;
    const { points } = this.answer, kind = task(this.state.formulation), words = KIND[kind];
    const head = ["point", ...(kind === "classify" ? ["class"] : []), "x", kind === "regress" ? "target" : "y", "α", "f", "slack", "kind"];
    const body = this.state.points.slice(0, 500).map((point, i) => [
      String(i + 1), ...(kind === "classify" ? [CLASS_NAMES[point.c]] : []), shown(point.x, 4), shown(point.y, 4), shown(points.alpha[i], 4),
      shown(points.score[i], 4), shown(points.slack[i], 4), (words[points.kind[i]] ?? words[3])[0],
    ]);
    this.table.replaceChildren(make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell)))))));
  }
}
