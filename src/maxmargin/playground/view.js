// Where the plane is on the canvas: one unit is as long to the right as upwards.

const LEAST = 3; // half of the height that is shown at least
const MARGIN = 1.15;

export class View {
  constructor() {
    this.centre = { x: 0, y: 0 };
    this.half = LEAST;
    this.width = 1;
    this.height = 1;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  // Shows all points, and not less than the usual.
  fit(points) {
    const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
    const low = { x: Math.min(-LEAST, ...xs), y: Math.min(-LEAST, ...ys) };
    const high = { x: Math.max(LEAST, ...xs), y: Math.max(LEAST, ...ys) };
    const far = points.some((p) => Math.abs(p.x) > LEAST || Math.abs(p.y) > LEAST / MARGIN);
    this.centre = far ? { x: (low.x + high.x) / 2, y: (low.y + high.y) / 2 } : { x: 0, y: 0 };
    const across = ((high.x - low.x) / 2) * (this.height / this.width);
    this.half = far ? Math.max((high.y - low.y) / 2, across, LEAST) * MARGIN : Math.max(LEAST, LEAST * 1.05 * (this.height / this.width));
  }

  get scale() {
    return this.height / (2 * this.half);
  }

  screen(x, y) {
    return [this.width / 2 + (x - this.centre.x) * this.scale, this.height / 2 - (y - this.centre.y) * this.scale];
  }

  world(px, py) {
    const rounded = (value) => Math.round(value * 1000) / 1000;
    return {
      x: rounded(this.centre.x + (px - this.width / 2) / this.scale),
      y: rounded(this.centre.y - (py - this.height / 2) / this.scale),
    };
  }

  bounds() {
    const across = this.width / (2 * this.scale);
    return { left: this.centre.x - across, right: this.centre.x + across, bottom: this.centre.y - this.half, top: this.centre.y + this.half };
  }

  // As many points for values as the picture is worth.
  grid(fine) {
    const cells = fine ? 14000 : 6000, aspect = this.width / this.height;
    const up = Math.max(12, Math.round(Math.sqrt(cells / aspect)));
    return { ...this.bounds(), across: Math.max(12, Math.round(up * aspect)), up };
  }

  // Where a curve is drawn from left to right.
  abscissae() {
    const { left, right } = this.bounds(), count = 260;
    return Float64Array.from({ length: count }, (_, k) => left + ((right - left) * k) / (count - 1));
  }
}
