"""Text: which of 20 newsgroups a message is from, told from its words: 62 061 columns, nearly all of them 0.

On the left the accuracy on messages that were not trained on, over the cost C, of three linear models, and how long each
curve took. On the right how many test messages of each group are taken for one of another group, by the best of the models:
a few groups with neighbouring topics are confused, most hardly ever.

The data are news20 of LIBSVM's collection, ``news20.xz`` and ``news20.t.xz`` in the folder named by MAXMARGIN_DATA.

    python examples/newsgroups.py [folder]
"""

import lzma
import os
import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_svmlight_files
from sklearn.metrics import confusion_matrix
from sklearn.preprocessing import normalize

from maxmargin import LinearSVC, LogisticRegression

MODELS = {
    "hinge": (LinearSVC(loss="hinge"), "#0072B2"),
    "squared hinge": (LinearSVC(), "#D55E00"),
    "logistic, one against the rest": (LogisticRegression(multi_class="ovr"), "#009E73"),
}
COSTS = (0.1, 1.0, 10.0, 100.0)


def main(folder):
    """Draw accuracies and confusions."""
    place = Path(os.environ["MAXMARGIN_DATA"])
    with lzma.open(place / "news20.xz") as train, lzma.open(place / "news20.t.xz") as test:
        X, y, X_new, y_new = load_svmlight_files([train, test], dtype=np.float32)
    some = np.random.default_rng(0).permutation(X.shape[0])[:4000]
    X, y, X_new = normalize(X[some].log1p()), y[some], normalize(X_new.log1p())

    figure = Figure(figsize=(13, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    best = (0.0, None)
    for name, (model, colour) in MODELS.items():
        begin, scores = time.perf_counter(), []
        for C in COSTS:
            predicted = model.set_params(C=C).fit(X, y).predict(X_new)
            scores.append(100 * np.mean(predicted == y_new))
            best = max(best, (scores[-1], predicted), key=lambda pair: pair[0])
        seconds = time.perf_counter() - begin
        left.semilogx(COSTS, scores, "o-", color=colour, label=f"{name}: {seconds:.1f} s for {len(COSTS)} fits")
        print(f"{name:<32}{max(scores):6.1f} %  {seconds:6.1f} s")
    left.set(xlabel="C", ylabel="% of new messages right", title=f"{len(y)} messages, {X.shape[1]} words, 20 classes")
    left.legend(frameon=False)

    confused = confusion_matrix(y_new, best[1])
    np.fill_diagonal(confused, 0)
    shown = right.imshow(confused, cmap="Blues")
    right.set(title=f"what is taken for what ({best[0]:.1f} % right)", xlabel="predicted group", ylabel="group")
    right.set_xticks(range(0, 20, 2), range(1, 21, 2))
    right.set_yticks(range(0, 20, 2), range(1, 21, 2))
    figure.colorbar(shown, ax=right, label="messages")
    figure.savefig(Path(folder) / "newsgroups.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
