// Small helpers to make elements.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

// The mark of a class, as it is drawn in the plane.
export function classMark(k) {
  const shapes = [
    '<circle cx="8" cy="8" r="6"/>', '<rect x="2.5" y="2.5" width="11" height="11"/>', '<path d="M8 1.5 14.5 13.5H1.5Z"/>',
    '<path d="M8 1 15 8 8 15 1 8Z"/>', '<path d="M8 1 15 6.2 12.3 14.5H3.7L1 6.2Z"/>',
  ];
  const template = document.createElement("template");
  template.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="var(--class-${k})">${shapes[k]}</svg>`;
  return template.content.firstChild;
}

// Numbers as they are read: enough digits, no noise.
export function shown(value, digits = 6) {
  if (Number.isNaN(value)) return "–";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential(2) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}
