// The core, compiled to WebAssembly: requests in, answers out. No number is computed here.

export const FORMULATIONS = ["soft", "hard", "nu", "regression", "one_class", "ball"];
export const SCHEMES = ["pairs", "rest", "joint"];
export const STATUSES = ["CONVERGED", "ZERO_OPTIMUM", "INDEFINITE", "STALLED", "ITERATION_LIMIT", "TIME_LIMIT", "INFEASIBLE"];
// In the order of KernelKind in the core.
const KERNELS = ["linear", "poly", "rbf", "sigmoid", "quadratic", "cosine", "tanimoto", "laplacian", "chi2", "intersection",
  "min_max", "matern", "rational_quadratic"];
const OPERATORS = { sum: 1, product: 2 };
const LARGEST = 1e6; // of a coordinate: beyond, squares and their sums lose digits that a picture could show
const MOST_POINTS = 5000;

// What the user can mend: its text is shown as it is.
export class InputError extends Error {}

function requireNumber(value, name, low, high) {
  if (typeof value !== "number" || !Number.isFinite(value) || value < low || value > high) {
    throw new InputError(`${name} must be a number between ${low} and ${high}. Got ${value}.`);
  }
  return value;
}

// The few functions of a system that the C++ library asks for.
function systemFunctions(memory) {
  const known = {
    clock_time_get: (_id, _precision, out) => {
      new DataView(memory().buffer).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get: (count, size) => {
      const view = new DataView(memory().buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_write: (_fd, _pieces, _count, written) => {
      new DataView(memory().buffer).setUint32(written, 0, true);
      return 0;
    },
    proc_exit: (code) => {
      throw new Error(`the core ended with code ${code}`);
    },
  };
  return new Proxy({}, { get: (_, name) => known[name] ?? (() => 52) }); // 52: not supported
}

export class Engine {
  static async load(source) {
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
    return new Engine(module);
  }

  constructor(module) {
    this.module = module;
    this.#start();
  }

  #start() {
    let memory;
    const system = systemFunctions(() => memory);
    const imports = {};
    for (const { module, name } of WebAssembly.Module.imports(this.module)) {
      (imports[module] ??= {})[name] = system[name];
    }
    this.core = new WebAssembly.Instance(this.module, imports).exports;
    memory = this.core.memory;
    this.core._initialize();
    this.numberNames = this.#names("number");
    this.columnNames = this.#names("column");
  }

  // A call that may fail: 0 stands for a message. Where the core itself breaks, it is started anew, and the answers it gave are
  // gone.
  call(name, ...values) {
    let result;
    try {
      result = this.core[name](...values);
    } catch (error) {
      this.#start();
      throw new InputError(`The core could not solve this (${error.message}). Change the points or the settings.`);
    }
    if (!result) {
      const text = this.text(this.core.message());
      if (text) throw new InputError(text);
    }
    return result;
  }

  text(address) {
    const bytes = new Uint8Array(this.core.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  array(address, count) {
    return new Float64Array(this.core.memory.buffer, address, count).slice();
  }

  #names(kind) {
    return Array.from({ length: this.core[`${kind}_count`]() }, (_, k) => this.text(this.core[`${kind}_name`](k)));
  }

  // Calls use(address of each) with copies of some arrays in the core's memory.
  #lend(arrays, use) {
    const places = arrays.map((values) => {
      const place = this.core.room(Math.max(1, values.length));
      if (!place) throw new InputError("There is not enough memory for so many points.");
      new Float64Array(this.core.memory.buffer, place, values.length).set(values);
      return place;
    });
    const core = this.core;
    try {
      return use(...places);
    } finally {
      if (core === this.core) places.forEach((place) => core.release(place));
    }
  }

  #pushKernel(kernel, columns) {
    const fail = () => {
      throw new InputError("So many kernels cannot be combined. Take one away.");
    };
    if (kernel.parts) {
      kernel.parts.forEach((part, k) => {
        this.#pushKernel(part, columns);
        if (k > 0 && !this.core.kernel_operator(OPERATORS[kernel.kind], 1, 1)) fail();
      });
      return;
    }
    const kind = KERNELS.indexOf(kernel.kind);
    if (kind < 0) throw new InputError(`There is no kernel ${kernel.kind}.`);
    const gamma = requireNumber(kernel.gamma ?? 1, "gamma", 0, 1e6);
    const coef0 = requireNumber(kernel.coef0 ?? 0, "coef0", -1e6, 1e6);
    const degree = requireNumber(kernel.degree ?? 1, "degree", 0, 20);
    if (!this.core.kernel_formula(kind, gamma, coef0, Math.round(degree), columns)) fail();
  }

  #checked(request) {
    const { x, y, columns } = request;
    if (!x.length) throw new InputError("There are no points. Click into the picture to add some.");
    if (x.length > MOST_POINTS * columns) throw new InputError(`More than ${MOST_POINTS} points are too many for a picture.`);
    if (y.length * columns !== x.length) throw new InputError("Each point needs a class or a target.");
    for (const value of x) requireNumber(value, "A coordinate", -LARGEST, LARGEST);
    for (const value of y) requireNumber(value, "A target", -LARGEST, LARGEST);
    requireNumber(request.C, "C", 1e-9, 1e9);
    requireNumber(request.nu, "nu", 1e-9, 1);
    requireNumber(request.epsilon, "epsilon", 0, LARGEST);
    requireNumber(request.tol, "tol", 1e-14, 1);
  }

  #made(name, request) {
    this.#checked(request);
    this.core.kernel_begin();
    this.#pushKernel(request.kernel, request.columns);
    if (!this.core.kernel_end()) throw new InputError("The kernel is not complete.");
    return this.#lend([request.x, request.y], (x, y) => this.call(name, FORMULATIONS.indexOf(request.formulation),
      SCHEMES.indexOf(request.scheme), Number(request.offset), Number(request.squared), request.C, request.nu, request.epsilon,
      request.tol, request.maxSeconds ?? 1e30, x, y, request.y.length, request.columns));
  }

  // Solves. The fit must be deleted.
  fit(request) {
    return new Fit(this, this.#made("fit_new", request), request.columns, true);
  }

  walk(request) {
    return new Walk(this, this.#made("walk_new", request), request.columns);
  }

  // { x: [x, y, x, y, …], label: […] }
  points(name, count, classes, noise, seed) {
    const bytes = new TextEncoder().encode(`${name}\0`);
    const place = this.core.room(Math.ceil(bytes.length / 8));
    new Uint8Array(this.core.memory.buffer, place, bytes.length).set(bytes);
    const found = this.call("points_new", place, count, classes, noise, seed);
    this.core.release(place);
    const all = this.array(this.core.array(), 3 * found);
    return { x: all.slice(0, 2 * found), label: all.slice(2 * found) };
  }

  standardised(x, columns) {
    return this.#lend([x], (place) => this.array(this.call("points_standardised", place, x.length / columns, columns), x.length));
  }

  curve(address, count, columns, x) {
    return this.#lend([x], (place) => this.array(this.call("fit_values", address, place, x.length / columns), count));
  }
}

class Fit {
  constructor(engine, address, columns, owned) {
    this.engine = engine;
    this.core = engine.core;
    this.address = address;
    this.columnsOfX = columns;
    this.owned = owned;
    this.parts = this.core.fit_parts(address);
    this.classes = this.core.fit_classes(address);
  }

  delete() {
    if (this.owned && this.core === this.engine.core) this.core.fit_delete(this.address);
  }

  // The certificate of one part, or of all.
  certificate(part = -1) {
    const values = this.engine.array(this.core.fit_numbers(this.address, part), this.engine.numberNames.length);
    const found = Object.fromEntries(this.engine.numberNames.map((name, k) => [name, values[k]]));
    found.status = STATUSES[found.status];
    return found;
  }

  // What is said of each row of one part, or of each point.
  columns(part = -1) {
    const rows = this.core.fit_rows(this.address, part), names = this.engine.columnNames;
    const all = this.engine.array(this.core.fit_columns(this.address, part), rows * names.length);
    return Object.fromEntries(names.map((name, k) => [name, all.subarray(k * rows, (k + 1) * rows)]));
  }

  // Which class is on the positive side of a part and which on the other; -1 stands for all others.
  sides(part) {
    return [this.core.fit_positive(this.address, part), this.core.fit_negative(this.address, part)];
  }

  weights(part) {
    const place = this.core.fit_weights(this.address, part);
    return place ? Array.from(this.engine.array(place, this.columnsOfX)) : null;
  }

  // The two means of rows that prove that nothing separates them.
  proof(part) {
    const place = this.core.fit_proof(this.address, part);
    return place ? Array.from(this.engine.array(place, 4)) : null;
  }

  // From each point with slack to where it would have none, x, y, x, y.
  slackLines() {
    const count = this.engine.call("fit_slack_lines", this.address);
    return this.engine.array(this.core.array(), 4 * count);
  }

  // f of all parts at some points, part after part.
  values(x) {
    return this.engine.curve(this.address, (this.parts * x.length) / this.columnsOfX, this.columnsOfX, x);
  }

  // Values, winners and lines on a grid; `levels` are drawn of each part.
  picture({ left, right, bottom, top, across, up }, levels) {
    const engine = this.engine, core = this.core, size = across * up;
    const picture = engine.call("picture_new", this.address, left, right, bottom, top, across, up);
    const segments = (count) => engine.array(core.array(), 4 * count);
    const found = {
      left, right, bottom, top, across, up,
      values: engine.array(core.picture_values(picture), size * this.parts),
      winner: engine.array(core.picture_winner(picture), size),
      lead: engine.array(core.picture_lead(picture), size),
      lines: Array.from({ length: this.parts }, (_, part) =>
        levels.map((level) => segments(core.picture_contour(picture, part, level)))),
      borders: Array.from({ length: this.parts > 1 ? this.classes : 0 }, (_, label) =>
        segments(core.picture_border(picture, label))),
    };
    core.picture_delete(picture);
    return found;
  }

  // All that a page shows, as plain data that a worker can send.
  answer(grid, levels, curve) {
    const certificate = this.certificate();
    if (certificate.status === "INFEASIBLE") [grid, curve] = [null, null]; // there is no f to draw
    return {
      certificate,
      points: this.columns(),
      parts: Array.from({ length: this.parts }, (_, k) => ({
        certificate: this.certificate(k), columns: this.columns(k), sides: this.sides(k), weights: this.weights(k),
        proof: this.proof(k),
      })),
      picture: grid ? this.picture(grid, levels) : null,
      curve: curve ? { x: curve, f: this.values(curve) } : null,
      slackLines: grid || curve ? this.slackLines() : [],
    };
  }
}

class Walk {
  constructor(engine, address, columns) {
    this.engine = engine;
    this.core = engine.core;
    this.address = address;
    this.fit = new Fit(engine, this.core.walk_fit(address), columns, false);
  }

  // The rows whose coefficients moved, with the values before and after; empty at the end.
  step() {
    const moved = this.engine.call("walk_step", this.address);
    const all = this.engine.array(this.core.array(), 3 * moved);
    return Array.from({ length: moved }, (_, k) => ({ row: all[3 * k], before: all[3 * k + 1], after: all[3 * k + 2] }));
  }

  delete() {
    if (this.core === this.engine.core) this.core.walk_delete(this.address);
  }
}
