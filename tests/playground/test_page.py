"""The page in a browser: the same answers, live, and never frozen."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from .._data import PROJECT
from ._core import PLAYGROUND, request, require_core
from ._same import check_same
from .conftest import Seen

Open = Callable[..., Seen]

# Ten point sets × formulations × kernels, as addresses.
ANSWERS = [
    "f=soft&k=rbf_1&set=moons_200_2_0.2_1",
    "f=soft&C=10&k=linear&set=overlap_80_2_0.1_2",
    "f=hard&k=rbf_1&set=xor_60_2_0.1_3",
    "f=hard&k=linear&set=overlap_50_2_0.1_4",
    "f=soft&squared=1&C=5&k=poly_0.5_1_3&set=circles_90_2_0.2_5",
    "f=soft&offset=0&k=rbf_2+linear&set=outliers_100_2_0.1_6",
    "f=nu&nu=0.25&k=rbf_1&set=spirals_120_2_0.1_7",
    "f=soft&several=pairs&k=rbf_1&set=iris_150_3_0.1_1",
    "f=soft&several=rest&C=3&k=laplacian_0.5*poly_0.5_1_2&set=blobs_100_4_0.3_8",
    "f=soft&several=joint&k=rbf_0.5&set=blobs_90_5_0.3_9",
    "f=regression&C=4&eps=0.2&k=rbf_1&set=sine_80_2_0.1_10",
    "f=one_class&nu=0.15&k=rbf_0.5&set=cloud_120_2_0.1_11",
    "f=ball&nu=0.1&k=linear&set=cloud_120_2_0.1_12",
    "f=soft&k=rbf_1&set=moons_700_2_0.3_13",
]


def _asked(shown: dict[str, Any]) -> dict[str, Any]:
    """The request that the page has made of its state."""
    state = shown["state"]
    terms = state["terms"]
    kernel = terms[0] if len(terms) == 1 else {"kind": state["combine"], "parts": terms}
    regress = state["formulation"] == "regression"
    points = state["points"]
    x = [p["x"] for p in points] if regress else [v for p in points for v in (p["x"], p["y"])]
    y = [p["y"] for p in points] if regress else [float(p["c"]) for p in points]
    kept = {key: state[key] for key in ("formulation", "scheme", "offset", "squared", "C", "nu", "epsilon")}
    return request(x, y, kernel, **kept, columns=1 if regress else 2)


@pytest.mark.parametrize("fragment", ANSWERS)
def test_same_answer_as_python_in_the_browser(open_page: Open, fragment: str) -> None:
    shown = open_page(f"#{fragment}").settled()
    check_same(_asked(shown), shown["answer"])


COPIED = [
    ANSWERS[0],
    ANSWERS[3],
    ANSWERS[4],
    ANSWERS[5],
    ANSWERS[6],
    ANSWERS[7],
    ANSWERS[8],
    ANSWERS[9],
    ANSWERS[10],
    ANSWERS[11],
    ANSWERS[12],
    "f=hard&several=pairs&k=rbf_1&set=blobs_60_3_0.1_3",
    "f=soft&k=matern_1.5_1+rational_quadratic_0.7_2&set=moons_80_2_0.2_1",
    "f=soft&k=cosine*sigmoid_0.2_0&C=0.1&set=moons_60_2_0.2_1",
]


@pytest.mark.parametrize("fragment", COPIED)
def test_copy_as_python_prints_the_same_certificate(open_page: Open, fragment: str, tmp_path: Path) -> None:
    seen = open_page(f"#{fragment}")
    certificate = seen.settled()["answer"]["certificate"]
    seen.page.get_by_role("button", name="Copy as Python").click()
    script = tmp_path / "playground.py"
    script.write_text(seen.page.locator("#script").input_value(), encoding="utf-8")
    ran = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    printed = {name: value.strip() for name, value in re.findall(r"^(.+?) {2,}(.+)$", ran.stdout, re.MULTILINE)}
    assert printed["status"].split(":")[0] == certificate["status"]
    compared = {"primal objective": "primal", "gap": "gap"}
    if certificate["status"] != "INFEASIBLE":  # where the dual objective has no end, and rounding says where it is
        compared["dual objective"] = "dual"
    for name, key in compared.items():
        ours, size = _number(certificate[key]), max(1.0, abs(_number(certificate["dual"])))
        assert float(printed[name]) == pytest.approx(ours, abs=1e-6 * size, nan_ok=True)


def _number(value: Any) -> float:
    """A number that went through JSON; there is no gap of an indefinite kernel."""
    return float("nan") if value is None else float(value)


def _box(seen: Seen) -> tuple[float, float, float, float]:
    box = seen.page.locator("#plane").bounding_box()
    return box["x"], box["y"], box["width"], box["height"]


@pytest.mark.alone
def test_a_drag_solves_again_within_a_frame(open_page: Open) -> None:
    seen = open_page("#f=soft&C=10&k=rbf_1&set=moons_200_2_0.25_1")
    seen.settled()
    seen.page.evaluate(
        """() => {
          window.times = [];
          const show = playground.panel.show.bind(playground.panel);
          playground.panel.show = (state, answer, milliseconds, stepping) => {
            if (milliseconds !== null) times.push(milliseconds);
            show(state, answer, milliseconds, stepping);
          };
        }"""
    )
    x, y = seen.page.evaluate("playground.view.screen(playground.state.points[0].x, playground.state.points[0].y)")
    left, top, _, _ = _box(seen)
    before = seen.page.evaluate("playground.answer.certificate.primal")
    mouse = seen.page.mouse
    mouse.move(left + x, top + y)
    mouse.down()
    for k in range(90):
        mouse.move(left + x + 2 * k, top + y + 1.5 * k)
    mouse.up()
    times = seen.page.evaluate("times")
    assert len(times) >= 60
    assert median(times) <= 16.0
    assert seen.settled()["answer"]["certificate"]["status"] == "CONVERGED"
    assert seen.page.evaluate("playground.answer.certificate.primal") != before


@pytest.mark.alone
def test_two_thousand_points_leave_the_page_responsive(open_page: Open) -> None:
    seen = open_page("#f=soft&C=10&k=rbf_1&set=moons_2000_2_0.35_1")
    seen.settled()
    seen.page.evaluate(
        """() => {
          window.longest = 0;
          let last = performance.now();
          const frame = (now) => { longest = Math.max(longest, now - last); last = now; requestAnimationFrame(frame); };
          requestAnimationFrame(frame);
        }"""
    )
    x, y = seen.page.evaluate("playground.view.screen(playground.state.points[5].x, playground.state.points[5].y)")
    left, top, _, _ = _box(seen)
    mouse = seen.page.mouse
    mouse.move(left + x, top + y)
    mouse.down()
    for k in range(40):
        mouse.move(left + x + 3 * k, top + y)
    mouse.up()
    seen.until("playground.answer.certificate.status === 'CONVERGED'", 40.0)
    assert seen.page.evaluate("longest") < 250.0  # milliseconds between two frames


GARBAGE = [
    "#%%%%",
    "#f=nonsense&C=-5&k=rbf&p=1.zz",
    "#f=soft&C=1e999&nu=abc&eps=NaN&k=poly_1_1_99",
    "#p=" + "x" * 5000,
    "#set=moons_99999999_2_0.2_1",
    "#k=" + "+".join(["rbf_1"] * 50),
    "#f=<script>alert(1)</script>&p=0.0.0~<img src=x>",
]


@pytest.mark.parametrize("fragment", GARBAGE)
def test_garbage_in_the_address_is_said(open_page: Open, fragment: str) -> None:
    seen = open_page(fragment)
    assert seen.settled()["answer"]["certificate"]["status"] == "CONVERGED"
    if fragment != "#%%%%":  # which has no part with a name
        assert "The address was not understood in part" in seen.message()


CSV = {
    "": "There is no text",
    "hello": "Line 1 has one value",
    "a,b\nc,d": "does not have two numbers",
    "1,2,x\n3,4": "Line 2 has 2 values, and the first has 3",
    "\n".join(f"{k},{k},class{k}" for k in range(9)): "9 classes; at most 5",
    "\n".join("1,2" for _ in range(2500)): "2500 lines; at most 2000",
    "1,nan,a\n2,inf,b": "does not have two numbers",
}


@pytest.mark.parametrize("text", CSV, ids=range(len(CSV)))
def test_garbage_in_pasted_text_is_said(open_page: Open, text: str) -> None:
    seen = open_page()
    page = seen.page
    page.get_by_role("button", name="Paste CSV").click()
    page.evaluate("(text) => (document.getElementById('csv').value = text)", text)
    page.get_by_role("button", name="Take these points").click()
    assert CSV[text] in page.locator("#paste-error").text_content()
    page.get_by_role("button", name="Cancel").click()
    assert len(seen.settled()["state"]["points"]) == 60


def test_pasted_points_are_solved(open_page: Open) -> None:
    seen = open_page()
    page = seen.page
    page.get_by_role("button", name="Paste CSV").click()
    page.locator("#csv").fill("width;height;kind\n1;2;a\n2;3;a\n10;1;b\n12;2.5;b\n11;0;c")
    page.get_by_role("button", name="Take these points").click()
    shown = seen.settled()
    assert [p["c"] for p in shown["state"]["points"]] == [0, 0, 1, 1, 2]
    check_same(_asked(shown), shown["answer"])


def test_points_that_ask_nothing_and_points_that_have_no_answer(open_page: Open) -> None:
    seen = open_page("#f=soft&k=rbf_1&p=0.a.a~0.b.b")
    assert "All points are of one class" in seen.message()
    seen.go("#f=soft&p=")
    assert "There are no points" in seen.message()
    seen.go("#f=hard&k=linear&p=0.a.a~1.a.a~0.1a.2")
    shown = seen.settled()
    assert shown["answer"]["certificate"]["status"] == "INFEASIBLE"
    assert shown["answer"]["picture"] is None
    assert "the two weighted means" in seen.page.locator("#answer").text_content()
    assert "both means" in seen.page.locator("#legend").text_content()
    seen.go("#f=hard&offset=0&k=linear&p=0.a.a~0.-a.-a~1.1a.2")
    assert seen.settled()["answer"]["certificate"]["status"] == "INFEASIBLE"
    assert "No hyperplane through the origin" in seen.page.locator("#answer").text_content()
    assert "the sum" in seen.page.locator("#legend").text_content()
    seen.go("#f=soft&k=rbf_1&p=" + "~".join(["0.a.a", "1.5.5"] * 20))
    assert seen.settled()["answer"]["certificate"]["status"] == "CONVERGED"


def test_undo_and_the_address_bring_points_back(open_page: Open) -> None:
    seen = open_page("#f=soft&k=rbf_1&set=moons_30_2_0.2_1")
    page, (left, top, width, height) = seen.page, _box(seen)
    page.mouse.click(left + 0.9 * width, top + 0.1 * height)
    assert seen.until("playground.state.points.length === 31")
    page.reload()
    assert seen.until("window.playground && playground.state.points.length === 31")
    page.keyboard.press("Control+z")
    page.mouse.click(left + 0.9 * width, top + 0.15 * height)
    assert seen.until("playground.state.points.length === 32")
    page.get_by_role("button", name="Undo").click()
    assert seen.until("playground.state.points.length === 31")
    page.get_by_role("button", name="Redo").click()
    assert seen.until("playground.state.points.length === 32")


def test_brush_erase_and_keys(open_page: Open) -> None:
    seen = open_page("#f=soft&k=rbf_1&set=blobs_20_2_0.1_1")
    page, (left, top, width, height) = seen.page, _box(seen)
    page.get_by_role("radio", name="Brush").click()
    page.get_by_role("radio", name="Class 2, orange").click()
    page.mouse.move(left + 0.1 * width, top + 0.1 * height)
    page.mouse.down()
    page.mouse.move(left + 0.5 * width, top + 0.1 * height, steps=20)
    page.mouse.up()
    brushed = seen.page.evaluate("playground.state.points.length")
    assert brushed >= 25
    assert seen.page.evaluate("playground.state.points.slice(20).every((p) => p.c === 1)")
    page.get_by_role("radio", name="Erase").click()
    page.mouse.click(left + 0.1 * width, top + 0.1 * height)
    assert seen.page.evaluate("playground.state.points.length") == brushed - 1
    page.locator("#plane").focus()
    page.keyboard.press("n")
    x = seen.page.evaluate("playground.state.points[0].x")
    page.keyboard.press("ArrowRight")
    assert seen.page.evaluate("playground.state.points[0].x") == pytest.approx(x + 0.1, abs=1e-3)
    assert "Point 1 of" in page.locator("#live").text_content()
    page.keyboard.press("3")
    assert seen.page.evaluate("playground.state.points[0].c") == 2
    page.keyboard.press("Delete")
    assert seen.page.evaluate("playground.state.points.length") == brushed - 2
    page.keyboard.press("Enter")
    assert seen.page.evaluate("playground.state.points.length") == brushed - 1


def test_steps_lead_to_the_optimum(open_page: Open) -> None:
    seen = open_page("#f=soft&k=linear&C=1&set=blobs_16_2_0.1_1")
    optimum = seen.settled()["answer"]["certificate"]["primal"]
    page = seen.page
    page.get_by_role("button", name="Begin at").click()
    duals = [page.evaluate("playground.answer.certificate.dual")]
    for _ in range(200):
        page.get_by_role("button", name="Step", exact=True).click()
        if not page.evaluate("playground.walking.pair.length"):
            break
        assert page.evaluate("playground.walking.pair.length") == 2
        duals.append(page.evaluate("playground.answer.certificate.dual"))
    assert duals == sorted(duals)
    assert duals[-1] == pytest.approx(optimum, abs=1e-6)
    page.get_by_role("button", name="Leave").click()
    assert seen.settled()["answer"]["certificate"]["status"] == "CONVERGED"


def test_save_png(open_page: Open, tmp_path: Path) -> None:
    seen = open_page()
    with seen.page.expect_download() as saved:
        seen.page.get_by_role("button", name="Save PNG").click()
    saved.value.save_as(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def _axe() -> str:
    """The source of axe-core, installed by npm beside the build; the test skips where it cannot be."""
    folder = PROJECT / "build" / "axe"
    source = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not source.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm, which brings axe-core, is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        ran = subprocess.run([npm, "install", "--prefix", folder, "axe-core"], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            pytest.skip(f"axe-core cannot be installed: {ran.stderr.strip().splitlines()[-1:]}")
    return source.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "fragment", ["", "#f=regression", "#f=hard&k=linear&set=overlap_50_2_0.1_4", "#f=soft&several=joint&set=blobs_90_4_0.3_9"]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1400, 900), (390, 844)], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(open_page: Open, fragment: str, scheme: str, size: tuple[int, int]) -> None:
    source = _axe()
    seen = open_page(fragment, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    seen.settled()
    seen.page.locator("details summary").click()
    seen.page.evaluate(source)
    found = json.loads(seen.page.evaluate("axe.run().then((r) => JSON.stringify(r.violations))"))
    serious = {
        each["id"]: [node["html"][:120] for node in each["nodes"]]
        for each in found
        if each["impact"] in ("serious", "critical")
    }
    assert serious == {}
    wide = seen.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0  # nothing to scroll sideways


def test_the_page_is_small() -> None:
    require_core()
    files = [path for path in PLAYGROUND.iterdir() if path.suffix in (".html", ".css", ".js", ".svg", ".wasm")]
    assert len(files) > 10
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) < 400_000
