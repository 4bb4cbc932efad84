// What the marks in the plane mean.
import { make } from "./dom.js";
import { task } from "./state.js";
import { KIND } from "./words.js";

// Made anew only where the marks are others.
export function showLegend(place, state, answer) {
  const kind = task(state.formulation), infeasible = answer?.certificate.status === "INFEASIBLE";
  const shown = `${kind} ${infeasible} ${state.offset}`;
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const marks = {
    0: '<circle cx="9" cy="9" r="4.5" fill="var(--class-0)" opacity=".55"/>',
    1: '<circle cx="9" cy="9" r="5" fill="var(--class-0)"/><circle cx="9" cy="9" r="6.8" fill="none" stroke="var(--ink)" stroke-width="2.2"/>',
    2: '<circle cx="9" cy="9" r="5.5" fill="var(--class-0)"/><circle cx="9" cy="9" r="7.2" fill="none" stroke="var(--ink)" stroke-width="1.2"/>',
    3: '<circle cx="9" cy="9" r="6" fill="var(--class-0)"/><circle cx="9" cy="9" r="7.6" fill="none" stroke="var(--ink)" stroke-width="1.2"/><path d="M6 6l6 6M6 12l6-6" stroke="var(--plot)" stroke-width="1.8"/>',
  };
  const item = (drawing, title, text) => {
    const template = document.createElement("template");
    template.innerHTML = `<svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">${drawing}</svg>`;
    return make("li", { title: text }, template.content.firstChild, title);
  };
  if (infeasible) {
    const [mark, hint] = state.offset
      ? ["both means: the same point", "A weighted mean of one class that is one of the other too"]
      : ["the sum Σ αᵢ yᵢ xᵢ: 0", "Weights α ≥ 0 that sum to 1"];
    place.replaceChildren(
      item(marks[2], "point of the proof", "The larger, the more weight it has"),
      item('<path d="M2 16 16 2" stroke="var(--proof)" stroke-width="2.4"/>', "its weight", "The thicker, the more weight the point has"),
      item('<path d="M9 2 16 9 9 16 2 9Z" fill="var(--proof)"/>', mark, hint));
    return;
  }
  const items = KIND[kind].flatMap((words, k) => (words ? [item(marks[k], words[0], words[1])] : []));
  items.push(item('<circle cx="5" cy="12" r="3" fill="var(--class-0)"/><circle cx="12" cy="8" r="5.5" fill="var(--class-0)"/>', "size: α", "The larger, the more weight the point has"));
  items.push(item('<path d="M2 16 16 2" stroke="var(--slack)" stroke-width="2" stroke-dasharray="2 3"/>', "slack ξ", "From the point to where it would have no slack"));
  place.replaceChildren(...items);
}
