"""The terms of the product: what is forbidden in texts, and what to say instead.

Checked are messages and help texts (string literals), docstrings, comments, names of tests, HTML
templates, descriptions of settings, documents and generated pages. Prompts of judges are exempt:
their wording is part of what is measured.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


class Term(NamedTuple):
    """A forbidden pattern, what to say instead, and a sentence that it must find."""

    pattern: str
    say: str
    example: str


MESSAGES = (
    Term(r"\btak(?:es?|ing) no\b", "is not allowed, is not supported", "WITH takes no RECURSIVE."),
    Term(r"\bholds? no\b", "has no, is not allowed in", "Brackets hold no alias."),
    Term(r"^There is no ", "Unknown …, … is missing", "There is no table clients."),
    Term(
        r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|better\b|such\b)",
        "is not a",
        "'x' is no number",
    ),
    Term(r"\b(?:is|are) away\b", "is unavailable, unreachable", "a target that is away"),
    Term(r"\bread by nobody\b", "unknown variable", "read by nobody: SQLOBS_MOD"),
    Term(r"\bhardly chance\b", "statistically significant (p = …)", "This is hardly chance."),
    Term(r"\bmade (?:to be )?given back\b", "pass this back", "The text is made given back."),
    Term(
        r"\breads? the one around\b", "correlated subquery", "a query that reads the one around it"
    ),
    Term(r"\bcome to nothing\b", "has no effect", "options that come to nothing"),
    Term(r"\bseconds between two looks\b", "refresh interval", "seconds between two looks"),
    Term(r"\blook once and end\b", "print once and exit", "look once and end"),
    Term(r"\bwhere it lies\b", "output files", "where it lies"),
    Term(
        r"\bbelongs? together\b", "must be given together", "--user and --password belong together"
    ),
    Term(r"\bpass(?:es)? no more\b", "now failing", "cases that pass no more"),
    Term(r"\bagainst people\b", "agreement with human labels", "a judge measured against people"),
    Term(r"\btokens (?:read|written)\b", "input tokens, output tokens", "Tokens read"),
    Term(r"\bwrong usage\b", "usage error", "2 = wrong usage"),
    Term(r"\bif need be\b", "if necessary", "made if need be"),
    Term(r"\bgoes? on where\b", "resumes", "a killed run goes on where it was"),
    Term(r"\b(?:is|are|was) asked again\b", "is retried", "the server is asked again"),
    Term(r"\bknows no\b", "has no, does not support", "the collector knows no such token"),
    Term(r"\b(?:is|are) told\b", "is reported, is recorded", "all findings are told"),
    Term(r"\bin two looks\b|\blook(?:s|ed)? at again\b", "refresh", "metrics are looked at again"),
    Term(r"\bwhat waits\b|\bhow long it waits\b", "queue, latency", "what waits for the judge"),
)
"""For messages, help texts and labels."""

EVERYWHERE = (
    Term(r"\bmend(?:s|ed|ing)?\b", "fix, resolve", "mends the statement"),
    Term(r"\buntold\b", "not reported", "an untold failure"),
    Term(r"\bcatalogues?\b", "catalog", "the engine's catalogue"),
    Term(r"\bcolours?\b|\bbehaviours?\b|\bneighbours?\b", "-or", "the colour of a bar"),
    Term(r"\blabell(?:ed|ing)\b|\bmodelled\b|\bcancelled\b", "-eled, -eling", "labelled items"),
    Term(r"\b\w+ali[sz](?<=s)(?:e|ed|es|ing|ation)\b", "-ize", "normalised questions"),
    Term(
        r"\b(?:recogni|summari|categori|organi|tokeni|authori|minimi|optimi)s(?:e|ed|es|ing|er)\b",
        "-ize",
        "tokeniser",
    ),
    Term(r"\bjudgement", "judgment", "the judgement of a model"),
    Term(r"\bhonour|\bfavour|\banalys(?:ed|ing)\b|\bgrey\b|\bwhilst\b", "-or, -yze", "honoured"),
    Term(r"\btake(?:s|n)? note of\b", "record", "Take note of a call."),
    Term(r"\bmisspelt\b|\bspelt\b|\btowards\b", "misspelled, spelled, toward", "spelt alike"),
    Term(r"\bat hand\b", "fetched, available, loaded", "compared on the rows at hand"),
    Term(r"\b(?:of|from) ours\b", "of sqlobs, internal", "a fault of ours"),
    Term(r"\btold (?:apart|from)\b", "distinguished", "instances are told apart"),
    Term(r"\bin force\b", "in effect, active", "the settings in force"),
    Term(r"^Say whether\b", "Return whether", "Say whether a table has this name."),
    Term(r"\bfor want of\b", "because … is missing", "not evaluated for want of a schema"),
    Term(r"\bever deeper\b|\bfour looks\b", "by … comparisons", "by ever deeper looks"),
    Term(r"\bon the menu\b", "valid", "an answer that is not on the menu"),
    Term(r"\bwhich hold\b(?! )", "in effect", "the settings, and which hold"),
    Term(r"\bNone of none\b", "None if empty", "the mean; None of none"),
)
"""For docstrings and documents, too."""

SPOKEN = (
    "sqlobs/cli sqlobs/command_line.py sqlobs/config.py sqlobs/errors.py sqlobs/failure_codes.py"
    " sqlobs/monitoring sqlobs/reporting sqlobs/demo sqlobs/semconv sqlobs/judge/endpoint"
    " sqlobs/judge/trust sqlobs/judge/fallback.py sqlobs/check"
    " sqlobs/execution sqlobs/evaluation sqlobs/integrations sqlobs/runs sqlobs/schema sqlobs/scores"
    " sqlobs/testing sqlobs/tracing sqlobs/admin.py sqlobs/arguments.py sqlobs/prices.py"
    " sqlobs/responses.py sqlobs/unit.py collectors/sqlobs_collector examples"
).split()
"""What users read: literals here are messages, help texts, labels, descriptions of settings."""

READ = "sqlobs collectors/sqlobs_collector scripts examples tests".split()
"""Packages whose docstrings, comments and names of tests are in the product's terms."""

EXEMPT = frozenset(
    {
        "sqlobs/check/rules/refused_form.py",  # the messages of forms
        "sqlobs/check/rules/refused_sequence.py",
        "sqlobs/demo/collector.py",  # the hint that recorded judgments were given
        "tests/architecture/test_language.py",  # the terms themselves
    }
)


def modules(places: list[str]) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules at these places, by path."""
    for place in places:
        start = ROOT / place
        for path in (start,) if start.suffix else sorted(start.rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name not in EXEMPT:
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield each string that stands as a statement: docstrings, also those of attributes."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield statement.value


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the literals that may be read by people, an f-string as one with its gaps as `…`."""
    skipped = {id(text) for text in docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
            yield (
                node.lineno,
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "…"
                    for part in node.values
                ),
            )
        elif _is_text(node) and id(node) not in skipped:
            yield node.lineno, node.value


def _is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def comments(path: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a module, without directives to tools."""
    source = (ROOT / path).read_text(encoding="utf-8")
    if "#" not in source:
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(
            r"#\s*(?:noqa|type:|pyright)", token.string
        ):
            yield token.start[0], token.string


def names_of_tests(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names of test functions as words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
            "test_"
        ):
            yield node.lineno, node.name.replace("_", " ")


def templates() -> Iterator[tuple[str, int, str]]:
    """Yield the lines of HTML templates without tags and Jinja expressions."""
    for path in sorted((ROOT / "sqlobs").rglob("*.html")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " … ", line)
            yield path.relative_to(ROOT).as_posix(), number, text


def documents() -> Iterator[Path]:
    """Yield the documents of the project; the page of dialects lists names of forms."""
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")
    yield from sorted((ROOT / "examples").rglob("*.md"))
    yield from (path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "dialects")
    yield from sorted((ROOT / "collectors").glob("*.md"))
    yield from sorted((ROOT / "deploy").rglob("*.md"))


def prose(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document without its code."""
    is_code = False
    for number, line in enumerate(markdown.splitlines(), 1):
        is_code ^= line.startswith("```")
        yield number, "" if is_code else re.sub(r"`[^`]*`", "`…`", line)


def faults(text: str, terms: tuple[Term, ...]) -> Iterator[str]:
    if any_of(terms).search(text) is None:
        return
    for term in terms:
        found = re.search(term.pattern, text, re.IGNORECASE)
        if found is not None:
            yield f"{found[0]!r}, say: {term.say}"


@cache
def any_of(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """Return a pattern that finds what any of the terms finds: one search instead of a hundred."""
    return re.compile("|".join(f"(?:{term.pattern})" for term in terms), re.IGNORECASE)


@pytest.mark.parametrize("term", [*MESSAGES, *EVERYWHERE], ids=lambda term: term.example)
def test_each_pattern_finds_its_example(term):
    """A pattern that matches nothing forbids nothing."""
    assert re.search(term.pattern, term.example, re.IGNORECASE)


def test_messages_use_the_terms_of_the_field():
    """Messages, help texts, labels and descriptions."""
    found = [
        f"{name}:{line}: {fault}"
        for name, tree in modules(SPOKEN)
        for line, text in sentences(tree)
        for fault in faults(text, (*MESSAGES, *EVERYWHERE))
    ]
    assert found == []


def test_docstrings_comments_and_test_names_use_the_terms_of_the_field():
    """Words within backticks are names or SQL."""
    found = [
        f"{name}:{line}: {fault}"
        for name, tree in modules(READ)
        for line, text in (
            *((text.lineno, text.value) for text in docstrings(tree)),
            *comments(name),
            *names_of_tests(tree),
        )
        if isinstance(text, str)
        for fault in faults(re.sub(r"`[^`]*`", "`…`", text), EVERYWHERE)
    ]
    assert found == []


def test_templates_use_the_terms_of_the_field():
    """The fixed text of HTML pages."""
    found = [
        f"{name}:{line}: {fault}"
        for name, line, text in templates()
        for fault in faults(text, (*MESSAGES, *EVERYWHERE))
    ]
    assert found == []


def test_documents_use_the_terms_of_the_field():
    """README, changelog, guides and generated pages, without their code."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in documents()
        for line, text in prose(path.read_text(encoding="utf-8"))
        for fault in faults(text, (*MESSAGES, *EVERYWHERE))
    ]
    assert found == []
