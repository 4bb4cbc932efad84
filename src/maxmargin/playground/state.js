// What the user has chosen and drawn: one plain object, with its past, in the address of the page.

export const CLASSES = 5;
const MOST_IN_ADDRESS = 1500;

export const KERNEL_PARAMETERS = {
  linear: [],
  rbf: ["gamma"],
  poly: ["gamma", "coef0", "degree"],
  laplacian: ["gamma"],
  matern: ["gamma", "degree"],
  rational_quadratic: ["gamma", "coef0"],
  cosine: [],
  sigmoid: ["gamma", "coef0"],
};

export const RANGES = {
  C: [1e-3, 1e5],
  nu: [0.01, 1],
  epsilon: [0, 2],
  gamma: [1e-3, 1e3],
  coef0: [0, 10],
  degree: [0, 8],
};

export const SETS = {
  classify: ["moons", "circles", "xor", "blobs", "outliers", "spirals", "overlap", "iris"],
  regress: ["sine", "line", "step"],
  one: ["cloud", "moons", "circles", "blobs"],
};

// Which of the three kinds of question a formulation asks.
export function task(formulation) {
  if (formulation === "regression") return "regress";
  return formulation === "one_class" || formulation === "ball" ? "one" : "classify";
}

export function newTerm(kind, like = {}) {
  const usual = {
    linear: {}, rbf: { gamma: 1 }, poly: { gamma: 1, coef0: 1, degree: 3 }, laplacian: { gamma: 1 },
    matern: { gamma: 2, degree: 1 }, rational_quadratic: { gamma: 1, coef0: 1 }, cosine: {}, sigmoid: { gamma: 0.2, coef0: 0 },
  }[kind];
  const kept = Object.fromEntries(Object.keys(usual).filter((key) => key === "gamma" && key in like).map((key) => [key, like[key]]));
  return { kind, ...usual, ...kept };
}

export function initialState() {
  return {
    formulation: "soft",
    scheme: "pairs",
    offset: true,
    squared: false,
    C: 1,
    nu: 0.2,
    epsilon: 0.3,
    combine: "sum",
    terms: [newTerm("rbf")],
    set: { name: "moons", count: 60, classes: 2, noise: 0.25, seed: 1 },
    points: [], // { x, y, c }
    edited: false, // the points are no longer those of the set
  };
}

export function copyOf(state) {
  return { ...state, terms: state.terms.map((term) => ({ ...term })), set: { ...state.set },
    points: state.points.map((point) => ({ ...point })) };
}

// What the core is asked. For a regression the height of a point is its target.
export function requestOf(state, tol = 1e-8) {
  const regress = state.formulation === "regression", points = state.points;
  const parts = state.terms.map((term) => ({ ...term }));
  const used = [...new Set(points.map((point) => point.c))].sort();
  return {
    formulation: state.formulation,
    scheme: state.scheme,
    offset: state.offset || !["soft", "hard", "regression"].includes(state.formulation),
    squared: state.squared && state.formulation === "soft",
    C: state.C,
    nu: state.nu,
    epsilon: state.epsilon,
    tol,
    kernel: parts.length === 1 ? parts[0] : { kind: state.combine, parts },
    columns: regress ? 1 : 2,
    x: Float64Array.from(regress ? points.map((point) => point.x) : points.flatMap((point) => [point.x, point.y])),
    y: Float64Array.from(points.map((point) => (regress ? point.y : task(state.formulation) === "one" ? 0 : used.indexOf(point.c)))),
    classes: used, // the number of a class in the core is its place here
  };
}

// ---- the address ----------------------------------------------------------------------------------------------------------

const short = (value) => String(Number(value.toPrecision(6)));
const coordinate = (value) => Math.round(value * 1000).toString(36);

export function toAddress(state) {
  const query = new URLSearchParams();
  query.set("f", state.formulation);
  if (state.scheme !== "pairs") query.set("several", state.scheme);
  if (!state.offset) query.set("offset", "0");
  if (state.squared) query.set("squared", "1");
  query.set("C", short(state.C));
  query.set("nu", short(state.nu));
  query.set("eps", short(state.epsilon));
  query.set("k", state.terms.map((t) => [t.kind, ...KERNEL_PARAMETERS[t.kind].map((key) => short(t[key]))].join("_"))
    .join(state.combine === "sum" ? "+" : "*"));
  if (!state.edited) {
    query.set("set", Object.values(state.set).join("_"));
  } else if (state.points.length <= MOST_IN_ADDRESS) {
    query.set("p", state.points.map((p) => `${p.c}.${coordinate(p.x)}.${coordinate(p.y)}`).join("~"));
  }
  return `#${query.toString().replaceAll("%7E", "~")}`;
}

function number(text, [low, high]) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) && value >= low && value <= high ? value : null;
}

// The state in an address, and what in it was not understood.
export function fromAddress(hash, formulations, schemes) {
  const state = initialState(), wrong = [];
  let query;
  try {
    query = new URLSearchParams(hash.replace(/^#/, ""));
  } catch {
    return { state, wrong: ["all of it"] };
  }
  const take = (key, parse) => {
    if (!query.has(key)) return;
    const value = parse(query.get(key));
    if (value === null) wrong.push(key);
    else Object.assign(state, value);
  };
  const oneOf = (name, choices) => (text) => (choices.includes(text) ? { [name]: text } : null);
  take("f", oneOf("formulation", formulations));
  take("several", oneOf("scheme", schemes));
  take("offset", (text) => (/^[01]$/.test(text) ? { offset: text === "1" } : null));
  take("squared", (text) => (/^[01]$/.test(text) ? { squared: text === "1" } : null));
  for (const [key, name] of [["C", "C"], ["nu", "nu"], ["eps", "epsilon"]]) {
    take(key, (text) => {
      const value = number(text, RANGES[name]);
      return value === null ? null : { [name]: value };
    });
  }
  take("k", parsedKernel);
  take("set", parsedSet);
  take("p", parsedPoints);
  return { state, wrong };
}

function parsedKernel(text) {
  const product = text.includes("*");
  const terms = text.split(product ? "*" : /[+ ]/).map((part) => {
    const [kind, ...values] = part.split(/_(?=[-\d.])/);
    const keys = KERNEL_PARAMETERS[kind];
    if (!keys || values.length !== keys.length) return null;
    const read = keys.map((key, k) => number(values[k], RANGES[key]));
    return read.includes(null) ? null : { kind, ...Object.fromEntries(keys.map((key, k) => [key, read[k]])) };
  });
  return terms.includes(null) || terms.length > 3 ? null : { terms, combine: product ? "product" : "sum" };
}

function parsedSet(text) {
  const [name, ...values] = text.split("_");
  const [count, classes, noise, seed] = values.map(Number);
  const known = Object.values(SETS).flat().includes(name) && values.length === 4;
  const right = known && count >= 2 && count <= 2000 && classes >= 2 && classes <= CLASSES && noise >= 0 && noise <= 2 &&
    seed >= 0 && seed <= 1e9;
  return right ? { set: { name, count: Math.round(count), classes: Math.round(classes), noise, seed: Math.round(seed) } } : null;
}

function parsedPoints(text) {
  if (text === "") return { points: [], edited: true };
  const points = text.split("~").map((each) => {
    const found = /^([0-4])\.(-?[0-9a-z]{1,8})\.(-?[0-9a-z]{1,8})$/.exec(each);
    return found && { c: Number(found[1]), x: parseInt(found[2], 36) / 1000, y: parseInt(found[3], 36) / 1000 };
  });
  const right = points.length <= MOST_IN_ADDRESS && points.every((p) => p && Math.abs(p.x) <= 1e6 && Math.abs(p.y) <= 1e6);
  return right ? { points, edited: true } : null;
}

// ---- the past ---------------------------------------------------------------------------------------------------------------

export class History {
  #past = [];
  #future = [];
  #now;

  constructor(state) {
    this.#now = copyOf(state);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  // To be called when a change is done, not at each step of a drag.
  keep(state) {
    this.#past.push(this.#now);
    if (this.#past.length > 200) this.#past.shift();
    this.#now = copyOf(state);
    this.#future = [];
  }

  undo() {
    return this.#step(this.#past, this.#future);
  }

  redo() {
    return this.#step(this.#future, this.#past);
  }

  #step(from, to) {
    if (!from.length) return null;
    to.push(this.#now);
    this.#now = from.pop();
    return copyOf(this.#now);
  }
}
