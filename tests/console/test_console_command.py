"""`sqlobs console`: a link into the browser."""

from __future__ import annotations

import webbrowser

from sqlobs.cli import main
from tests.console.browser import Browser


def test_it_opens_a_link_that_logs_in(launch, monkeypatch, capsys):
    """The token of the collector's own user; nothing is to be set."""
    collector = launch()
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda link: opened.append(link) or True)
    assert main(["console", "--admin", collector.admin]) == 0
    assert capsys.readouterr().out == f"opened {collector.admin} in your browser\n"
    browser = Browser(collector.admin)
    assert browser.get(opened[0].removeprefix(collector.admin)).status_code == 303
    assert browser.get("/").status_code == 200


def test_the_link_is_printed_where_no_browser_is(launch, monkeypatch, capsys):
    """Or where none is wanted."""
    collector = launch()
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    for options in ([], ["--no-browser"]):
        assert main(["console", "--admin", collector.admin, *options]) == 0
        link = capsys.readouterr().out.strip()
        assert link.startswith(f"{collector.admin}/login?code=")
        assert collector.token not in link


def test_a_stranger_gets_no_link(launch, monkeypatch, capsys):
    """Without the token of the file, and without a collector."""
    collector = launch(auth__tokens={"a": {"read": ["t"]}})
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", "wrong")
    assert main(["console", "--admin", collector.admin]) == 2
    assert "does not accept this token" in capsys.readouterr().err
    assert main(["console", "--admin", "http://127.0.0.1:9"]) == 2
    assert "no collector responds" in capsys.readouterr().err
