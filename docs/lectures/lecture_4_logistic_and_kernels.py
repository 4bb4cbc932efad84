r"""
Lecture 4: logistic regression, the margin, and kernels
=======================================================

The fourth lecture goes from regression to probabilities: the sigmoid, cross-entropy and its descent. Then it asks for the
widest margin, takes the dual, replaces inner products by a kernel, and says how large problems are cut into small ones.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - :math:`h[\vec w](\vec x) = 1/(1 + e^{-\vec w\cdot\tilde x})`
     - ``losses.sigmoid(f)``; ``LogisticRegression().predict_proba(X)[:, 1]``
   * - odds, logit
     - ``losses.odds(h)``, ``losses.logit(h)``
   * - cross-entropy :math:`E(\vec w)`
     - ``losses.cross_entropy(c, h)``; ``PrimalProblem(X, c, loss="logistic", penalty=None)``
   * - :math:`\vec w \leftarrow \vec w - \varepsilon\nabla E(\vec w)`
     - ``GradientDescent(step=epsilon)``; from random weights near 0 ``GradientDescent(step=epsilon, seed=0)``; only t steps:
       ``solve(problem, solver=…, max_iter=t)``
   * - the batch perceptron
     - ``Perceptron(eta0=epsilon)``
   * - threshold :math:`\xi`
     - ``LogisticRegression(threshold=xi)``
   * - :math:`d[\vec w](\vec x)`, :math:`\rho[\vec w]`
     - ``solution.geometry.distance(X)``, ``margin_of(w, b, X, y)``
   * - :math:`\kappa = e^{-\|u - v\|^2 / 2\sigma^2}`, :math:`(1 + u\cdot v)^m`
     - ``RBF(sigma=sigma)``, ``Polynomial(degree=m, gamma=1.0, coef0=1.0)``
   * - the dual's :math:`\alpha`, :math:`w_0 = y_k - w\cdot x_k`
     - ``solution.alpha``, ``solution.bias``
   * - a naive QP solver
     - ``DualQP()``, ``PrimalQP()``, or ``qp(Q, p, A, c)`` itself
   * - graphs, sequences, relational data
     - ``WeisfeilerLehman``, ``Spectrum``, ``RelationalKernel``, …: :doc:`/objects`
   * - "a black art": kernel and parameters
     - ``SVCCV()``, ``GridSearchCV``: :doc:`/tuning`
   * - start with a subset, keep its support vectors, add rows
     - ``Chunking(inner=…, size=…)``; a few :math:`\alpha` at a time: ``Decomposition(q=…)``, ``SMO()``

.. note::

   **Where the text errs.** It states the dual of :math:`\tfrac12\|w\|^2` beside :math:`\|w\|^2`: their optima differ by a
   factor of two, a gap that is none. Norms leave :math:`w_0` out, products do not. :math:`\varepsilon \le 1` is not enough
   for the descent to converge. "\ :math:`\alpha_k > 0` iff on the margin" holds in one direction only. ``sig`` of the
   classifier is
   the sign, not the sigmoid. Each is shown below by a number.
"""

# %%
# Sigmoid, odds, logit
# --------------------
#
# If the logarithm of the odds is a linear function of the features, the probability is the sigmoid of it. The gallery draws
# all three: :ref:`sphx_glr_gallery_claims_sigmoid.py`.
import warnings
from timeit import repeat

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import make_blobs, make_moons

from maxmargin import LogisticRegression, losses, solve
from maxmargin.feature_maps import Multinomial
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.plots import convergence, decision_boundary
from maxmargin.problems import HardMargin, PrimalProblem, SoftMargin
from maxmargin.solution import margin_of
from maxmargin.solvers import SMO, Chunking, Decomposition, DualQP, GradientDescent

h = np.array([0.1, 0.5, 0.9])
print(f"odds {losses.odds(h).round(3)}, logit {losses.logit(h).round(3)}, and back {losses.sigmoid(losses.logit(h))}")

# %%
# .. admonition:: Exercise
#
#    The logit of a row is 2, and a feature with weight 0.5 rises by 1. What happens to the odds, what to the probability?
#
#    .. dropdown:: Answer
#
#       The odds are multiplied by :math:`e^{0.5} \approx 1.65`, wherever they were. The probability goes from 0.881 to
#       0.924, and would have gone from 0.5 to 0.622.

# %%
# Cross-entropy
# -------------
#
# .. math::
#
#    E(\vec w) = -\sum_k c_k\log h(\vec x_k) + (1 - c_k)\log(1 - h(\vec x_k)),\qquad \nabla E = \sum_k (h(\vec x_k) -
#    c_k)\,\tilde x_k
#
# is the sum of logistic losses with :math:`y = 2c - 1`, and minus the logarithm of the likelihood, whatever function
# :math:`h` is.
X, c = make_blobs(150, centers=[[-1.0, 0.0], [1.0, 0.5]], cluster_std=1.0, random_state=0)
problem = PrimalProblem(X, c, loss="logistic", penalty=None, C=1.0)
best = solve(problem, tol=1e-9)
h = losses.sigmoid(best.decision_function(X))
gradient = np.column_stack([X, np.ones(len(X))]).T @ (h - c)
print(f"cross-entropy {losses.cross_entropy(c, h):.9f}, the problem's objective {best.certificate.primal_objective:.9f}")
print(f"minus log likelihood {-np.log(np.where(c == 1, h, 1 - h)).sum():.9f}; gradient {np.abs(gradient).max():.1e}")

# %%
# Not only for the sigmoid: of probabilities from a normal distribution's :math:`\Phi(w\cdot\tilde x)`, and of any others,
# the same holds,
# and the weights that have the lowest cross-entropy have the highest likelihood:
weights = np.linspace(0.2, 3.0, 15)
entropies, likelihoods = [], []
for scale in weights:
    chances = norm.cdf(scale * X[:, 0])
    entropies.append(losses.cross_entropy(c, chances))
    likelihoods.append(np.where(c == 1, chances, 1.0 - chances).prod())
lowest, highest = weights[np.argmin(entropies)], weights[np.argmax(likelihoods)]
print(f"lowest cross-entropy at {lowest:.1f}, highest likelihood at {highest:.1f}")

_, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
axes[0].plot(weights, entropies, "o-", color="#0072B2", ms=4)
axes[1].semilogy(weights, likelihoods, "o-", color="#D55E00", ms=4)
for ax, title in zip(axes, ("cross-entropy", "likelihood"), strict=True):
    ax.set(xlabel=r"weight of $h(x) = \Phi(w x_1)$", title=title)
plt.show()

# %%
# .. admonition:: Exercise
#
#    Predict class 1 only from a probability of 0.9 on. Which parameter of which estimator is that, and what happens to the
#    line?
#
#    .. dropdown:: Answer
#
#       ``LogisticRegression(threshold=0.9)``. The line moves parallel to itself, to where the logit is :math:`\log 9
#       \approx 2.197`.

# %%
# Squared error with a sigmoid is not convex: between two weights it can be higher than on the line that joins them.
# Cross-entropy never is: :ref:`sphx_glr_gallery_claims_squared_error.py`.
#
# Gradient descent
# ----------------
#
# The step is safe below :math:`2/L`, with :math:`L = \tfrac14\lambda_{\max}(\tilde X^{\mathsf T}\tilde X)`. Here that is
# far below 1, and :math:`\varepsilon = 1` diverges:
tilde = np.column_stack([X, np.ones(len(X))])
L = 0.25 * np.linalg.eigvalsh(tilde.T @ tilde)[-1]
print(f"2/L = {2 / L:.4f}")
w, epsilon = np.zeros(3), 1.0 / L
for _ in range(5):
    w = w - epsilon * tilde.T @ (losses.sigmoid(tilde @ w) - c)
with warnings.catch_warnings(action="ignore"):  # five steps are not enough, and the library says so
    five = solve(problem, solver=GradientDescent(step=epsilon), max_iter=5)
print(f"five steps by hand {w.round(6)}, by the solver {np.r_[five.weights, five.bias].round(6)}")

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for step, colour in ((0.1 / L, "#56B4E9"), (1.0 / L, "#0072B2"), (1.0, "#D55E00")):
    with warnings.catch_warnings(action="ignore"):  # the library warns of the last one
        solution = solve(problem, solver=GradientDescent(step=step), tol=1e-6, max_iter=3000)
    print(f"step {step:.2g}: {solution.status.name} after {solution.steps} steps")
    ax.loglog(
        1 + solution.trace.steps,
        solution.trace.primal,
        color=colour,
        label=f"$\\varepsilon$ = {step:.2g}: {solution.status.name}",
    )
ax.set(xlabel="steps", ylabel="cross-entropy", title="Small steps are slow, long ones climb")
ax.legend()
plt.show()

# %%
# On separable rows without a penalty there is no minimum: the loss falls for ever while :math:`\|w\|` grows. The solver
# says so.
apart = X[:, 0] + 0.25 * X[:, 1]
clear = np.abs(apart) > 0.4
separable = PrimalProblem(X[clear], apart[clear] > 0, loss="logistic", penalty=None, C=1.0)
with warnings.catch_warnings(action="ignore"):
    print(solve(separable).status.message)
    for steps in (100, 10_000):
        grown = solve(separable, solver=GradientDescent(stop_when_separable=False), max_iter=steps)
        print(f"|w| after {steps} steps: {np.linalg.norm(grown.weights):.2f}")

# %%
# .. admonition:: Exercise
#
#    Multiply all features by 10. By how much must the step be smaller?
#
#    .. dropdown:: Answer
#
#       By nearly 100: :math:`L` grows with the square of the features (the constant one does not grow). This is one more
#       reason to scale them.

# %%
# The margin
# ----------
#
# The rows nearest to a consistent hyperplane decide its margin. For any such hyperplane some row attains :math:`\min |d|`;
# the widest margin has them on both sides.
y = np.where(apart[clear] > 0, 1.0, -1.0)
hard = solve(HardMargin(X[clear], y, kernel=Linear()), tol=1e-9)
smooth = LogisticRegression(C=1.0).fit(X[clear], y)
for name, w, b in (("hard margin", hard.weights, hard.bias), ("logistic", smooth.coef_[0], smooth.intercept_[0])):
    d = (X[clear] @ w + b) / np.linalg.norm(w)
    nearest = np.flatnonzero(np.isclose(np.abs(d), np.abs(d).min()))
    print(f"{name:<12} margin {margin_of(w, b, X[clear], y):.4f}; nearest rows {nearest}")

_, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True, sharey=True, layout="constrained")
for ax, name, w, b in (
    (axes[0], "hard margin", hard.weights, hard.bias),
    (axes[1], "logistic", smooth.coef_[0], smooth.intercept_[0]),
):
    d = (X[clear] @ w + b) / np.linalg.norm(w)
    nearest = np.isclose(np.abs(d), np.abs(d).min())
    ax.scatter(*X[clear].T, c=np.where(y > 0, "#D55E00", "#0072B2"), s=14)
    ax.scatter(*X[clear][nearest].T, s=120, facecolors="none", edgecolors="#222222")
    ends = np.array([X[:, 1].min(), X[:, 1].max()])
    for shift, style in ((0.0, "-"), (np.abs(d).min(), "--"), (-np.abs(d).min(), "--")):
        ax.plot((shift * np.linalg.norm(w) - b - w[1] * ends) / w[0], ends, style, color="#222222", lw=1.0)
    ax.set_title(f"{name}: {nearest.sum()} rows attain min |d|")
plt.show()

# %%
# Distances divide by the norm without :math:`w_0`. With it, as the text's :math:`\vec w` has it, they would depend on
# where the origin is:
for name, moved in (("as it is", 0.0), ("moved by 5", 5.0)):
    b = hard.bias - moved * hard.weights[0]
    nearest = np.abs((X[clear] + [moved, 0.0]) @ hard.weights + b).min()
    without, with_it = np.linalg.norm(hard.weights), np.linalg.norm(np.r_[b, hard.weights])
    print(f"{name:<11} margin {2 * nearest / without:.4f}; divided by the norm with w_0 {2 * nearest / with_it:.4f}")

# %%
# The dual belongs to :math:`\tfrac12\|w\|^2`. Beside :math:`\|w\|^2` it leaves half of the value open, at the optimum:
half = 0.5 * hard.weights @ hard.weights
print(f"1/2 |w|^2 = {half:.6f}, |w|^2 = {2 * half:.6f}, dual = {hard.alpha.sum() - 0.5 * hard.weights @ hard.weights:.6f}")

# %%
# A row on the margin need not have :math:`\alpha > 0`. Four corners of a square, two on each side, are all on the margin,
# but two of them carry the whole street; which two, the KKT report says, is not unique:
square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
corners = solve(HardMargin(square, [0, 0, 1, 1], kernel=Linear()))
print(f"alpha {corners.alpha.round(3)}, on the margin {np.isclose(np.abs(corners.decision_function(square)), 1.0)}")
print(f"w unique: {corners.kkt.w_unique}, alpha unique: {corners.kkt.alpha_unique}")

# %%
# The classifier is the sign of :math:`w_0 + \sum_\ell \alpha_\ell y_\ell\, x_\ell\cdot x`. The sigmoid, which the text
# wrote as such before,
# is never −1:
score = hard.decision_function(X[clear][:3])
print(f"f = {score.round(3)}, sign {np.sign(score)}, sigmoid {losses.sigmoid(score).round(3)}")

# %%
# .. admonition:: Exercise
#
#    Is :math:`w_0` the same for every :math:`\alpha_k > 0`?
#
#    .. dropdown:: Answer
#
#       Without slack yes: all of these rows are on the margin, so :math:`w_0 = y_k - w\cdot x_k` for each. With slack only
#       for :math:`0 < \alpha_k < C`, and where there is none of these, an interval of :math:`w_0` is optimal:
#       ``solution.bias_interval``.

# %%
# Kernels
# -------
#
# In squared features an ellipse is a line (:ref:`sphx_glr_gallery_claims_ellipse.py`). The polynomial kernel of power
# :math:`m` has :math:`\binom{n+m}{m}` features:
Z = np.random.default_rng(0).normal(size=(5, 3))
phi = Multinomial(degree=4).fit_transform(Z)
K = Polynomial(degree=4, gamma=1.0, coef0=1.0)(Z, Z)
print(f"{phi.shape[1]} features, difference {np.abs(phi @ phi.T - K).max():.1e}")

moons, moon = make_moons(200, noise=0.15, random_state=0)
soft = solve(SoftMargin(moons, moon, C=10.0, kernel=RBF(sigma=0.5)))
_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(soft, moons, moon, ax=ax)
plt.show()

# %%
# .. admonition:: Exercise
#
#    Which kernel has the features :math:`(x_1^2, x_2^2)` of the ellipse?
#
#    .. dropdown:: Answer
#
#       :math:`u_1^2v_1^2 + u_2^2v_2^2`: ``Squares().kernel``. :math:`\langle u, v\rangle^2` has :math:`\sqrt2x_1x_2` as
#       well, and so finds ellipses that are turned too.

# %%
# Large problems, cut into small ones
# -----------------------------------
#
# A naive QP solver takes time that grows with the cube of the number of rows, since it factors a matrix with a row for
# each. On logarithmic axes that is a line of slope 3. The engine, which needs some rows of the kernel matrix, has at most
# slope 2:
sizes, times = np.array([250, 500, 1000, 2000]), {"DualQP": [], "engine": []}
for n in sizes:
    rows, side = make_moons(n, noise=0.2, random_state=1)
    problem = SoftMargin(rows, side, C=1.0, kernel=RBF(sigma=0.7))
    for name, solver in (("DualQP", DualQP()), ("engine", "auto")):
        times[name].append(min(repeat(lambda p=problem, s=solver: solve(p, solver=s), number=1, repeat=2)))
slopes = {name: np.polyfit(np.log(sizes[1:]), np.log(found[1:]), 1)[0] for name, found in times.items()}
print("slopes: " + ", ".join(f"{name} {slope:.1f}" for name, slope in slopes.items()))

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, found), colour in zip(times.items(), ("#D55E00", "#0072B2"), strict=True):
    ax.loglog(sizes, found, "o-", color=colour, label=f"{name}: slope {slopes[name]:.1f}")
ax.loglog(sizes, times["DualQP"][-1] * (sizes / sizes[-1]) ** 3.0, ":", color="#999999", label="cube of n")
ax.set(xlabel="rows n", ylabel="seconds", title="A naive QP grows with the cube of n")
ax.legend()
plt.show()

# %%
# Start with some rows, keep their support vectors, add others: the dual objective never falls. All solvers end at the same
# optimum:
big, side = make_moons(600, noise=0.2, random_state=1)
problem = SoftMargin(big, side, C=1.0, kernel=RBF(sigma=0.7))
solutions = {type(s).__name__: solve(problem, solver=s, tol=1e-6) for s in (SMO(), Chunking(size=50), Decomposition(q=40))}
for name, found in solutions.items():
    print(f"{name:<14} {found.certificate.dual_objective:.6f} after {found.steps} steps, {len(found.support)} vectors")
    print(f"{'':<14} largest fall of the dual objective: {max(0.0, -np.diff(found.trace.objective).min()):.1e}")
convergence(solutions)
plt.show()

# %%
# .. admonition:: Exercise
#
#    The text says that the procedure "decreases the (general) cost function". Which one, the primal or the dual?
#
#    .. dropdown:: Answer
#
#       The dual objective, written as a minimisation, never rises: each round solves the dual over some variables and
#       leaves the others. The primal objective of the model so far may rise on the way; only at the end the two meet.
