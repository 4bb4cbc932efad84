r"""
Lecture 3: the fattest hyperplane
=================================

The third lecture asks which separating hyperplane is best, answers "the one that stands the most noise", computes it by
quadratic programming, in the primal and in the dual, and lifts it into other spaces.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - margin of any hyperplane, :math:`\min_n y_n(w^{\mathsf T}x_n + b)/\|w\|`
     - ``margin_of(w, b, X, y) / 2``
   * - :math:`\mathrm{QP}(Q, p, A, c)`
     - ``qp(Q, p, A, c)``
   * - hard margin, primal and dual
     - ``solve(HardMargin(X, y, kernel=…), solver=PrimalQP())``, ``solver=DualQP()``, or without ``solver=``
   * - :math:`\Phi_2`, :math:`\Phi_3`
     - ``Monomials(2)``, ``Monomials(3)``
   * - :math:`(\zeta + \gamma x^{\mathsf T}x')^Q`
     - ``Polynomial(degree=Q, gamma=gamma, coef0=zeta)``; for :math:`Q = 2` its map is ``WeightedSecondOrder(gamma=…,
       coef0=…)``
   * - :math:`\exp(-\gamma\|x - x'\|^2)` and its series
     - ``RBF(gamma=gamma)``, ``GaussianSeries(gamma=gamma, terms=…)``
   * - :math:`\min \lambda R(w) + L`, with other losses
     - ``LinearClassifier(loss=…, penalty=…, C=C_from_lam(lam, n=N))``
   * - :math:`\min E_{in}` subject to :math:`w^{\mathsf T}w \le B`
     - ``LinearClassifier(penalty="ball", B=B)``
   * - :math:`\lambda w^{\mathsf T}w + E_{SVM}`, :math:`\lambda = 1/(2CN)`
     - ``lam_from_C(C, n=N)``, ``C_from_lam(lam, n=N)``
   * - :math:`\rho`, :math:`R`, :math:`d_{\mathrm{vc}}(\rho)`
     - ``geometry.width / 2``, ``enclosing_ball(X).radius``, ``vc_dimension(solution, ball)``

.. note::

   **Where the text errs.** In the algorithm of the hard margin the rows of :math:`A` must be :math:`[y_n,\ y_n
   x_n^{\mathsf T}]`, not :math:`[y_n,\ -y_n x_n^{\mathsf T}]`. "Thickness" :math:`\rho` in the bound is *half* the width
   of the street. The number of support vectors bounds the leave-one-out error, and :math:`E_{out} \le E_{cv}` is not true
   in general. The Gaussian's series has the coefficients :math:`\sqrt{2^k/k!}`, one for each power. The first of the
   polynomial map's weights is :math:`\zeta`, not 1. :math:`\gamma` may be any positive number. The perceptron does not
   minimise
   the zero-one loss. Each is shown below by a number.
"""

# %%
# Which hyperplane?
# -----------------
#
# Three hyperplanes separate the same rows. The noise that each stands is its distance from the nearest row.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from maxmargin import SVC, LinearClassifier, LinearSVC, LogisticRegression, Perceptron, losses, solve
from maxmargin.bounds import enclosing_ball, leave_one_out_bound, leave_one_out_error, vc_dimension
from maxmargin.feature_maps import GaussianSeries, Monomials, WeightedSecondOrder
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.plots import decision_boundary
from maxmargin.problems import HardMargin, PrimalProblem, SoftMargin
from maxmargin.scales import C_from_lam, lam_from_C
from maxmargin.solution import margin_of
from maxmargin.solvers import DualQP, PrimalQP, qp

X, label = make_blobs(40, centers=[[-2.0, -1.0], [2.0, 1.0]], cluster_std=0.8, random_state=3)
y = np.where(label == 1, 1.0, -1.0)
fat = solve(HardMargin(X, y, kernel=Linear()), tol=1e-9)
candidates = {"hard margin": (fat.weights, fat.bias)}
for name, model in (("perceptron", Perceptron()), ("logistic regression", LogisticRegression(C=1.0))):
    model.fit(X, y)
    candidates[name] = (model.coef_[0], model.intercept_[0])

_, ax = plt.subplots(figsize=(7, 5), layout="constrained")
ax.scatter(*X.T, c=np.where(y > 0, "#D55E00", "#0072B2"), s=20)
ends = np.array([-4.0, 4.0])
for (name, (w, b)), style in zip(candidates.items(), ("-", ":", "--"), strict=True):
    noise = margin_of(w, b, X, y) / 2
    print(f"{name:<20} stands noise of {noise:.4f}")
    ax.plot(ends, -(b + w[0] * ends) / w[1], style, color="#222222", label=f"{name}: {noise:.2f}")
ax.set(ylim=(-4, 4), title="How far may a row move before a label changes?")
ax.legend()
plt.show()

# %%
# The perceptron stops at the first line that separates, because that is all its loss asks for: :math:`\max(0, -z)`, which
# is not the
# zero-one loss. At :math:`z = -3` the two are
z = np.array([-3.0])
print(f"perceptron's loss {losses.Perceptron().value(z)[0]:g}, zero-one loss {losses.ZeroOne().value(z)[0]:g}")

# %%
# .. admonition:: Exercise
#
#    All three have no error. What distinguishes them, and by which measure of the text?
#
#    .. dropdown:: Answer
#
#       The noise that they stand: every shift of a row that is shorter than the distance of the nearest row keeps all labels.
#       No line stands more than the hard margin's.

# %%
# The primal QP
# -------------
#
# With :math:`u = (b, w)`, :math:`Q = \operatorname{diag}(0, I)`, :math:`p = 0`, a row :math:`[y_n,\ y_n x_n^{\mathsf T}]`
# and :math:`c_n = 1` for each example. The signs that the text prints give another program, whose hyperplane is not the
# answer:
N, d = X.shape
Q, p, c = np.diag(np.r_[0.0, np.ones(d)]), np.zeros(d + 1), np.ones(N)
A = y[:, None] * np.column_stack([np.ones(N), X])
printed = np.column_stack([y, -y[:, None] * X])
for name, rows in (("[y, yx]", A), ("[y, -yx], as printed", printed)):
    u = qp(Q, p, rows, c).u
    print(f"{name:<21} b = {u[0]:8.4f}, w = {u[1:].round(4)}, rows right: {np.sum(y * (X @ u[1:] + u[0]) > 0)} of {N}")

# %%
# .. admonition:: Exercise
#
#    How can it be that with the printed signs rows are on the wrong side, though the program has a solution?
#
#    .. dropdown:: Answer
#
#       :math:`[y_n, -y_nx_n^{\mathsf T}]u \ge 1` says :math:`y_n(b - w^{\mathsf T}x_n) \ge 1`: the solution is :math:`(b,
#       -w)` of the right one. Its line is the reflection of the right line in the origin.

# %%
# The dual QP
# -----------
#
# :math:`Q_D = [y_n y_m x_n^{\mathsf T} x_m]`, :math:`A_D = [y^{\mathsf T};\ -y^{\mathsf T};\ I]`, :math:`c = 0`; then
# :math:`w = \sum_n \alpha_n y_n x_n` and :math:`b = y_s - w^{\mathsf T} x_s` for a support vector :math:`s`.
Z = y[:, None] * X
alpha = qp(Z @ Z.T, -np.ones(N), np.vstack([y, -y, np.eye(N)]), np.zeros(N + 2)).u
s = int(alpha.argmax())
w = Z.T @ alpha
print(f"by hand   w = {w.round(6)}, b = {y[s] - w @ X[s]:.6f}, support vectors {np.flatnonzero(alpha > 1e-6)}")
for solver in (PrimalQP(), DualQP(), "auto"):
    found = solve(HardMargin(X, y, kernel=Linear()), solver=solver, tol=1e-8)
    name = getattr(type(solver), "__name__", "") if solver != "auto" else "auto"
    print(f"{name:<9} w = {found.weights.round(6)}, b = {found.bias:.6f}, support vectors {found.support}")
print(fat.kkt)

# %%
# .. admonition:: Exercise
#
#    ``qp`` returned :math:`\alpha` with values like :math:`10^{-12}`. Are these support vectors?
#
#    .. dropdown:: Answer
#
#       No: an interior-point method leaves no variable at 0. ``solve(…, solver=DualQP())`` puts them on their bounds by
#       complementarity, so that its answer has as many support vectors as the engine's.

# %%
# Why fat is better
# -----------------
#
# Hyperplanes that keep a distance of :math:`\rho` from all rows in a ball of radius :math:`R` have a VC dimension of at most
# :math:`\min(\lceil R^2/\rho^2\rceil, d) + 1`. With :math:`\rho` and :math:`R` read from the data, as here, that is an
# indication and no guarantee.
print(vc_dimension(fat, enclosing_ball(X)))
print(f"rho is half of the width: {fat.geometry.width / 2:.4f} = 1/|w| = {1 / np.linalg.norm(fat.weights):.4f}")

# %%
# Three points in the plane have eight labellings, and thin lines separate all of them. A fat one, whose street is wider
# than two of the points are apart, separates only the four that leave these two on one side:
corners = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 2.0]])
figure, axes = plt.subplots(2, 4, figsize=(10, 5.2), sharex=True, sharey=True, layout="constrained")
widths = []
for ax, signs in zip(axes.ravel(), np.ndindex(2, 2, 2), strict=True):
    ax.scatter(*corners.T, c=np.where(np.array(signs), "#D55E00", "#0072B2"), s=60, zorder=3)
    if len(set(signs)) == 1:
        widths.append(np.inf)  # all on one side: any street, far away
    else:
        street = solve(HardMargin(corners, signs, kernel=Linear()), tol=1e-9)
        widths.append(street.geometry.width)
        u, v = np.meshgrid(np.linspace(-2, 2, 80), np.linspace(-1, 3, 80))
        f = street.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
        ax.contourf(u, v, f, levels=[-1, 1], colors=["#009E73"], alpha=0.3)
    ax.set(title=f"width {widths[-1]:.2f}", xlim=(-2, 2), ylim=(-1, 3), aspect="equal", xticks=[], yticks=[])
plt.show()
for width in (0.1, 1.4):
    print(f"streets of width {width}: {np.sum(np.array(widths) > width)} of 8 labellings")

# %%
# .. admonition:: Exercise
#
#    At which width do the last four go, and at which does eight become six?
#
#    .. dropdown:: Answer
#
#       At 2, the height of the triangle: beyond it only the two labellings with all points on one side are left. At
#       :math:`4/\sqrt{17} \approx 0.97`, the distance of a lower corner from the opposite side, eight become four at once:
#       both lower corners have the same distance.

# %%
# Leave one out
# -------------
#
# Without a row that is no support vector the optimum is the same, so the leave-one-out error is at most the fraction of
# support vectors. It says nothing of the kind about the error on new rows: those of a second sample are counted beside.
noisy, noisy_label = make_blobs(60, centers=[[-1.0, 0.0], [1.0, 0.0]], cluster_std=1.0, random_state=1)
problem = SoftMargin(noisy, noisy_label, C=1.0, kernel=RBF(gamma=2.0))
solution = solve(problem, tol=1e-8)
error = leave_one_out_error(problem)
fresh, fresh_label = make_blobs(20_000, centers=[[-1.0, 0.0], [1.0, 0.0]], cluster_std=1.0, random_state=2)
outside = np.mean(solution.predict(fresh) != fresh_label)
print(f"leave-one-out {error.error:.3f} <= support vectors {leave_one_out_bound(solution):.3f}; on new rows {outside:.3f}")

# %%
# The text says :math:`E_{out} \le E_{cv}`. Over 40 samples of the same distribution that fails about every second time:
above = 0
for seed in range(40):
    rows, sides = make_blobs(60, centers=[[-1.0, 0.0], [1.0, 0.0]], cluster_std=1.0, random_state=100 + seed)
    sample = SoftMargin(rows, sides, C=1.0, kernel=RBF(gamma=2.0))
    above += np.mean(solve(sample).predict(fresh) != fresh_label) > leave_one_out_error(sample).error
print(f"the error on new rows is above the leave-one-out error in {above} of 40 samples")

# %%
# .. admonition:: Exercise
#
#    If 55 of 60 rows are support vectors, what does the bound say about the model?
#
#    .. dropdown:: Answer
#
#       That its leave-one-out error is at most 92 %: nothing. The bound is of use where support vectors are few. The exact
#       error needs only one fit for each support vector.

# %%
# Transforms, and kernels
# -----------------------
#
# After :math:`\Phi_2` or :math:`\Phi_3` the same program draws curves. (``Monomials`` has a 1 besides, which changes
# nothing beside an offset: 6 features, and 5 in the text.) The bound on the complexity hardly moves from :math:`\Phi_2` to
# :math:`\Phi_3`: what counts is the margin. The gallery draws both:
# :ref:`sphx_glr_gallery_claims_second_and_third_order.py`.
for degree in (2, 3):
    features = Monomials(degree).fit_transform(X)
    lifted = solve(HardMargin(features, y, kernel=Linear()), tol=1e-8)
    print(f"Phi_{degree}: {features.shape[1]} features, {len(lifted.support)} support vectors", end=", ")
    print(f"width {lifted.geometry.width:.3f}")

# %%
# A kernel needs no features. The polynomial one weights the degrees by :math:`\zeta` and :math:`\gamma`
# (:ref:`sphx_glr_gallery_claims_polynomial_kernels.py`), the Gaussian has infinitely many features, of which few are enough:
x = np.array([[0.7], [-1.2]])
exact = RBF(gamma=1.0)(x, x)[0, 1]
for terms in (2, 5, 10, 20):
    phi = GaussianSeries(gamma=1.0, terms=terms).fit_transform(x)
    print(f"{terms:>2} terms: {phi[0] @ phi[1]:.9f}   exact {exact:.9f}")
wrong = np.exp(-(x**2)) * np.where(np.arange(20) == 0, 1.0, np.sqrt(2.0)) * x ** np.arange(20)
print(f"with sqrt(2^1/1!) before every power, as printed: {wrong[0] @ wrong[1]:.9f}")
print(f"gamma = 7 is a kernel too: smallest eigenvalue {np.linalg.eigvalsh(RBF(gamma=7.0)(X, X))[0]:.1e}")
weighted = WeightedSecondOrder(gamma=0.5, coef0=2.0).fit_transform(X)
print(f"(2 + <x, x'>/2)^2: first weight {weighted[0, 0]:g}, not 1; difference of the matrices", end=" ")
print(f"{np.abs(weighted @ weighted.T - Polynomial(degree=2, gamma=0.5, coef0=2.0)(X)).max():.1e}")
print(f"(1 + <x, x'>)^10 spans a space of {Monomials(10).fit_transform(X).shape[1]} features")

# %%
# .. admonition:: Exercise
#
#    Which of the two, :math:`\Phi_2` or :math:`\Phi_3`, has the wider street, and why must it?
#
#    .. dropdown:: Answer
#
#       :math:`\Phi_3`: its features contain those of :math:`\Phi_2`, and whoever may use more features can only find a wider
#       street. Its rows are also further apart, so that the width alone says little: :math:`R^2/\rho^2` counts.

# %%
# The soft margin is regularisation
# ---------------------------------
#
# :math:`\tfrac12 w^{\mathsf T}w + C\sum_n\xi_n` and :math:`\lambda w^{\mathsf T}w + E_{SVM}` have the same minimum for
# :math:`\lambda = 1/(2CN)`:
lam = lam_from_C(2.0, n=N)
print(f"C = 2 is lam = {lam:g}; back: C = {C_from_lam(lam, n=N):g}")

# %%
# The same as a constraint, "least error subject to :math:`w^{\mathsf T}w \le B`": with the :math:`B` that the soft margin
# has found the
# two are one model.
soft = solve(PrimalProblem(noisy, noisy_label, loss="hinge", C=1.0), tol=1e-9)
ball = LinearClassifier(loss="hinge", penalty="ball", B=float(soft.weights @ soft.weights), tol=1e-6).fit(noisy, noisy_label)
print(f"w = {soft.weights.round(4)}, in the ball {ball.coef_[0].round(4)}")

# %%
# Other losses draw other lines. Where classes are apart, the support vector machine has the wider street; where they overlap,
# logistic regression may be the better one:
figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for ax, spread, title in ((axes[0], 0.45, "separable"), (axes[1], 1.3, "overlapping")):
    rows, sides = make_blobs(60, centers=[[-1.2, 0.0], [1.2, 0.5]], cluster_std=spread, random_state=5)
    new, new_sides = make_blobs(20_000, centers=[[-1.2, 0.0], [1.2, 0.5]], cluster_std=spread, random_state=6)
    ax.scatter(*rows.T, c=np.where(sides == 1, "#D55E00", "#0072B2"), s=18)
    ends = np.array([rows[:, 1].min(), rows[:, 1].max()])
    for model, style in ((LinearSVC(loss="hinge", C=100.0), "-"), (LogisticRegression(C=100.0), "--"), (Perceptron(), ":")):
        with warnings.catch_warnings(action="ignore"):  # the perceptron says that no line separates the second rows
            model.fit(rows, sides)
        (w,), b = model.coef_, model.intercept_[0]
        told = f"{type(model).__name__}: error {100 * np.mean(model.predict(new) != new_sides):.1f} %"
        ax.plot(-(b + w[1] * ends) / w[0], ends, style, color="#222222", label=told)
        print(f"{title:<12} {told} on new rows, margin {margin_of(w, b, rows, 2 * sides - 1):+.3f}")
    ax.set_title(title)
    ax.legend(fontsize=8)
plt.show()

# %%
# A soft line, and a hard margin in the Gaussian's space, on noisy rows. The second has no error on them; the first is
# right about
# more of the new ones:
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, model, name in (
    (axes[0], SVC(kernel="linear", C=1.0), "soft line"),
    (axes[1], SVC(C=np.inf, gamma=20.0), "hard Gaussian"),
):
    model.fit(noisy, noisy_label)
    inside, outside = (100 * np.mean(model.predict(Z) != t) for Z, t in ((noisy, noisy_label), (fresh, fresh_label)))
    print(f"{name:<14} error on its rows {inside:.0f} %, on new rows {outside:.0f} %")
    decision_boundary(model, noisy, noisy_label, ax=ax, legend=False, title=f"{name}: {inside:.0f} % and {outside:.0f} %")
plt.show()

# %%
# .. admonition:: Exercise
#
#    Which :math:`\gamma` makes the hard Gaussian nearly a line, and which an island around every row?
#
#    .. dropdown:: Answer
#
#       A small and a large one: :ref:`sphx_glr_gallery_claims_gaussian_width.py`. With a small :math:`\gamma` the hard
#       margin still has no error on its own rows: the Gaussian's features separate any distinct rows.
