"""How long answers of the service take at 200 requests a second, beside scikit-learn's model in the same service.

Requests go out on time, whether the last has been answered or not, over eight connections.

    python examples/service/load.py [seconds]
"""

import http.client
import json
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification

import maxmargin

A_SECOND, CONNECTIONS = 200, 8
SERVER = Path(__file__).with_name("server.py")


def asked(port, rows):
    """Milliseconds from when each request was due to its answer, and the answers."""
    begin, waits, answers = time.perf_counter() + 0.1, np.zeros(len(rows)), [None] * len(rows)

    def client(first):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for k in range(first, len(rows), CONNECTIONS):
            due = begin + k / A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            connection.request("POST", "/", json.dumps({"row": rows[k].tolist()}))
            answers[k] = json.loads(connection.getresponse().read())
            waits[k] = 1e3 * (time.perf_counter() - due)
        connection.close()

    clients = [threading.Thread(target=client, args=(k,)) for k in range(CONNECTIONS)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    return waits, answers


def measured(path, rows):
    """The same with a server of its own, which is ended afterwards."""
    with subprocess.Popen([sys.executable, str(SERVER), str(path), "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline().rsplit(":", 1)[1].rstrip("/\n"))
            asked(port, rows[:50])  # the first requests find nothing warm
            return asked(port, rows)
        finally:
            server.terminate()


def main(seconds):
    """Print the latencies of both."""
    X, y = make_classification(4_000, 30, n_informative=12, flip_y=0.1, random_state=0)
    rows = X[np.arange(int(A_SECOND * seconds)) % len(X)]
    with tempfile.TemporaryDirectory() as here:
        files = {"maxmargin": Path(here, "model.mm"), "scikit-learn": Path(here, "model.pkl")}
        maxmargin.io.save(maxmargin.SVC().fit(X, y), files["maxmargin"])
        files["scikit-learn"].write_bytes(pickle.dumps(sklearn.svm.SVC().fit(X, y)))
        found = {name: measured(path, rows) for name, path in files.items()}
    for name, (waits, answers) in found.items():
        p50, p99 = np.percentile(waits, [50, 99])
        print(f"{name:12} {len(answers)} answers, p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    ours, theirs = ([answer["label"] for answer in answers] for _, answers in found.values())
    print(f"the same labels: {np.mean(np.equal(ours, theirs)):.2%}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10)
