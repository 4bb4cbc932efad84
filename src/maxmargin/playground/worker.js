// Solves beside the page: messages { module } once, then { number, request, grid, levels, curve }; the newest counts.
import { Engine } from "./engine.js";

let engine = null;

self.onmessage = ({ data }) => {
  if (data.module) {
    engine = new Engine(data.module);
    return;
  }
  const { number, request, grid, levels, curve } = data;
  try {
    const fit = engine.fit(request);
    try {
      self.postMessage({ number, answer: fit.answer(grid, levels, curve) });
    } finally {
      fit.delete();
    }
  } catch (error) {
    self.postMessage({ number, message: error.message });
  }
};
