// Hands on the plane: click, drag, brush, and the keys that do the same.

const NEAR = 14; // pixels
const BRUSH = 26; // pixels between the points of a brush
const KEY_STEP = 0.1;

export class Hands {
  // `plane` has points(), tool(), label(), touched(done), say(text), full().
  constructor(canvas, view, plane) {
    this.canvas = canvas;
    this.view = view;
    this.plane = plane;
    this.focus = -1;
    this.cursor = { x: 0, y: 0 };
    this.held = -1;
    this.last = null;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => {
      this.focus = -1;
      plane.touched(false);
    });
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  nearest([px, py]) {
    let found = -1, best = NEAR;
    this.plane.points().forEach((point, i) => {
      const [x, y] = this.view.screen(point.x, point.y), distance = Math.hypot(x - px, y - py);
      if (distance <= best) [found, best] = [i, distance];
    });
    return found;
  }

  #add(place) {
    if (this.plane.full()) return;
    this.plane.points().push({ ...this.view.world(...place), c: this.plane.label() });
  }

  #remove(i) {
    this.plane.points().splice(i, 1);
    if (this.focus >= this.plane.points().length) this.focus = this.plane.points().length - 1;
  }

  #down(event) {
    const place = this.#at(event), tool = this.plane.tool(), found = this.nearest(place);
    this.canvas.setPointerCapture(event.pointerId);
    this.changed = false;
    this.last = place;
    this.erasing = tool === "erase" || event.button === 2;
    if (this.erasing) {
      if (found >= 0) this.#remove(found);
      this.changed = found >= 0;
    } else if (tool === "brush") {
      this.brushing = true;
      this.#add(place);
      this.changed = true;
    } else if (found >= 0) {
      this.held = found;
    } else {
      this.#add(place);
      this.held = this.plane.points().length - 1;
      this.changed = true;
    }
    if (this.changed) this.plane.touched(false);
  }

  #move(event) {
    const place = this.#at(event);
    if (this.held >= 0) {
      Object.assign(this.plane.points()[this.held] ?? {}, this.view.world(...place));
      this.changed = true;
      this.plane.touched(false);
    } else if (this.brushing && Math.hypot(place[0] - this.last[0], place[1] - this.last[1]) > BRUSH) {
      this.last = place;
      this.#add(place);
      this.plane.touched(false);
    } else if (this.erasing && event.buttons) {
      const found = this.nearest(place);
      if (found >= 0) {
        this.#remove(found);
        this.changed = true;
        this.plane.touched(false);
      }
    } else {
      this.canvas.style.cursor = this.nearest(place) >= 0 ? "grab" : "crosshair";
    }
  }

  #up() {
    const changed = this.changed;
    this.held = -1;
    this.brushing = this.erasing = this.changed = false;
    if (changed) this.plane.touched(true);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const points = this.plane.points(), arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const rounded = (value) => Math.round(value * 1000) / 1000;
    if (arrows[event.key]) {
      const [dx, dy] = arrows[event.key], step = KEY_STEP * (event.shiftKey ? 5 : 1), moved = points[this.focus] ?? this.cursor;
      moved.x = rounded(moved.x + step * dx);
      moved.y = rounded(moved.y + step * dy);
      if (this.focus >= 0) this.plane.touched(true);
      this.plane.say(this.focus >= 0 ? this.focus : `Cursor at ${moved.x}, ${moved.y}`);
    } else if (["n", "N", "p", "P"].includes(event.key) && points.length) {
      const step = event.key.toLowerCase() === "n" ? 1 : -1;
      this.focus = this.focus < 0 ? (step > 0 ? 0 : points.length - 1) : (this.focus + step + points.length) % points.length;
      this.plane.touched(false);
      this.plane.say(this.focus);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.plane.full()) return;
      const from = points[this.focus] ?? this.cursor;
      points.push({ x: rounded(from.x + (this.focus >= 0 ? KEY_STEP : 0)), y: from.y, c: this.plane.label() });
      this.focus = points.length - 1;
      this.plane.touched(true);
      this.plane.say(this.focus);
    } else if ((event.key === "Delete" || event.key === "Backspace") && this.focus >= 0) {
      this.#remove(this.focus);
      this.plane.touched(true);
      this.plane.say(points.length ? this.focus : "No points");
    } else if (/^[1-5]$/.test(event.key)) {
      this.plane.choose(Number(event.key) - 1, this.focus);
    } else if (event.key === "Escape") {
      this.focus = -1;
      this.plane.touched(false);
    } else {
      return;
    }
    event.preventDefault();
  }
}
