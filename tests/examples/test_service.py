"""The service of the examples: answers as the model does, refuses bad rows in words, and goes on."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import make_classification

from maxmargin import SVC, io

from .._data import PROJECT

FOLDER = PROJECT / "examples" / "service"


def test_it_answers_as_the_model_and_refuses_in_words(tmp_path: Path) -> None:
    X, y = make_classification(80, 4, random_state=0)
    model = SVC().fit(X, y)
    io.save(model, tmp_path / "model.mm")
    command = [sys.executable, str(FOLDER / "server.py"), str(tmp_path / "model.mm"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline()
            connection = http.client.HTTPConnection("127.0.0.1", int(address.rsplit(":", 1)[1].rstrip("/\n")), timeout=30)

            def asked(body: str) -> tuple[int, Any]:
                connection.request("POST", "/", body)
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())

            for bad, word in (
                ('{"row": [1, 2]}', "features"),
                ('{"row": [1, 2, 3, NaN]}', "NaN"),
                ("{}", "row"),
                ("no", "value"),
            ):
                status, answer = asked(bad)
                assert status == 400
                assert word in answer["error"]
            for row, label, value in zip(X[:5], model.predict(X[:5]), model.decision_function(X[:5]), strict=True):
                assert asked(json.dumps({"row": row.tolist()})) == (200, {"label": label, "value": value})
        finally:
            server.terminate()


@pytest.mark.alone
def test_two_hundred_requests_a_second() -> None:
    """All are answered, by both models, with the same labels."""
    command = [sys.executable, str(FOLDER / "load.py"), "1"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert printed.count("200 answers") == 2
    assert "the same labels: 100.00%" in printed
