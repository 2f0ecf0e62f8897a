"""The HTML page: complete, self-contained, and safe with hostile text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import zlib
from html.parser import HTMLParser

import pytest

from sqlobs.errors import MissingExtraError
from sqlobs.reporting.judged import judged_groups
from sqlobs.reporting.page.document import html_document, write_html
from sqlobs.reporting.statement.difference import pieces, shown_pair
from sqlobs.reporting.wording import shown_value
from sqlobs.runs.case import (
    CaseResult,
    GenerationRecord,
    JudgeVerdict,
    ResultDifference,
    RunOutcome,
    TimedRuns,
)
from sqlobs.runs.run import Run
from tests.reporting.samples import (
    HOSTILE,
    hostile_run,
    judged_run,
    large_run,
    mismatched,
    passed,
    small_run,
)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Page(HTMLParser):
    """A page as a browser's parser sees it: its elements, scripts and words."""

    def __init__(self, document):
        super().__init__()
        self.elements, self.scripts, self.words = [], [], []
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append([dict(attrs), ""])

    def handle_data(self, data):
        """Note a text, or the inside of a script."""
        if self.elements and self.elements[-1][0] == "script" and not self.scripts[-1][1]:
            self.scripts[-1][1] = data
        else:
            self.words.append(data)

    @property
    def text(self):
        """What stands on the page before its script runs."""
        return " ".join(" ".join(self.words).split())


def unpacked(text):
    """Return what a data element holds."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def parts(document):
    """Return the page, its index and its cases."""
    page = Page(document)
    held = [script for attributes, script in page.scripts if attributes.get("type")]
    return page, unpacked(held[0]), [case for chunk in held[1:] for case in unpacked(chunk)]


def lexemes_of(statement):
    """Return the text of each lexeme with the letter of its style."""
    texts, letters, _ = statement
    return list(zip(texts.split("\x1f"), letters, strict=True))


def test_the_page_says_how_the_run_went():
    """The lead, the figures and the endings stand there without any script."""
    page, index, cases = parts(html_document(small_run()))
    assert "2 of 9 predictions return the reference's result" in page.text
    assert "(95 % interval 6.3\u201354.7 %)." in page.text
    assert "1 names a table or column that does not exist." in page.text
    assert "1 reference did not run and counts against it." in page.text
    assert "category → genre 1" in page.text
    assert "database sqlite:///library.db statement timeout (s) 30 sqlobs 1.0" in page.text
    assert [entry[0] for entry in index["cases"]] == [f"q{place}" for place in range(9)]
    assert len(cases) == 9


def test_a_case_has_its_statements_findings_and_rows():
    """What the reader opens: marked pieces, the finding's sentence, rows beside each other."""
    _, _, cases = parts(html_document(small_run()))
    mismatch, refusal = cases[1], cases[2]
    assert mismatch["difference"] == {
        "columns": [["title", "loans"], ["title", "loans"]],
        "rows": [
            ["missing", ["Dune", ["7", "num"]], [1]],
            ["extra", ["Dune", ["8", "num"]], [1]],
            ["extra", ["Emma", ["1", "num"]], []],
        ],
        "missing": 1,
        "extra": 2,
        "firstAt": None,
    }
    assert ("2000", "N") in lexemes_of(mismatch["reference"])
    assert ("1999", "N") in lexemes_of(mismatch["predicted"])
    note = "Unknown column category. Did you mean genre?"
    (place,) = refusal["predicted"][2]
    assert refusal["predicted"][2][place] == note
    assert lexemes_of(refusal["predicted"])[int(place)] == ("category", "P")
    assert refusal["findings"] == [["error", "schema.unknown_column", note, 1]]
    assert cases[4].get("reference") is None
    assert "Both sides say that the question is unanswerable." in cases[4]["verdict"]


def test_names_are_underlined_where_the_statement_was_found_in_an_answer():
    """The checker counts in the statement, the page in the model's whole answer."""
    refusal = small_run().cases[2]
    answer = f"Here you are: {refusal.predicted_sql} -- ok?"
    run = Run(name="r", cases=(passed(0, predicted_sql=answer, check=refusal.check),))
    _, _, (case,) = parts(html_document(run))
    noted = [lexemes_of(case["predicted"])[int(place)] for place in case["predicted"][2]]
    assert noted == [("category", "P")]


def test_nothing_is_fetched_and_only_our_script_runs():
    """One script, whose digest the page's own policy names; no address in any attribute."""
    page = Page(html_document(hostile_run()))
    run = [script for attributes, script in page.scripts if not attributes.get("type")]
    assert len(run) == 1
    digest = base64.b64encode(hashlib.sha256(run[0].encode()).digest()).decode()
    policy = next(a["content"] for tag, a in page.elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy
    for tag, attributes in page.elements:
        assert tag not in {"img", "link", "iframe", "object", "base"}
        assert attributes.get("href", "#").startswith("#")
        assert not {name for name in attributes if name.startswith(("on", "src"))}


def test_hostile_text_stays_text():
    """Script tags, quotes, template code, NUL and direction marks: shown, never obeyed."""
    document = html_document(hostile_run())
    page, index, cases = parts(document)
    assert HOSTILE[0] not in document
    assert "\x00" not in document
    assert "\u202e" not in document
    document.encode()
    shown = json.dumps([index, [{**case, "copy": None} for case in cases]])
    assert not re.search(r"\\u0000|\\u202e|\\ud800", shown)
    assert "{{ 7 * 7 }}" in page.text + index["cases"][2][0]
    assert [case["copy"][1] for case in cases] == [f'SELECT "{text}"' for text in HOSTILE]


def test_the_same_run_gives_the_same_page():
    """No clock and no chance: a page can be compared with yesterday's."""
    assert html_document(small_run()) == html_document(small_run())


def test_a_run_without_cases_or_without_execution_has_a_page():
    """What was not done is left out, and the page still stands."""
    empty = Page(html_document(Run(name="", cases=())))
    assert "No case was evaluated." in empty.text
    assert "A run without a name" in empty.text
    skipped = passed(0, bucket="skipped", reason="not_asked", scores={}, mistake=None)
    exact = Page(html_document(Run(name="r", cases=(skipped,))))
    assert "1 of 1 prediction matches the reference's text" in exact.text
    assert "Outcomes" not in exact.text


def test_a_case_shows_attempts_tokens_and_times_of_its_answer():
    """Generation, tokens, cost, attempts, alternatives, what was cut off."""
    whole = mismatched(
        0,
        alternatives=("SELECT 1", "SELECT 2"),
        matched_alternative=1,
        predicted=RunOutcome(status="ok", rows=2_000, elapsed_ms=1_234.5, is_truncated=True),
        difference=ResultDifference(first_at=3),
        generation=GenerationRecord(
            status="error",
            error="HTTP 500",
            model="model-a",
            input_tokens=1_000,
            output_tokens=20,
            cost=0.0125,
            attempts=2,
            total_execution_time=1.5,
        ),
        approximate=("f1",),
        timed=TimedRuns(count=10, kept=9, is_below_resolution=True),
        judge=JudgeVerdict(judge="flex", correct=None, explanation="no answer", score=0.5),
    )
    _, _, (case,) = parts(html_document(Run(name="r", cases=(whole,))))
    assert case["facts"][3:] == [
        "generation: error, HTTP 500",
        *("model-a", "1,000 + 20 tokens", "cost 0.0125", "2 attempts", "1.50 s latency"),
        "timed 10 times, 9 kept, too fast to measure",
    ]
    assert case["ran"][1] == "2,000 rows, truncated, 1,234.5 ms"
    assert case["copy"] == ["SELECT 1", whole.predicted_sql]
    others = ["".join(text for text, _ in lexemes_of(sql)) for sql in case["alternatives"]]
    assert [" ".join(other.split()) for other in others] == [whole.reference_sql, "SELECT 2"]
    assert case["verdict"][-1] == "Showing reference 2 of 3, closest match."
    assert ["Execution F1", "≈ 0.85", True] in case["scores"]
    assert case["difference"]["firstAt"] == 3
    assert (case["judges"][0]["verdict"], case["judges"][0]["score"]) == ("no verdict", 0.5)


def test_without_the_package_the_extra_is_named(monkeypatch):
    """The sentence says what to install."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"sqlobs\[report\]"):
        html_document(small_run())


def test_means_are_shown_without_intervals_where_numpy_is_missing(monkeypatch):
    """The bootstrap is an extra; the mean is not."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    page = Page(html_document(large_run(20)))
    assert "Execution F1 Mean over the cases with this score. 0." in page.text


def test_a_judged_run_shows_judge_against_execution():
    """By difficulty and over all; the categories of each side; sides to filter by."""
    run = judged_run(60)
    page, index, cases = parts(html_document(run))
    groups = judged_groups(run.cases)
    assert [group.title for group in groups] == ["simple", "moderate", "challenging", "All"]
    assert "Judge against execution" in page.text
    assert f"All {shown_value(groups[-1].flex)}" in page.text
    assert {entry[-1] for entry in index["cases"]} >= {"false_positive", "false_negative"}
    assert cases[0]["judges"][0]["by"] == "flex/v1/judge-model"
    assert "Judge against execution" not in Page(html_document(small_run())).text


def test_cases_are_unpacked_in_pieces():
    """The cases of a large run come in chunks, so that opening one costs the same."""
    document = html_document(large_run(120))
    page = Page(document)
    chunks = [script for attributes, script in page.scripts if attributes.get("class") == "chunk"]
    assert [len(unpacked(chunk)) for chunk in chunks] == [50, 50, 20]


def dom(path, directory):
    """Return the document that Chromium makes of a page, after its script ran."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"]
    profile = f"--user-data-dir={directory / 'profile'}"
    return subprocess.run(
        [CHROMIUM, *flags, profile, "--dump-dom", path.as_uri()],
        capture_output=True,
        check=True,
        timeout=50,
    ).stdout.decode()


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_hostile_cases_without_running_their_scripts(tmp_path):
    """Loaded without a network, the list is there and the title is still the run's."""
    path = tmp_path / "report.html"
    write_html(hostile_run(), path)
    drawn = dom(path, tmp_path)
    assert drawn.count('<article class="case">') == len(HOSTILE)
    assert "<title>&lt;/script&gt;" in drawn


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_joins_the_lexemes_of_an_opened_case(tmp_path):
    """The page's script and the comparison page join the same neighbors."""
    run = small_run()
    opened = "<script>setTimeout(() => document.querySelectorAll('.row')[%d].click(), 500)</script>"
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", html_document(run))
    for place, case in enumerate(run.cases[1:3], start=1):
        path = tmp_path / f"{place}.html"
        path.write_text(page.replace("</body>", opened % place + "</body>"), encoding="utf-8")
        figures = re.findall(r"<figure.*?<pre[^>]*>(.*?)</pre>", dom(path, tmp_path), re.DOTALL)
        sides = shown_pair(case.closest_sql, case.predicted_sql)
        spans = [
            [html.unescape(text) for text in re.findall(r"<span[^>]*>(.*?)</span>", figure)]
            for figure in figures
        ]
        assert spans == [
            [piece.text for piece in pieces(side) if piece.is_changed or piece.style != "plain"]
            for side in sides
        ]


def test_a_case_without_anything_is_shown():
    """Rows of another program may hold an index and nothing else."""
    _, _, (case,) = parts(html_document(Run(name="r", cases=(CaseResult(index=0),))))
    assert case["ran"] == ["not executed", "not executed"]
