// Points from pasted text: two numbers and a class, or two numbers, in each line.
import { InputError } from "./engine.js";
import { CLASSES } from "./state.js";

const MOST = 2000;

function cells(line) {
  const separator = [";", "\t", ","].find((each) => line.includes(each)) ?? /\s+/;
  return line.trim().split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

const isNumber = (cell) => cell !== "" && Number.isFinite(Number(cell));

// { x: [x, y, …], label: [class number, …], names } of the first two columns of numbers; the last other column is the class.
export function parsed(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  if (!lines.length) throw new InputError("There is no text. Paste lines like 1.5, 2.0, red.");
  let rows = lines.map(cells);
  if (rows.length > 1 && rows[0].filter(isNumber).length < 2 && rows[1].filter(isNumber).length >= 2) rows = rows.slice(1);
  if (rows.length > MOST) throw new InputError(`These are ${rows.length} lines; at most ${MOST} can be drawn.`);
  const width = rows[0].length;
  if (width < 2) throw new InputError(`Line 1 has one value: "${rows[0][0].slice(0, 40)}". Each line needs two numbers.`);
  rows.forEach((row, k) => {
    if (row.length !== width) throw new InputError(`Line ${k + 1} has ${row.length} values, and the first has ${width}.`);
  });
  const numeric = [...Array(width).keys()].filter((column) => rows.every((row) => isNumber(row[column])));
  if (numeric.length < 2) {
    const bad = rows.findIndex((row) => row.filter(isNumber).length < 2);
    throw new InputError(`Line ${Math.max(bad, 0) + 1} does not have two numbers: "${rows[Math.max(bad, 0)].join(", ").slice(0, 60)}".`);
  }
  const [first, second] = numeric;
  const classColumn = [...Array(width).keys()].reverse().find((column) => column !== first && column !== second);
  const names = classColumn === undefined ? ["points"] : [...new Set(rows.map((row) => row[classColumn]))];
  if (names.length > CLASSES) {
    throw new InputError(`The last column has ${names.length} classes; at most ${CLASSES} can be told apart by colour.`);
  }
  return {
    x: Float64Array.from(rows.flatMap((row) => [Number(row[first]), Number(row[second])])),
    label: rows.map((row) => (classColumn === undefined ? 0 : names.indexOf(row[classColumn]))),
    names,
  };
}
