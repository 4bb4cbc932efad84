// The state as a Python script that prints the same certificate.
import { requestOf } from "./state.js";

const CLASS_OF_KERNEL = {
  linear: "Linear", rbf: "RBF", poly: "Polynomial", laplacian: "Laplacian", matern: "Matern",
  rational_quadratic: "RationalQuadratic", cosine: "Cosine", sigmoid: "Sigmoid",
};
const NU_OF_MATERN = ["0.5", "1.5", "2.5"];

function kernelText(term) {
  const name = CLASS_OF_KERNEL[term.kind];
  switch (term.kind) {
    case "rbf":
    case "laplacian":
      return `${name}(gamma=${term.gamma})`;
    case "poly":
      return `${name}(degree=${term.degree}, gamma=${term.gamma}, coef0=${term.coef0})`;
    case "sigmoid":
      return `${name}(gamma=${term.gamma}, coef0=${term.coef0})`;
    case "matern":
      return maternText(term);
    case "rational_quadratic":
      return rationalText(term);
    default:
      return `${name}()`;
  }
}

function maternText(term) {
  return `Matern(nu=${NU_OF_MATERN[Math.min(2, term.degree)]}, length_scale=np.sqrt(${2 * term.degree + 1}) / ${term.gamma})`;
}

function rationalText(term) {
  return `RationalQuadratic(alpha=${term.coef0}, length_scale=np.sqrt(1 / (2 * ${term.coef0} * ${term.gamma})))`;
}

function problemText(request, C) {
  const offset = request.offset ? "" : ", offset=False";
  switch (request.formulation) {
    case "soft":
      return ["SoftMargin", `SoftMargin(X, y, C=${C}, kernel=kernel${offset}${request.squared ? ', slack="squared"' : ""})`];
    case "hard":
      return ["HardMargin", `HardMargin(X, y, kernel=kernel${offset})`];
    case "nu":
      return ["NuClassification", `NuClassification(X, y, nu=${request.nu}, kernel=kernel)`];
    case "regression":
      return ["EpsilonRegression", `EpsilonRegression(X, y, C=${C}, epsilon=${request.epsilon}, kernel=kernel${offset})`];
    case "one_class":
      return ["OneClass", `OneClass(X, nu=${request.nu}, kernel=kernel)`];
    default:
      return ["DataDescription", `DataDescription(X, nu=${request.nu}, kernel=kernel)`];
  }
}

export function script(state) {
  const request = requestOf(state), { columns } = request;
  const rows = Array.from({ length: request.y.length }, (_, i) =>
    `[${Array.from(request.x.subarray(i * columns, (i + 1) * columns)).join(", ")}]`);
  const lines = [];
  for (let k = 0; k < rows.length; k += 6) lines.push(`    ${rows.slice(k, k + 6).join(", ")},`);
  const kernels = [...new Set(state.terms.map((term) => CLASS_OF_KERNEL[term.kind]))].sort();
  const values = Array.from(request.y).join(", ");
  const needsY = !["one_class", "ball"].includes(request.formulation);
  const several = request.classes.length > 2 && ["soft", "hard", "nu"].includes(request.formulation);
  const joint = several && request.scheme === "joint" && request.formulation === "soft" && !request.squared;
  const [name, problem] = joint
    ? ["CrammerSinger", `CrammerSinger(X, y, C=${request.C}, kernel=kernel${request.offset ? "" : ", offset=False"})`]
    : problemText(request, request.C);
  const body = [
    "import numpy as np",
    "",
    "from maxmargin import solve",
    `from maxmargin.kernels import ${kernels.join(", ")}`,
    `from maxmargin.problems import ${name}`,
    ...(several && !joint ? ["from maxmargin.solution import Certificate"] : []),
    "",
    "X = np.array([",
    ...lines,
    "])",
    ...(needsY ? [`y = np.array([${values}])`] : []),
    `kernel = ${state.terms.map(kernelText).join(state.combine === "sum" ? " + " : " * ")}`,
    "",
  ];
  if (!several || joint) {
    body.push(`solution = solve(${problem}, tol=${request.tol}, throw=False)`, "print(solution.certificate)");
  } else if (request.scheme === "rest") {
    const one = problem.replace("(X, y", "(X, y == k");
    body.push("certificates = [", `    solve(${one}, tol=${request.tol}, throw=False).certificate for k in np.unique(y)`, "]",
      "print(Certificate.combined(certificates))");
  } else {
    const one = problem.replace("(X, y", "(X[rows], y[rows] == j");
    body.push("certificates = []", "for j in np.unique(y):", "    for k in np.unique(y[y > j]):",
      "        rows = (y == j) | (y == k)",
      `        certificates.append(solve(${one}, tol=${request.tol}, throw=False).certificate)`,
      "print(Certificate.combined(certificates))");
  }
  return `${body.join("\n")}\n`;
}
