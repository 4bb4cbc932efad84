// Reads requests as JSON from standard input and writes the answers of the core in WebAssembly: node solve.mjs ENGINE CORE
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engineFile, coreFile] = process.argv.slice(2);
const { Engine } = await import(pathToFileURL(engineFile));
const engine = await Engine.load(readFileSync(coreFile));
const plain = (_, value) =>
  value instanceof Float64Array ? Array.from(value) : value === Infinity ? "inf" : Number.isNaN(value) ? "nan" : value;

const answers = JSON.parse(readFileSync(0, "utf8")).map((job) => {
  try {
    if (job.points) return engine.points(...job.points);
    const request = { ...job.request, x: Float64Array.from(job.request.x), y: Float64Array.from(job.request.y) };
    if (job.walk) {
      const walk = engine.walk(request), moves = [];
      for (let move = walk.step(); move.length && moves.length < job.walk; move = walk.step()) {
        moves.push({ move, certificate: walk.fit.certificate() });
      }
      walk.delete();
      return { moves };
    }
    const begun = performance.now();
    const fit = engine.fit(request);
    const answer = { milliseconds: performance.now() - begun, ...fit.answer(null, []) };
    fit.delete();
    return answer;
  } catch (error) {
    return { error: error.message, kind: error.constructor.name };
  }
});
process.stdout.write(JSON.stringify(answers, plain));
