// What is said of each control and each answer.

export const FORMULATION = {
  soft: ["Soft margin", "½‖w‖² + C Σ ξᵢ: the widest street, where each point in it or beyond pays C for every unit of slack ξᵢ = max(0, 1 − yᵢ f(xᵢ))."],
  hard: ["Hard margin", "½‖w‖² with no slack at all: the widest street with no point in it. It is 2/‖w‖ wide, and stands on the nearest points of the two convex hulls. Where the hulls meet, there is none, and the common point proves it."],
  nu: ["ν margin", "½‖w‖² − ν n ρ + Σ max(0, ρ − yᵢ f(xᵢ)), then divided by ρ: ν is at least the share of points in the street, and at most the share of support vectors."],
  regression: ["Regression", "½‖w‖² + C Σ max(0, |f(xᵢ) − yᵢ| − ε): the flattest curve with the points inside a tube of half-width ε. Only points on the tube or outside it carry weight."],
  one_class: ["One class", "The plane farthest from the origin, in the kernel's space, with most points beyond it: at most a share ν of them outside, at least a share ν support vectors."],
  ball: ["Smallest ball", "The smallest ball around most points, in the kernel's space (support vector data description): at most a share ν outside."],
};

export const SCHEME = {
  pairs: ["By pairs", "One street for each pair of classes; the class that wins most pairs."],
  rest: ["Against the rest", "One street for each class against all others; the class with the highest score."],
  joint: ["All at once", "One score for each class and one slack for each point: its own class has to lead every other by 1 (Crammer and Singer)."],
};

export const CONTROL = {
  C: ["C, cost of slack", "Small: a wide street, many points in it. Large: hardly any slack. No α is larger than C; a point with α = C is in the street or beyond."],
  C_squared: ["C, cost of slack", "Slack is squared: no bound on α, and every point in the street has α = 2Cξ."],
  C_regression: ["C, cost of leaving the tube", "Small: a flat curve. Large: the curve follows the points. No |β| is larger than C."],
  nu: ["ν, share of points", "Bounds the share of points in the street or outside from above, and the share of support vectors from below."],
  epsilon: ["ε, half-width of the tube", "Errors below ε cost nothing. The wider the tube, the fewer support vectors."],
  offset: ["Offset b", "Without it, f(x) = ⟨w, φ(x)⟩ has to pass through the origin of the kernel's space, and the dual loses its one equality Σ yᵢαᵢ = 0: single coefficients can move."],
  squared: ["Squared slack", "Σ ξᵢ² instead of Σ ξᵢ: large slack costs more, small slack almost nothing. The dual has 1/(2C) on its diagonal and one solution α."],
  combine: ["Sum or product", "Sums and products of kernels are kernels: a sum joins the features of both, a product all pairs of them."],
};

export const KERNEL = {
  linear: ["Linear", "⟨u, v⟩: the plane itself."],
  rbf: ["Gaussian", "exp(−γ‖u − v‖²): every point a bump of width 1/√γ. Distinct points can always be separated."],
  poly: ["Polynomial", "(γ⟨u, v⟩ + c)ᵈ: all products of up to d features."],
  laplacian: ["Laplacian", "exp(−γ‖u − v‖₁): like the Gaussian, with edges."],
  matern: ["Matérn", "A Gaussian that is only as smooth as its degree: 0, 1 or 2."],
  rational_quadratic: ["Rational quadratic", "(1 + γ‖u − v‖²)^−c: bumps of many widths at once."],
  cosine: ["Cosine", "⟨u, v⟩/(‖u‖‖v‖): only the direction from the origin counts."],
  sigmoid: ["Sigmoid", "tanh(γ⟨u, v⟩ + c): not positive semidefinite, so that no gap proves its answers."],
};

export const PARAMETER = {
  gamma: ["γ", "How fast the kernel falls, or grows."],
  coef0: ["c", "The constant in the kernel."],
  degree: ["degree", "The degree."],
};

export const KIND = {
  classify: [
    ["outside the street", "y f > 1: α = 0, the answer would be the same without it"],
    ["on the edge", "y f = 1: 0 ≤ α ≤ C, it holds the street"],
    ["in the street", "0 < y f < 1: right, but with slack"],
    ["wrong", "y f < 0: on the wrong side"],
  ],
  regress: [["inside the tube", "β = 0"], ["on the tube", "|f − y| = ε"], null, ["outside", "|β| = C, slack beyond the tube"]],
  one: [["inside", "f > 0: α = 0"], ["on the boundary", "f = 0"], null, ["outside", "f < 0: an outlier"]],
};

export const STATUS = {
  CONVERGED: ["Optimal", "Primal and dual meet: no other answer is better by more than the gap."],
  ZERO_OPTIMUM: ["Optimum is 0", "The optimum cannot be told from 0: w = 0, there is no margin, and the scores tell nothing."],
  INDEFINITE: ["Stationary only", "This kernel matrix is not positive semidefinite: duality proves nothing, and there is no gap."],
  STALLED: ["Stalled", "Rounding errors ended the search before the gap was small. Another kernel, or some slack, helps."],
  ITERATION_LIMIT: ["Not finished", "The search is on its way: step on, or run it to the end."],
  TIME_LIMIT: ["Still searching", "More time is needed: the search goes on in the background."],
  INFEASIBLE: ["No answer", "No hyperplane separates these points, and here is the proof: the two weighted means, one of each class, are the same point in the kernel's space. So no f can be above 1 at one and below −1 at the other. Allow slack."],
};

// The same without an offset, where one combination is enough.
export const INFEASIBLE_AT_ORIGIN = ["No answer", "No hyperplane through the origin separates these points, and here is the proof: weights α ≥ 0, not all 0, with Σ αᵢ yᵢ φ(xᵢ) = 0. So yᵢ⟨w, φ(xᵢ)⟩ cannot be above 0 for all of them. Allow slack, or an offset."];

export const SET = {
  moons: "Moons", circles: "Circles", xor: "Checkerboard", blobs: "Blobs", outliers: "Blobs with outliers", spirals: "Spirals",
  overlap: "Overlapping", iris: "Iris (petals)", sine: "Sine", line: "Line with outliers", step: "Step", cloud: "Cloud with outliers",
};

export const CLASS_NAMES = ["blue", "orange", "green", "purple", "red"];
