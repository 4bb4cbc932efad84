"""A notebook is executed, and shows the bar of ``verbose=1``, the tables, and scikit-learn's view of our parameters."""

from __future__ import annotations

import gc
import re
import sys
import warnings

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient executes notebooks, and is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is the notebook's Python, and is not installed")
kernelspec = pytest.importorskip("jupyter_client.kernelspec")
managers = pytest.importorskip("jupyter_client.manager")
nbformat = pytest.importorskip("nbformat.v4")

CELLS = [
    "import numpy as np\n"
    "from maxmargin import SVC\n"
    "rng = np.random.default_rng(0)\n"
    "X = rng.normal(size=(400, 2)); y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)",
    "model = SVC(verbose=1).fit(X, y)",
    "model.summary()",
    "model.status_",
    "model.solutions_[0]",
    "model.certificate_",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell has shown; the kernel is the Python that runs the test."""
    manager = managers.AsyncKernelManager()
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = kernelspec.KernelSpec(argv=command, display_name="this", language="python")
    notebook = nbformat.new_notebook(cells=[nbformat.new_code_cell(source) for source in CELLS])
    folder = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    nbclient.NotebookClient(notebook, km=manager, timeout=60, resources=folder).execute()
    del manager
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of sockets that Jupyter leaves open
        gc.collect()
    return [cell.outputs for cell in notebook.cells]


def _html(shown):
    return [each.data["text/html"] for each in shown if "data" in each and "text/html" in each.data]


def test_the_bar_is_one_output_that_ends_full(outputs):
    (bar,) = _html(outputs[1])  # updated in place, not a line for each report
    assert 'max="1"' in bar
    assert float(re.search(r'value="([\d.]+)"', bar)[1]) == 1.0
    assert "100%" in bar
    text = "".join(each.text for each in outputs[1] if each.output_type == "stream")
    assert "converged" in text


@pytest.mark.parametrize(("cell", "words"), [(2, "formulation"), (3, "what happened"), (4, "support vectors"), (5, "gap")])
def test_tables_are_shown_as_html(outputs, cell, words):
    (table,) = _html(outputs[cell])
    assert table.startswith("<table>")
    assert words in table
    assert "<script" not in table
