"""What people decide in the console, in Debian's Chromium: golden cases, labels, feedback."""

from __future__ import annotations

import http.server
import re
import shutil
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from sqlobs.judge.trust.labels import Label
from sqlobs.metrics.agreement import fleiss_kappa
from tests.collector import records
from tests.collector.conftest import shop
from tests.collector.running import wait_until
from tests.collector.test_feedback_endpoint import TOKENS, told
from tests.collector.test_golden import QUESTION, Client, asked, compared, identity
from tests.collector.test_notifying import listening
from tests.collector.test_review import collecting, judge, number_of, sample
from tests.collector.test_units import send
from tests.servers import free_port

__all__ = ["collecting", "judge", "shop"]

CHROMIUM = shutil.which("chromium")
COUNT = "SELECT count(*) FROM orders"
DOCUMENT = Path(__file__).parents[2] / "docs" / "feedback.md"
SNIPPET = re.compile(r"```javascript\n(function .*?)```", re.DOTALL)  # function f() {…}
HOSTILE = '</textarea></pre><script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e'

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed: run scripts/install-servers"
    ),
    pytest.mark.slow,
]


class Person:
    """One person with a browser of their own, logged in."""

    def __init__(self, playwright, address: str, token: str) -> None:
        self.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        self.page = self.browser.new_page(base_url=address)
        self.faults: list[str] = []
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda shown: (self.faults.append(shown.message), shown.dismiss()))
        self.page.goto("/login")
        self.page.fill("#token", token)
        self.page.click("button.primary")

    def click(self, name: str) -> None:
        """Press a button of a form, and wait for the page that answers."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name, exact=True).click()

    def close(self) -> None:
        self.browser.close()
        assert self.faults == []


@pytest.fixture
def person():
    """Start browsers in the test's thread; none may show an error."""
    people: list[Person] = []
    with sync_playwright() as playwright:

        def start(client: Client) -> Person:
            people.append(Person(playwright, client.admin, client.headers["Authorization"][7:]))
            return people[-1]

        yield start
        for one in people:
            one.close()


def label_all(client: Client, name: str, decide) -> None:
    """Label in a browser until nothing is left."""
    with sync_playwright() as playwright:
        one = Person(playwright, client.admin, client.headers["Authorization"][7:])
        one.page.goto(f"/review?rater={name}")
        correct = one.page.get_by_role("button", name="Correct", exact=True)
        while correct.count():
            question = one.page.locator(".task .question").inner_text()
            one.click("Correct" if decide(number_of({"question": question})) else "Incorrect")
        assert one.page.get_by_role("heading", name="Nothing left to label").count() == 1
        one.close()


def test_two_browsers_label_60_requests_at_the_same_time(collecting):
    """Nothing is lost or doubled; kappa is that of the labels."""
    client = collecting(70)
    assert sample(client, count=60, labels=2) == 60
    decisions = {"ada": lambda n: n % 2 == 0, "grace": lambda n: n % 2 == 0 or n % 11 == 0}
    failures: list[BaseException] = []

    def work(name: str, decide) -> None:
        try:
            label_all(client, name, decide)
        except BaseException as error:  # noqa: BLE001 - it is raised by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=each) for each in decisions.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    found = client.get("/v1/review")
    assert (found["items"], found["complete"], found["labels"]) == (60, 60, 120)
    export = client.get("/v1/review/export")
    asked_of = {one["id"]: number_of(one) for one in export["items"]}
    labels = [Label.from_record(one, place="export") for one in export["labels"]]
    assert len({(one.case_id, one.rater) for one in labels}) == 120
    assert all(one.correct is decisions[one.rater](asked_of[one.case_id]) for one in labels)
    votes: dict[str, list[int]] = {case: [0, 0] for case in asked_of}
    for one in labels:
        votes[one.case_id][one.correct] += 1
    kappa = fleiss_kappa(list(votes.values())).value
    assert found["agreement"]["kappa"] == pytest.approx(kappa)


def test_the_queue_is_calibrated_in_the_browser(collecting, person):
    """A disagreement is settled, the judge calibrated; the judges page shows both."""
    client = collecting(8)
    one = person(client)
    one.page.goto("/review")
    one.page.fill('input[name="count"]', "8")
    one.click("Add requests at random")
    assert "8 requests added" in one.page.locator(".done").inner_text()
    for name, slip in (("ada", None), ("grace", 3)):
        one.page.goto(f"/review?rater={name}")
        while one.page.get_by_role("button", name="Correct", exact=True).count():
            question = one.page.locator(".task .question").inner_text()
            number = number_of({"question": question})
            assert one.page.locator(".task summary", has_text="Results").count() == 1
            one.page.locator(".task summary", has_text="Categories").click()
            for category in ("abused clauses", "other minor issues"):
                one.page.get_by_label(category).check()
            one.click("Correct" if (number % 2 == 0) != (number == slip) else "Incorrect")
    one.page.goto("/review")
    one.click("Consensus: incorrect")
    one.click("Calibrate flex by these labels")
    assert "Calibration: sensitivity 100.0 %" in one.page.inner_text("main")
    given = {
        (label["correct"], *label["categories"])
        for label in client.get("/v1/review/export")["labels"]
        if label["rater"] == "ada"
    }
    assert given == {(True, "other_minor_issues"), (False, "abused_clauses")}
    one.page.goto("/judges")
    facts = one.page.locator("section[aria-labelledby=judge-flex]").inner_text()
    assert "on 8 labeled requests" in facts
    assert "in effect" in facts
    assert "0 days old" in facts


def test_a_case_is_written_edited_run_and_retired_in_the_browser(launch, shop, person):
    collector = launch(targets={"shop": {"url": f"sqlite:///{shop}", "default": True}})
    client = Client(collector)
    one = person(client)
    one.page.goto("/golden")
    one.page.locator("summary", has_text="Write a case").click()
    one.page.fill("#question", QUESTION)
    one.page.fill("#sql", HOSTILE)
    one.page.fill("#author", "ada")
    one.click("Save")
    assert one.page.input_value("#sql") == HOSTILE
    one.page.fill("#sql", COUNT)
    one.click("Save")
    one.click("Run now")
    assert "1 row," in one.page.inner_text("main")
    assert one.page.input_value("#author") == "ada"
    one.click("Retire")
    one.click("Restore")
    [case] = client.get("/v1/golden")["cases"]
    assert (case["sql"], case["owner"], case["is_in_force"]) == (COUNT, "ada", True)
    send(collector, records.logs(asked(1)))
    assert compared(collector, 1)["golden_set"] == "stored"


def test_the_snippet_of_the_docs_sends_feedback_from_another_origin(launch, person, tmp_path):
    """At most 1 KB; from an origin that is not listed, the browser sends nothing."""
    [snippet] = SNIPPET.findall(DOCUMENT.read_text())
    assert len(snippet.encode()) <= 1024
    (tmp_path / "index.html").write_text(
        "<!doctype html><link rel=icon href=data:,><title>app</title>"
    )
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        collector = launch(auth__tokens=TOKENS, feedback__origins=[origin])
        bearer = {"Authorization": "Bearer alpha-ingest"}
        send(collector, records.logs(asked(1)), **bearer)
        page = person(Client(collector, "alpha-read")).page

        def say(place: str, value: str) -> str:
            page.goto(place)
            call = f'sqlobsFeedback("{collector.admin}", "alpha-feedback")'
            said = f'{call}("{identity(1)}-01", "thumb", "{value}", {{reason: "wrong"}})'
            page.add_script_tag(content=snippet)
            return page.evaluate(f"{said}.then(() => 'stored', (error) => 'refused')")

        assert say(f"{origin}/index.html", "down") == "stored"
        assert [one["value"] for one in told(collector, 1)] == ["down"]
        server.shutdown()


def alerted(launch, shop, port: int):
    """A collector and the alert that it posts about 40 requests, half of them with a made-up name."""
    settings = {
        "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
        "listen__admin": f"127.0.0.1:{port}",
    }
    before = launch(**settings)
    made = {
        "sqlobs__failure__code": "schema.unknown_column",
        "sqlobs__failure__codes": ["schema.unknown_column"],
        "sqlobs__hallucinated__columns": ["totals"],
    }
    now_ns = time.time_ns()
    sent = [
        asked(
            number,
            "SELECT totals FROM orders" if number % 2 else COUNT,
            at_ns=now_ns - number * 10**9,
            sqlobs__workflow="answer",
            sqlobs__verdict="failed" if number % 2 else "ok",
            sqlobs__syntactic=True,
            sqlobs__schematic=number % 2 == 0,
            **(made if number % 2 else {}),
        )
        for number in range(1, 41)
    ]
    send(before, records.logs(*sent))
    compared(before, 1)
    before.stop()
    with listening() as (hook, heard):
        notify = {"url": hook, "form": "alertmanager", "console_url": f"http://127.0.0.1:{port}"}
        after = launch(**settings, notify=notify)  # it looks when it starts, then every 30 seconds
        alerts = wait_until(lambda: [one for body in heard for one in body["alerts"]], within_s=90)
    return after, alerts[0]


def test_from_an_alert_s_link_to_an_active_case_in_three_clicks(launch, shop, person):
    """One link, at most three clicks, no restart: the next request is compared with the case."""
    collector, alert = alerted(launch, shop, free_port())
    assert alert["labels"]["alertname"] == "SqlobsSchemaHallucination"
    one = person(Client(collector))
    one.page.goto(alert["annotations"]["console_url"])
    clicks = (
        one.page.locator("main .group h2 a").first,
        one.page.locator("main th a[href^='/requests/']").first,
        one.page.get_by_role("button", name="Save the SQL above as golden case"),
    )
    for number, target in enumerate(clicks):
        if number == len(clicks) - 1:
            one.page.fill("#golden-sql", COUNT)
        target.click()
    assert one.page.locator(".done").inner_text() == "Saved: in effect now."
    send(collector, records.logs(asked(41)))
    found = compared(collector, 41)
    assert (found["label"], found["golden_set"]) == ("fail", "stored")
