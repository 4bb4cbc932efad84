"""A service: a model from a file answers over HTTP, on this machine only, until Ctrl-C.

    python examples/service/server.py model.mm 8000
    curl -d '{"row": [0.5, -1.2, 0.3]}' http://127.0.0.1:8000/

The server is Python's own, with a thread for each connection. A request is one row as JSON, an answer its label and decision
value; a bad row gets status 400 with the library's message, and the server goes on.
"""

import json
import pickle
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

import maxmargin


def handler(model):
    """Answers with the labels and decision values of a model of two classes."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                row = np.asarray(json.loads(body)["row"], dtype=np.float64)[None, :]
                value = float(model.decision_function(row)[0])
                status, answer = 200, {"label": model.classes_[int(value > 0)].item(), "value": value}
            except (ValueError, KeyError, TypeError, IndexError) as error:
                status, answer = 400, {"error": str(error)}
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return Answer


def main(path, port):
    """Load the model and answer."""
    maxmargin.set_threads(1)  # one row is too little to share
    # A pickle can run any code: only one that you wrote yourself. maxmargin's own format cannot.
    model = pickle.loads(path.read_bytes()) if path.suffix == ".pkl" else maxmargin.io.load(path)
    server = ThreadingHTTPServer(("127.0.0.1", port), handler(model))
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
