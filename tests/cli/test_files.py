"""train, predict, verify, tune, inspect and convert: files, pipes, CSV, svm-train's options, exit codes."""

from __future__ import annotations

import io as streams
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from maxmargin import SVC, io
from maxmargin.cli import _COMMANDS, main
from maxmargin.errors import InvalidInput

RUN = [sys.executable, "-m", "maxmargin"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rows of two classes in LIBSVM's format, and of three named ones as CSV."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    io.write_svmlight(tmp_path / "cancer", X[:200], 2 * y[:200] - 1)
    io.write_svmlight(tmp_path / "targets", X[:200], X[:200, 0] + 0.5)
    iris = load_iris(as_frame=True)
    table = iris.data.assign(species=iris.target_names[iris.target])
    table.to_csv(tmp_path / "iris.csv", index=False)
    (tmp_path / "cancer.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _ran(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    found = main(list(words))
    said = capsys.readouterr()
    assert found == code, said.err
    return said.out if code != 1 else said.err


def test_train_predict_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "cancer", "-C", "1", "--save", "cancer.mm"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "relative gap" in said.err
    assert "saved               cancer.mm" in said.err
    assert main(["predict", "cancer.mm", "cancer"]) == 0
    said = capsys.readouterr()
    rows = io.read_svmlight("cancer")
    model = SVC().fit(rows.X.toarray(), rows.y.astype(int))
    assert said.out.split() == [str(label) for label in model.predict(rows.X.toarray())]
    assert "accuracy = " in said.err
    out = _ran(capsys, "verify", "cancer.mm", "cancer")
    assert f"{model.certificate_.primal_objective:.10g}" in out
    assert "proven optimal within the tolerance 0.001" in out


def test_through_pipes(folder: Path) -> None:
    rows = (folder / "cancer").read_bytes()
    model = subprocess.run([*RUN, "train", "-", "-c", "1", "--save", "-", "-q"], input=rows, capture_output=True, check=True)
    assert model.stderr == b""
    found = subprocess.run([*RUN, "predict", "-", "cancer", "-q"], input=model.stdout, capture_output=True, check=True).stdout
    (folder / "piped.mm").write_bytes(model.stdout)
    assert found == subprocess.run([*RUN, "predict", "piped.mm", "-", "-q"], input=rows, capture_output=True, check=True).stdout
    verified = subprocess.run([*RUN, "verify", "-", "cancer", "--json"], input=model.stdout, capture_output=True, check=True)
    assert json.loads(verified.stdout)["certificate"]["optimal"] is True


def test_a_table_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(_ran(capsys, "train", "iris.csv", "--label", "species", "--save", "iris.mm", "--json"))
    assert found["model"] == "SVC"
    assert found["rows"] == 150
    assert found["certificate"]["optimal"] is True
    found = json.loads(_ran(capsys, "predict", "iris.mm", "iris.csv", "--label", "species", "--json"))
    assert found["predictions"][0] == "setosa"
    assert found["accuracy"] > 0.95
    assert "proven optimal" in _ran(capsys, "verify", "iris.mm", "iris.csv", "--label", "species")
    lines = (folder / "iris.csv").read_text().splitlines()
    names, *values = [line.rpartition(",")[0] for line in lines]  # without labels, columns turned around
    turned = [",".join(reversed(line.split(","))) for line in (names, *values)]
    (folder / "new.csv").write_text("\n".join(turned))
    assert _ran(capsys, "predict", "iris.mm", "new.csv").split() == found["predictions"]
    assert (
        "lack the columns 'petal width (cm)'" in _ran(capsys, "predict", "iris.mm", "short.csv", code=1)
        if _short(folder)
        else ""
    )


def _short(folder: Path) -> bool:
    (folder / "short.csv").write_text("sepal length (cm),sepal width (cm),petal length (cm)\n5.1,3.5,1.4\n")
    return True


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("-s 0 -t 0", "SVC"),
        ("-s 1 -n 0.1", "NuSVC"),
        ("-t 1 -d 2 -r 1 -g 0.1 -c 2 -e 0.01 -m 50 -h 0", "SVC"),
        ("-t laplacian", "SVC"),
        ("-w1 2 -w-1 0.5", "SVC"),
        ("--class-weight balanced --multi-class ovr", "SVC"),
        ("-s linear-svc -c 0.1 --penalty l1", "LinearSVC"),
        ("-s logistic", "LogisticRegression"),
    ],
)
def test_options_of_classifiers(options: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(_ran(capsys, "train", "cancer", *options.split(), "--save", "m.mm", "--json"))
    assert found["model"] == kind
    assert json.loads(_ran(capsys, "predict", "m.mm", "cancer", "--json"))["accuracy"] > 0.7
    assert json.loads(_ran(capsys, "verify", "m.mm", "cancer", "--json"))["certificate"]["optimal"] is True


def test_weights_are_those_of_svm_train(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "-w1", "2", "-w-1", "0.5", "--save", "m.mm", "-q")
    assert io.load("m.mm").class_weight == {1: 2.0, -1: 0.5}


@pytest.mark.parametrize(("options", "kind"), [("-s 3 -p 0.2", "SVR"), ("-s 4", "NuSVR"), ("-s linear-svr", "LinearSVR")])
def test_regressions(options: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(_ran(capsys, "train", "targets", *options.split(), "--save", "m.mm", "--json"))["model"] == kind
    assert json.loads(_ran(capsys, "predict", "m.mm", "targets", "--json"))["mean_squared_error"] < 1.0
    _ran(capsys, "verify", "m.mm", "targets")


@pytest.mark.parametrize("kind", ["2", "svdd"])
def test_models_of_one_class(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "-s", kind, "-n", "0.2", "--save", "m.mm")
    assert set(_ran(capsys, "predict", "m.mm", "cancer").split()) == {"1", "-1"}
    _ran(capsys, "verify", "m.mm", "cancer")


def test_probabilities_and_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "-b", "1", "cancer", "m.mm")
    head, first, *_ = _ran(capsys, "predict", "m.mm", "cancer", "-b", "1").splitlines()
    assert head == "labels -1 1"
    assert sum(map(float, first.split())) == pytest.approx(1.0)
    assert float(_ran(capsys, "predict", "m.mm", "cancer", "--scores").split()[0]) != 0.0
    _ran(capsys, "predict", "m.mm", "cancer", "out.txt")
    assert len((folder / "out.txt").read_text().split()) == 200


def test_cross_validation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _ran(capsys, "train", "cancer", "-v", "3")
    assert re.fullmatch(r"cross-validation accuracy = 9\d\.\d{4}% \(± \d\.\d\d% over 3 folds\)", said.splitlines()[-1])
    assert len(json.loads(_ran(capsys, "train", "cancer", "-v", "3", "--json"))["folds"]) == 3


def test_tune(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _ran(capsys, "tune", "cancer", "--cs", "0.1,1", "--gammas", "0.01,0.1", "-v", "3", "--save", "m.mm")
    assert "the best of 4 candidates" in said
    _ran(capsys, "verify", "m.mm", "cancer")
    found = json.loads(_ran(capsys, "tune", "cancer", "-s", "linear-svc", "--cs", "3", "--json"))
    assert len(found["all"]) == 3
    assert found["score"] > 0.9
    assert "has no gammas" in _ran(capsys, "tune", "cancer", "-s", "logistic", "--gammas", "3", code=1)


def test_inspect(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    assert "kernel            rbf" in _ran(capsys, "inspect", "m.mm")
    found = json.loads(_ran(capsys, "inspect", "m.mm", "--json"))
    assert found["features"] == 30
    assert found["parameters"]["C"] == 1.0
    _ran(capsys, "convert", "m.mm", "m.model")
    assert "none in the file" in _ran(capsys, "inspect", "m.model")


def test_models_are_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    known = _ran(capsys, "predict", "m.mm", "cancer")
    for step in (("m.mm", "m.model"), ("m.model", "again.mm"), ("m.mm", "m.c"), ("m.mm", "text", "--to", "libsvm")):
        _ran(capsys, "convert", *step)
    for model in ("m.model", "again.mm", "text"):
        assert _ran(capsys, "predict", model, "cancer") == known
    assert "proven optimal" in _ran(capsys, "verify", "m.model", "cancer")
    assert "int predict(const double x[30])" in (folder / "m.c").read_text()
    pytest.importorskip("skl2onnx")
    _ran(capsys, "convert", "m.mm", "m.onnx")
    assert (folder / "m.onnx").stat().st_size > 1000


def test_rows_are_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "iris.csv", "iris.libsvm", "--label", "species"]) == 0
    assert "labels: 0 = setosa, 1 = versicolor, 2 = virginica" in capsys.readouterr().err
    rows = io.read_svmlight("iris.libsvm")
    np.testing.assert_array_equal(rows.X.toarray(), load_iris().data)
    np.testing.assert_array_equal(rows.y, load_iris().target)
    _ran(capsys, "convert", "cancer", "cancer.csv")
    np.testing.assert_array_equal(io.read_csv("cancer.csv").X, io.read_svmlight("cancer").X.toarray())


def test_a_model_that_is_not_optimal_has_its_own_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "cancer", "--max-iter", "5", "--save", "m.mm"]) == 3
    assert "maxmargin: warning: " in capsys.readouterr().err
    said = _ran(capsys, "verify", "m.mm", "cancer", code=3)
    assert "not proven optimal" in said
    found = json.loads(_ran(capsys, "verify", "m.mm", "cancer", "--json", code=3))
    assert found["certificate"]["status"] == "NOT_OPTIMAL"


def test_another_cost_than_that_of_the_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    _ran(capsys, "verify", "m.mm", "cancer", "-C", "100", code=3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("predict nothing.mm cancer", "nothing.mm: No such file or directory"),
        ("predict cancer cancer", "cancer is no model: it begins neither as one of maxmargin"),
        ("predict - -", "cannot both come from standard input"),
        ("train nothing", "nothing: No such file or directory"),
        ("train iris.csv --label kind", "The label 'kind' is not among the columns of iris.csv: 'sepal length (cm)', "),
        ("train words.csv --label b", "Line 2 of words.csv has 'Oslo' in column 'city', which is no finite number."),
        ("predict iris.mm cancer", "cancer has the index 30, and the model was trained on 4 features."),
        ("train cancer -s 7", "must be one of svc, nu-svc, one-class"),
        ("train cancer -s linear-svc -t rbf", "is linear and takes no kernel"),
        ("train cancer -s svr -n 0.5", "does not apply to the model 'svr'"),
        ("train cancer -t 4 --gamma 1", "not read from files here|Kernel matrices"),
        ("train cancer -b 1 -s logistic", "-b 1 is for svc and nu-svc"),
        ("train cancer --class-weight 7=2", "the rows have the labels -1, 1"),
        ("train cancer --class-weight 1=x", "'x' is no number"),
        ("train cancer --save nowhere/m.mm", "there is no directory nowhere"),
        ("train cancer m.mm --save n.mm", "The model has two names"),
        ("train cancer -s svdd -v 3", "Cross-validation needs labels"),
        ("train iris.csv --label species -s svr", "A regression needs numbers as targets"),
        ("train cancer.csv --label none", "was read without labels"),
        ("convert cancer out.xyz", "holds rows, which cannot be written as '.xyz'|cannot be written as ''"),
        ("verify old.mm iris.csv --label species", "old.mm"),
    ],
)
def test_one_line_says_what_is_wrong(words: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "words.csv").write_text("a,city,b\n1,Oslo,2\n3,Rome,4\n")
    io.save(SVC().fit(*load_iris(return_X_y=True)), "iris.mm")
    said = _ran(capsys, *words.split(), code=1)
    assert said.startswith("maxmargin: ")
    assert any(each in said for each in message.split("|")), said
    assert said.count("\n") == 1


@pytest.mark.parametrize("command", ["train", "tune"])
def test_columns_in_another_order(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model knows the columns of its table by name, whichever command made it."""
    _ran(capsys, command, "iris.csv", "--label", "species", "--save", "iris.mm")
    table = [line.split(",") for line in (folder / "iris.csv").read_text().splitlines()]
    turned = "\n".join(",".join(fields[place] for place in (3, 1, 4, 0, 2)) for fields in table)
    (folder / "turned.csv").write_text(turned)
    asked = ("predict", "iris.mm", "iris.csv", "--label", "species")
    assert _ran(capsys, "predict", "iris.mm", "turned.csv", "--label", "species") == _ran(capsys, *asked)
    assert "proven optimal" in _ran(capsys, "verify", "iris.mm", "turned.csv", "--label", "species")


def test_rows_to_predict_may_have_words_as_labels_last(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "iris.csv", "--save", "iris.mm")
    assert main(["predict", "iris.mm", "iris.csv"]) == 0
    said = capsys.readouterr()
    assert said.out.split()[0] == "setosa"
    assert "accuracy = 97" in said.err


def test_rows_to_predict_may_have_zeros_last(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An index that no row has is still a feature of the model."""
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    (folder / "short").write_text("1 1:0.5 2:1\n-1 1:0.25\n")
    X = np.zeros((2, 30))
    X[:, :2] = [[0.5, 1.0], [0.25, 0.0]]
    assert _ran(capsys, "predict", "m.mm", "short").split() == [str(label) for label in io.load("m.mm").predict(X)]


def test_verify_refuses_other_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    lines = (folder / "cancer").read_text().splitlines()
    (folder / "others").write_text("\n".join(lines[100:] + [line.rpartition(" ")[0] for line in lines[:100]]))
    assert "is none of the 200 rows" in _ran(capsys, "verify", "m.mm", "others", code=1)
    (folder / "turned").write_text("\n".join(reversed(lines)))
    assert "proven optimal" in _ran(capsys, "verify", "m.mm", "turned")


def test_a_damaged_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ran(capsys, "train", "cancer", "--save", "m.mm")
    (folder / "cut.mm").write_bytes((folder / "m.mm").read_bytes()[:3000])
    assert "cut.mm is damaged" in _ran(capsys, "predict", "cut.mm", "cancer", code=1)


def test_one_wrong_index_asks_for_no_gigabytes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong").write_text("1 1:1\n-1 2:1\n1 3:1 2147483000:1\n-1 1:2\n")
    for command in (
        "train wrong",
        "train wrong -s linear-svc",
        "tune wrong",
        "convert wrong out.csv",
        "convert wrong out.libsvm",
    ):
        said = _ran(capsys, *command.split(), code=1)
        assert "Row 3 of wrong has the index 2147483000, and the file 5 numbers in all" in said
    (folder / "wide").write_text("1 1:1\n-1 20000000:1\n" * 3)
    assert "--max-columns 20000000" in _ran(capsys, "convert", "wide", "out.libsvm", code=1)
    _ran(capsys, "convert", "wide", "out.libsvm", "--max-columns", "20000000")
    said = _ran(capsys, "convert", "wide", "out.csv", "--max-columns", "20000000", code=1)
    assert "As a table wide has 120000000 fields" in said


@pytest.mark.parametrize("command", [each.__name__.rpartition("._")[2] for each in _COMMANDS])
def test_help_teaches_within_eighty_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(len(line) <= 80 for line in said.splitlines())
    assert command in ("demo", "play") or ("examples:" in said and "exit codes:" in said)


def test_h_alone_is_help(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "cancer", "-h"]) == 0
    assert "svm-train's options" in capsys.readouterr().out


def test_wrong_options_end_with_two() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train"])
    assert ended.value.code == 2


def test_formats_are_told_by_name_and_first_line() -> None:
    rows: Any = __import__("maxmargin.cli._rows", fromlist=["format_of"])
    for path, begin, kind in [
        ("a.csv", b"1 1:2", "csv"),
        ("a.csv.gz", b"", "csv"),
        ("a.libsvm", b"1,2", "svmlight"),
        ("a", b"# x\n+1 1:2 3:4\n", "svmlight"),
        ("a", b"1 # a row of zeros\n", "svmlight"),
        ("a", b"1,2,3\n", "csv"),
        ("a", b"a:1,b\n", "csv"),
        ("a.txt", b"1 2 3\n", "csv"),
    ]:
        assert rows.format_of(path, begin) == kind, (path, begin)


def test_the_model_of_a_stream_is_the_model_of_a_file() -> None:
    file = streams.BytesIO()
    io.save(SVC(), file)
    with pytest.raises(InvalidInput, match="which no model of LIBSVM has"):
        io.read_libsvm(streams.BytesIO(b"PK"))
