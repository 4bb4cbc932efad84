// The settings: each with what it means. They are made anew when the question changes, and only then.
import { make, shown } from "./dom.js";
import { CLASSES, KERNEL_PARAMETERS, RANGES, SETS, newTerm, task } from "./state.js";
import { CONTROL, FORMULATION, KERNEL, PARAMETER, SCHEME, SET } from "./words.js";

const MOST_TERMS = 3;
const STEPS = 200; // of a slider on a logarithmic scale

// Sliders show powers evenly: their place is the logarithm of the value.
const isLogarithmic = (name) => name === "C" || name === "gamma";
const rounded = (value) => Number(value.toPrecision(3));
const toValue = (name, place) => {
  const [low, high] = RANGES[name];
  return isLogarithmic(name) ? rounded(low * (high / low) ** (place / STEPS)) : place;
};
const toPlace = (name, value) => {
  const [low, high] = RANGES[name];
  return isLogarithmic(name) ? Math.round((STEPS * Math.log(value / low)) / Math.log(high / low)) : value;
};

let fields = 0;

function slider(name, value, [title, hint], change, used = true) {
  const id = `field-${++fields}`, [low, high] = RANGES[name];
  const output = make("output", { htmlFor: id }, shown(value, 3));
  const input = make("input", {
    id, type: "range",
    min: isLogarithmic(name) ? 0 : low, max: isLogarithmic(name) ? STEPS : high,
    step: isLogarithmic(name) || name === "degree" ? 1 : 0.01,
    "aria-describedby": `${id}-hint`,
  });
  input.value = toPlace(name, value);
  input.setAttribute("aria-valuetext", shown(value, 3));
  const take = (done) => {
    const chosen = toValue(name, Number(input.value));
    output.textContent = shown(chosen, 3);
    input.setAttribute("aria-valuetext", shown(chosen, 3));
    change(chosen, done);
  };
  input.addEventListener("input", () => take(false));
  input.addEventListener("change", () => take(true));
  return make("div", { className: used ? "field" : "field unused" },
    make("div", { className: "head" }, make("label", { htmlFor: id }, title), output), input,
    make("p", { className: "hint", id: `${id}-hint` }, hint));
}

function check(checked, [title, hint], change) {
  const box = make("input", { type: "checkbox", checked });
  box.addEventListener("change", () => change(box.checked));
  return make("label", { className: "check" }, box, make("span", {}, title, make("span", { className: "hint visually-block" }, ` — ${hint}`)));
}

function choices(label, words, chosen, change) {
  const group = make("div", { className: "choices", role: "group", "aria-label": label });
  for (const [key, [title]] of Object.entries(words)) {
    const button = make("button", { type: "button", "aria-pressed": String(key === chosen) }, title);
    button.addEventListener("click", () => change(key));
    group.append(button);
  }
  return group;
}

// `change(fields, done)` takes what is new; `choose(fields)` what makes other controls; `load(set)` other points.
export function makeControls(place, state, { change, choose, load, paste, clear }) {
  const kind = task(state.formulation), soft = state.formulation === "soft";
  const several = kind === "classify" && new Set(state.points.map((point) => point.c)).size > 2;
  const problem = make("section", { className: "card", "aria-label": "Question" }, make("h2", {}, "Question"),
    choices("Formulation", FORMULATION, state.formulation, (formulation) => choose({ formulation })),
    make("p", { className: "told" }, FORMULATION[state.formulation][1]));
  if (several) {
    problem.append(make("div", { className: "field" }, make("div", { className: "head" }, "Several classes"),
      choices("Several classes", SCHEME, state.scheme, (scheme) => choose({ scheme })),
      make("p", { className: "told" }, SCHEME[state.scheme][1])));
  }
  const numbers = [];
  if (soft || state.formulation === "regression") {
    const text = state.formulation === "regression" ? CONTROL.C_regression : state.squared ? CONTROL.C_squared : CONTROL.C;
    numbers.push(["C", text]);
  }
  if (["nu", "one_class", "ball"].includes(state.formulation)) numbers.push(["nu", CONTROL.nu]);
  if (state.formulation === "regression") numbers.push(["epsilon", CONTROL.epsilon]);
  for (const [name, text] of numbers) problem.append(slider(name, state[name], text, (value, done) => change({ [name]: value }, done)));
  if (soft && state.scheme !== "joint") problem.append(check(state.squared, CONTROL.squared, (squared) => choose({ squared })));
  if (["soft", "hard", "regression"].includes(state.formulation)) {
    problem.append(check(state.offset, CONTROL.offset, (offset) => choose({ offset })));
  }
  place.replaceChildren(problem, kernelCard(state, change, choose), dataCard(state, kind, load, paste, clear));
}

function kernelCard(state, change, choose) {
  const card = make("section", { className: "card", "aria-label": "Kernel" }, make("h2", {}, "Kernel"));
  const withTerm = (k, term) => state.terms.map((each, place) => (place === k ? term : each));
  state.terms.forEach((term, k) => {
    const select = make("select", { "aria-label": state.terms.length > 1 ? `Kernel ${k + 1}` : "Kernel" });
    for (const [key, [title]] of Object.entries(KERNEL)) select.append(make("option", { value: key, selected: key === term.kind }, title));
    select.addEventListener("change", () => choose({ terms: withTerm(k, newTerm(select.value, term)) }));
    const head = make("div", { className: "head" }, select);
    if (state.terms.length > 1) {
      const remove = make("button", { type: "button", "aria-label": `Take kernel ${k + 1} away` }, "×");
      remove.addEventListener("click", () => choose({ terms: state.terms.filter((_, place) => place !== k) }));
      head.append(remove);
    }
    const box = make("div", { className: "term" }, head, make("p", { className: "told" }, KERNEL[term.kind][1]));
    for (const name of KERNEL_PARAMETERS[term.kind]) {
      const label = state.terms.length > 1 ? [`${PARAMETER[name][0]} of kernel ${k + 1}`, PARAMETER[name][1]] : PARAMETER[name];
      box.append(slider(name, term[name], label, (value, done) =>
        change((now) => ({ terms: now.terms.map((each, at) => (at === k ? { ...each, [name]: value } : each)) }), done)));
    }
    card.append(box);
  });
  const row = make("div", { className: "row" });
  if (state.terms.length > 1) {
    const group = make("div", { className: "group", role: "group", "aria-label": CONTROL.combine[0] });
    for (const [key, title] of [["sum", "Sum +"], ["product", "Product ×"]]) {
      const button = make("button", { type: "button", "aria-pressed": String(state.combine === key) }, title);
      button.addEventListener("click", () => choose({ combine: key }));
      group.append(button);
    }
    row.append(group);
  }
  if (state.terms.length < MOST_TERMS) {
    const add = make("button", { type: "button" }, "+ another kernel");
    add.addEventListener("click", () => choose({ terms: [...state.terms, newTerm(state.terms.length > 1 ? "rbf" : "linear")] }));
    row.append(add);
  }
  card.append(row);
  if (state.terms.length > 1) card.append(make("p", { className: "told" }, CONTROL.combine[1]));
  return card;
}

function dataCard(state, kind, load, paste, clear) {
  const { set } = state, names = SETS[kind];
  const number = (id, label, value, low, high, step) => {
    const input = make("input", { id, type: "number", min: low, max: high, step, value });
    return [make("label", { htmlFor: id, className: "over" }, label, input), input];
  };
  const select = make("select", { id: "set-name" });
  for (const name of names) select.append(make("option", { value: name, selected: name === set.name }, SET[name]));
  const [countLabel, count] = number("set-count", "Points", set.count, 2, 2000, 1);
  const [noiseLabel, noise] = number("set-noise", "Noise", set.noise, 0, 2, 0.05);
  const [classesLabel, classes] = number("set-classes", "Classes", set.classes, 2, CLASSES, 1);
  const clamp = (input) => Math.min(Number(input.max), Math.max(Number(input.min), Number(input.value) || 0));
  const chosen = (more = {}) => load({
    name: select.value, count: Math.round(clamp(count)), classes: Math.round(clamp(classes)), noise: clamp(noise), seed: set.seed, ...more,
  });
  for (const input of [select, count, noise, classes]) input.addEventListener("change", () => chosen());
  const again = make("button", { type: "button" }, "Draw again"), empty = make("button", { type: "button" }, "Clear");
  again.addEventListener("click", () => chosen({ seed: (set.seed % 999) + 1 }));
  empty.addEventListener("click", clear);
  const own = make("button", { type: "button" }, "Paste CSV …");
  own.addEventListener("click", paste);
  const hasClasses = ["blobs", "outliers", "circles", "spirals"].includes(set.name) && kind === "classify";
  return make("section", { className: "card", "aria-label": "Points" }, make("h2", {}, "Points"),
    make("label", { htmlFor: "set-name", className: "over" }, "Data set", select),
    make("div", { className: "row" }, countLabel, noiseLabel, ...(hasClasses ? [classesLabel] : [])),
    make("div", { className: "row" }, again, own, empty));
}
