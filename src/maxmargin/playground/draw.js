// Paints an answer: colours, lines and marks only; where they go is the core's.
import { task } from "./state.js";

const TURN = 2 * Math.PI;
const NON_INFORMATIVE = 0, ON_EDGE = 1, WRONG = 3;

// The colours of the page, as it is light or dark.
export function palette(element) {
  const style = getComputedStyle(element), read = (name) => style.getPropertyValue(name).trim();
  return {
    classes: [0, 1, 2, 3, 4].map((k) => read(`--class-${k}`)),
    ink: read("--ink"), faint: read("--faint"), ground: read("--plot"), grid: read("--grid"), accent: read("--accent"),
    slack: read("--slack"), proof: read("--proof"),
  };
}

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function shape(context, kind, x, y, r) {
  context.beginPath();
  if (kind === 0) return context.arc(x, y, r, 0, TURN);
  const corners = { 1: 4, 2: 3, 3: 4, 4: 5 }[kind], turn = kind === 1 ? Math.PI / 4 : kind === 3 ? 0 : -Math.PI / 2;
  const size = kind === 1 ? 1.18 * r : 1.25 * r;
  for (let k = 0; k < corners; ++k) {
    const angle = turn + (TURN * k) / corners;
    context[k ? "lineTo" : "moveTo"](x + size * Math.cos(angle), y + size * Math.sin(angle));
  }
  context.closePath();
}

export class Painter {
  constructor(canvas, view) {
    this.canvas = canvas;
    this.view = view;
    this.context = canvas.getContext("2d");
    this.raster = document.createElement("canvas");
  }

  resize() {
    const ratio = Math.min(3, window.devicePixelRatio || 1), box = this.canvas.getBoundingClientRect();
    const width = Math.max(50, box.width), height = Math.max(50, box.height);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.view.resize(width, height);
  }

  paint(state, answer, marks) {
    const { context, view } = this, colours = palette(this.canvas), kind = task(state.formulation);
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, view.width, view.height);
    if (answer?.picture) this.#regions(answer, marks.classes, colours, kind);
    this.#axes(colours, kind);
    if (answer?.picture) this.#lines(answer, marks.classes, colours, kind);
    if (answer?.curve) this.#tube(answer, state.epsilon, colours);
    if (answer?.slackLines) this.#slack(answer.slackLines, colours);
    if (answer) this.#proofs(answer, state, colours);
    this.#points(state, answer, colours, kind, marks);
    if (marks.pair) this.#pair(state, marks.pair, colours);
  }

  #regions(answer, classes, colours, kind) {
    const { picture } = answer, { across, up } = picture, image = new ImageData(across, up), { data } = image;
    const tints = kind === "one" ? [channels(colours.accent), channels(colours.classes[0])] : classes.map((c) => channels(colours.classes[c]));
    const single = picture.lines.length === 1;
    const dark = colours.ground < "#7";
    const strongest = dark ? 92 : 84, paler = dark ? 30 : 24;
    for (let j = 0; j < up; ++j) {
      for (let i = 0; i < across; ++i) {
        const from = j * across + i, to = 4 * ((up - 1 - j) * across + i);
        const tint = tints[picture.winner[from]] ?? tints[0], lead = picture.lead[from];
        const inside = single && kind === "classify" ? lead < 1 : false;
        const strength = kind === "one" ? (picture.winner[from] ? 46 : 8) : inside ? paler * (0.55 + 0.45 * lead) : Math.min(strongest, 54 + 12 * lead);
        [data[to], data[to + 1], data[to + 2], data[to + 3]] = [...tint, strength];
      }
    }
    this.raster.width = across;
    this.raster.height = up;
    this.raster.getContext("2d").putImageData(image, 0, 0);
    const [x0, y0] = this.view.screen(picture.left, picture.top), [x1, y1] = this.view.screen(picture.right, picture.bottom);
    const half = { x: (x1 - x0) / (across - 1) / 2, y: (y1 - y0) / (up - 1) / 2 };
    this.context.imageSmoothingEnabled = true;
    this.context.imageSmoothingQuality = "high";
    this.context.drawImage(this.raster, x0 - half.x, y0 - half.y, x1 - x0 + 2 * half.x, y1 - y0 + 2 * half.y);
  }

  #axes(colours, kind) {
    const { context, view } = this, { left, right, bottom, top } = view.bounds();
    const step = 10 ** Math.floor(Math.log10(right - left)) / (right - left > 5 * 10 ** Math.floor(Math.log10(right - left)) ? 1 : 2);
    context.lineWidth = 1;
    context.strokeStyle = colours.grid;
    context.fillStyle = colours.faint;
    context.font = "11px system-ui, sans-serif";
    const whole = (value) => Math.ceil(value / step) * step, label = (value) => String(Number(value.toPrecision(6)));
    for (let x = whole(left); x <= right; x += step) {
      const [px] = view.screen(x, 0);
      this.#segment(px, 0, px, view.height);
      context.fillText(label(x), px + 3, view.height - 5);
    }
    for (let y = whole(bottom); y <= top; y += step) {
      const [, py] = view.screen(0, y);
      this.#segment(0, py, view.width, py);
      if (py > 14 && py < view.height - 18) context.fillText(label(y), 4, py - 3);
    }
    if (kind === "regress") context.fillText("target", 4, 12);
  }

  #segment(x0, y0, x1, y1) {
    this.context.beginPath();
    this.context.moveTo(x0, y0);
    this.context.lineTo(x1, y1);
    this.context.stroke();
  }

  #strokes(segments, colour, width, dash = []) {
    const { context, view } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.lineCap = "round";
    context.beginPath();
    for (let k = 0; k < segments.length; k += 4) {
      context.moveTo(...view.screen(segments[k], segments[k + 1]));
      context.lineTo(...view.screen(segments[k + 2], segments[k + 3]));
    }
    context.stroke();
    context.setLineDash([]);
  }

  #lines(answer, classes, colours, kind) {
    const { lines, borders } = answer.picture;
    if (lines.length === 1) {
      const [low, middle, high] = kind === "one" ? [null, lines[0][0], null] : lines[0];
      if (low) this.#strokes(low, colours.classes[classes[0]], 1.6);
      if (high) this.#strokes(high, colours.classes[classes[1]], 1.6);
      this.#strokes(middle, colours.ink, 2.6);
      const centre = kind === "one" && answer.certificate.radius > 0 && answer.parts[0].weights;
      if (centre) this.#centre(centre, colours);
      return;
    }
    borders.forEach((border) => this.#strokes(border, colours.ink, 2));
  }

  #centre(centre, colours) {
    const { context } = this, [x, y] = this.view.screen(...centre);
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    this.#segment(x - 7, y, x + 7, y);
    this.#segment(x, y - 7, x, y + 7);
  }

  #tube(answer, epsilon, colours) {
    const { context, view } = this, { x, f } = answer.curve;
    const along = (shift, backwards) => {
      for (let k = 0; k < x.length; ++k) {
        const at = backwards ? x.length - 1 - k : k;
        context[k || backwards ? "lineTo" : "moveTo"](...view.screen(x[at], f[at] + shift));
      }
    };
    context.beginPath();
    along(epsilon, false);
    along(-epsilon, true);
    context.closePath();
    context.fillStyle = `${colours.accent}2e`;
    context.fill();
    const draw = (shift, colour, width, dash) => {
      context.beginPath();
      along(shift, false);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
    };
    draw(epsilon, colours.accent, 1.4, [5, 4]);
    draw(-epsilon, colours.accent, 1.4, [5, 4]);
    draw(0, colours.ink, 2.6, []);
  }

  #slack(segments, colours) {
    this.#strokes(segments, colours.slack, 1.3, [2, 3]);
  }

  // Lines from the rows of a proof to their mean, as thick as their weight.
  #proofs(answer, state, colours) {
    answer.parts.filter((part) => part.proof).forEach((part) => {
      const { row, y, weight } = part.columns, means = part.proof;
      row.forEach((place, k) => {
        if (!weight[k]) return;
        const point = state.points[place], mean = y[k] > 0 || !state.offset ? means.slice(0, 2) : means.slice(2);
        this.#strokes([point.x, point.y, ...mean], colours.proof, 1.5 + 4 * weight[k]);
      });
      for (const at of [0, 2]) {
        const [x, y0] = this.view.screen(means[at], means[at + 1]);
        shape(this.context, 3, x, y0, 8);
        this.context.fillStyle = colours.proof;
        this.context.fill();
        this.context.strokeStyle = colours.ground;
        this.context.lineWidth = 2;
        this.context.stroke();
      }
    });
  }

  #points(state, answer, colours, kind, marks) {
    const infeasible = answer?.certificate.status === "INFEASIBLE";
    const { context, view } = this, told = infeasible ? null : answer?.points, largest = told ? Math.max(...told.alpha, 1e-300) : 1;
    const small = state.points.length > 600 ? 0.72 : state.points.length > 250 ? 0.85 : 1;
    state.points.forEach((point, i) => {
      const [x, y] = view.screen(point.x, point.y), colour = kind === "classify" ? colours.classes[point.c] : colours.classes[0];
      const share = told ? told.alpha[i] / largest : infeasible ? answer.points.weight[i] : 0, role = told ? told.kind[i] : NON_INFORMATIVE, held = share > 1e-9;
      const r = small * (4.2 + 4.6 * Math.sqrt(share));
      shape(context, kind === "classify" ? point.c : 0, x, y, r);
      context.fillStyle = held || role === WRONG ? colour : `${colour}8c`;
      context.fill();
      context.lineWidth = 1.2;
      context.strokeStyle = colours.ground;
      context.stroke();
      if (held) {
        shape(context, kind === "classify" ? point.c : 0, x, y, r + 1.6);
        context.lineWidth = role === ON_EDGE ? 2.2 : 1.3;
        context.strokeStyle = colours.ink;
        context.stroke();
      }
      if (role === WRONG) {
        context.strokeStyle = colours.ground;
        context.lineWidth = 1.8;
        const d = 0.5 * r;
        this.#segment(x - d, y - d, x + d, y + d);
        this.#segment(x - d, y + d, x + d, y - d);
      }
      if (i === marks.focus) {
        context.beginPath();
        context.arc(x, y, r + 6, 0, TURN);
        context.strokeStyle = colours.accent;
        context.lineWidth = 2.5;
        context.stroke();
      }
    });
  }

  #pair(state, pair, colours) {
    const { context, view } = this;
    pair.forEach(({ row, before, after }) => {
      const point = state.points[row], [x, y] = view.screen(point.x, point.y);
      context.beginPath();
      context.arc(x, y, 17, 0, TURN);
      context.strokeStyle = colours.accent;
      context.lineWidth = 3;
      context.stroke();
      const text = Math.abs(after) > Math.abs(before) ? "α ↑" : "α ↓";
      context.font = "600 13px system-ui, sans-serif";
      context.lineWidth = 4;
      context.strokeStyle = colours.ground;
      context.strokeText(text, x + 19, y - 12);
      context.fillStyle = colours.accent;
      context.fillText(text, x + 19, y - 12);
    });
    if (pair.length === 2) {
      const [a, b] = pair.map(({ row }) => state.points[row]);
      this.#strokes([a.x, a.y, b.x, b.y], colours.accent, 1.5, [6, 5]);
    }
  }
}

// The trace: both objectives over the steps, and the gap between them in its shade.
export function paintTrace(canvas, trace, at) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect(), context = canvas.getContext("2d");
  const colours = palette(canvas), { width, height } = box;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (trace.length < 2) return;
  const optimum = trace.at(-1), ends = trace.filter((t) => Number.isFinite(t.primal));
  const low = Math.min(...trace.map((t) => t.dual)), high = Math.max(...ends.map((t) => t.primal).sort((a, b) => a - b).slice(0, Math.ceil(0.97 * ends.length)), optimum.dual);
  const pad = 6, x = (k) => pad + ((width - 2 * pad) * k) / (trace.length - 1);
  const y = (value) => height - pad - (height - 2 * pad) * Math.min(1.2, Math.max(0, (value - low) / (high - low || 1)));
  const path = (key, backwards) => {
    for (let k = 0; k < trace.length; ++k) {
      const place = backwards ? trace.length - 1 - k : k;
      const value = Number.isFinite(trace[place][key]) ? trace[place][key] : high * 2 + 1;
      context[k || backwards ? "lineTo" : "moveTo"](x(place), y(value));
    }
  };
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.beginPath();
  path("primal", false);
  path("dual", true);
  context.closePath();
  context.fillStyle = `${colours.accent}26`;
  context.fill();
  for (const [key, colour] of [["primal", colours.classes[1]], ["dual", colours.classes[0]]]) {
    context.beginPath();
    path(key, false);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.stroke();
  }
  if (at !== null) {
    context.strokeStyle = colours.ink;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x(Math.min(at, trace.length - 1)), 0);
    context.lineTo(x(Math.min(at, trace.length - 1)), height);
    context.stroke();
  }
  context.restore();
}
