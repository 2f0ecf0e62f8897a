"""SQL found in what models answer and functions return."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sqlobs.check.llm_output.answer_text import text_of
from sqlobs.check.llm_output.extraction import Extraction, extract_sql

FENCE = "```"

CASES = [
    ("plain", "SELECT a FROM t", "SELECT a FROM t", ()),
    ("space around", "\n  SELECT a\n FROM t;\n\n", "SELECT a\n FROM t;", ()),
    ("empty lines inside", "SELECT a,\n\n  b\nFROM t\n\nWHERE a = 1", None, ()),
    ("lines of CTEs", "WITH x AS (\n\n SELECT 1\n),\n\n-- the next one of these\ny AS (SELECT 2)\n\nSELECT * FROM y", None, ()),
    ("two statements", "SELECT 1; SELECT 2;", "SELECT 1; SELECT 2;", ()),
    ("comment first", "-- top\n/* x */ SELECT 1", "-- top\n/* x */ SELECT 1", ()),
    ("parenthesised", "(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)", ()),
    ("broken tail", "SELECT a FROM t; LIMIT 5", "SELECT a FROM t; LIMIT 5", ()),
    ("misspelt", "SELEC a FROM t", "SELEC a FROM t", ()),
    ("pragma", "PRAGMA table_info(t)", "PRAGMA table_info(t)", ()),
    ("lower case", "select a from t", "select a from t", ()),
    ("fence", f"{FENCE}sql\nSELECT 1;\n{FENCE}", "SELECT 1;", ("fence",)),
    ("fence with odd tag", f"{FENCE}SQLite\nSELECT 1\n{FENCE}", "SELECT 1", ("fence",)),
    ("fence without tag", f"{FENCE}\nSELECT 1\n{FENCE}", "SELECT 1", ("fence",)),
    ("fence on one line", f"{FENCE}sql SELECT 1{FENCE}", "SELECT 1", ("fence",)),
    ("fence around the first word", f"{FENCE}SELECT\n 1\n{FENCE}", "SELECT\n 1", ("fence",)),
    ("tildes", "~~~sql\nSELECT 1\n~~~", "SELECT 1", ("fence",)),
    ("cut-off fence", f"{FENCE}sql\nSELECT a, b FR", "SELECT a, b FR", ("fence",)),
    ("closing fence only", f"SELECT 1;\n{FENCE}\nThis gives one.", "SELECT 1;", ("fence",)),
    ("prose around a fence", f"You can use:\n\n{FENCE}sql\nSELECT 1;\n{FENCE}\n\nIt works.", "SELECT 1;", ("fence",)),
    ("draft and answer", f"First:\n{FENCE}sql\nSELECT 1\n{FENCE}\nBetter:\n{FENCE}sql\nSELECT 2\n{FENCE}\nGives:\n{FENCE}\n| 2 |\n{FENCE}", "SELECT 2", ("fence",)),
    ("fenced text after an answer", f"SELECT 1;\n{FENCE}sql\nSELECT 2\n{FENCE}", "SELECT 1;", ("fence",)),
    ("prose before", "The query is:\nSELECT a FROM t", "SELECT a FROM t", ("prose",)),
    ("prose before on the line", "Sure! You want: select a from t", "select a from t", ("prose",)),
    ("prose with capitals", "You may run SELECT a FROM t.", "SELECT a FROM t.", ("prose",)),
    ("prose after", "SELECT a FROM t;\n\nThis query returns a.", "SELECT a FROM t;", ("prose",)),
    ("prose after on the line", "SELECT a FROM t; Here's why: it's 'a'", "SELECT a FROM t;", ("prose",)),
    ("prose after an empty line", "SELECT a FROM t\n\nThis query returns the names.", "SELECT a FROM t", ("prose",)),
    ("section after", "SELECT a FROM t\nExplanation: a is in t", "SELECT a FROM t", ("prose",)),
    ("prose both ways", "Use:\nSELECT a FROM t;\nWith this you get a.", "SELECT a FROM t;", ("prose",)),
    ("semicolon in a string", "SELECT 'x; This is' FROM t", "SELECT 'x; This is' FROM t", ()),
    ("label", "SQL: SELECT 1", "SELECT 1", ("label",)),
    ("bold label", "**SQL Query:**\nSELECT 1", "SELECT 1", ("label",)),
    ("inline code", "`SELECT 1`", "SELECT 1", ("quotes",)),
    ("reasoning", "<think>\nSELECT 0? No, the\n</think>\nSELECT 1", "SELECT 1", ("reasoning",)),
    ("reasoning and fence", f"<think>hm</think>Here:\n{FENCE}\nSELECT 1\n{FENCE}", "SELECT 1", ("reasoning", "fence")),
    ("json", '{"reason": "x", "sql": "SELECT \\"a\\"\\nFROM t"}', 'SELECT "a"\nFROM t', ("json",)),
    ("fenced json", f'{FENCE}json\n{{"query": "SELECT 1"}}\n{FENCE}', "SELECT 1", ("fence", "json")),
    ("cut-off json", '{"sql": "SELECT a\\nFROM', "SELECT a\nFROM", ("json",)),
    ("tag", "<sql>\nSELECT 1\n</sql>", "SELECT 1", ("tag",)),
    ("tag in capitals, behind prose", "Here you are: <SQL>SELECT 1</SQL>.", "SELECT 1", ("tag",)),
    ("square tag", "[SQL]SELECT 1[/SQL]", "SELECT 1", ("tag",)),
    ("draft and answer in tags", "<sql>SELECT 1</sql> or <sql>SELECT 2</sql>", "SELECT 2", ("tag",)),
    ("fence in a tag", f"<answer>\n{FENCE}sql\nSELECT 1\n{FENCE}\n</answer>", "SELECT 1", ("tag", "fence")),
    ("closing tag only", "SELECT a FROM t</sql>", "SELECT a FROM t", ("tag",)),
    ("tag in a string", "SELECT a FROM t WHERE b = '</sql>'", None, ()),
    ("end mark of a model", "SELECT 1<|im_end|>\n<|im_start|>user", "SELECT 1", ("tag",)),
    ("start mark of a model", "<|im_start|>assistant\nSELECT 1</s>", "SELECT 1", ("tag",)),
    ("inline code in prose", "You can use `SELECT a FROM t` to get it.", "SELECT a FROM t", ("prose",)),
    ("lower case in inline code", "Run `select a from t` then.", "select a from t", ("prose",)),
    ("quotes in prose", 'The query "SELECT a FROM t" will do.', "SELECT a FROM t", ("prose",)),
    ("quotes of the statement in prose", 'You want: SELECT a AS "b" FROM t', 'SELECT a AS "b" FROM t', ("prose",)),
    ("curly quotes", "\u201cSELECT 1\u201d", "SELECT 1", ("quotes",)),
    ("string of a program", 'sql = """SELECT a\nFROM t"""', "SELECT a\nFROM t", ("prose",)),
    ("program in a fence", f'{FENCE}python\nq = """\nSELECT a FROM t\n"""\nrun(q)\n{FENCE}', "SELECT a FROM t", ("fence", "prose")),
    ("fence mark in a string", f"SELECT a FROM t WHERE b = '{FENCE}'", None, ()),
    ("introduction like a statement", "Select the names with this query:\nSELECT a FROM t", "SELECT a FROM t", ("prose",)),
    ("next line of prose", "SELECT a FROM t\nThis query returns the names.", "SELECT a FROM t", ("prose",)),
    ("short sentence", "SELECT a FROM t\n\nIt does X.", "SELECT a FROM t", ("prose",)),
    ("lines in title case", "Select a,\nFrom t\nWhere b = 'This is the'\nOrder by a", None, ()),
    ("comment like prose", "SELECT a -- note:\nFROM t -- This is the name of it\nWHERE b = 1", None, ()),
    ("observation", "Action Input: SELECT a FROM t\nObservation: 5", "SELECT a FROM t", ("prose",)),
    ("result of a chain", "SQLQuery: SELECT a FROM t\nSQLResult: 5\nAnswer: 5", "SELECT a FROM t", ("label", "prose")),
    ("json behind prose", 'Sure, {x}:\n{"sql": "SELECT 1"}', "SELECT 1", ("prose", "json")),
    ("json in capitals", '{"SQL Query": "SELECT 1"}', "SELECT 1", ("json",)),
    ("tool call", '<tool_call>\n{"name": "run", "arguments": {"query": "SELECT 1"}}\n</tool_call>', "SELECT 1", ("prose", "json")),
    ("arguments as text", '{"name": "run", "arguments": "{\\"sql\\": \\"SELECT 1\\"}"}', "SELECT 1", ("json",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sql", "stripped"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_statement_is_found(text, sql, stripped):
    """What stands around it is stripped and named, and its place is kept."""
    found = extract_sql(text, dialect="sqlite")
    assert found is not None
    assert (found.sql, found.stripped) == (text if sql is None else sql, stripped)
    if "json" not in stripped:
        assert found.start is not None
        assert text[found.start : found.start + len(found.sql)] == found.sql


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "I cannot answer this question.",
        "Select a customer first, please.".replace("Select", "Choose"),
        "With the given schema this is not possible.",
        f"{FENCE}python\nprint(1)\n{FENCE}",
        "<think>SELECT 1 would be",
        '{"sql": null, "reason": "unclear"}',
        "{}",
    ],
)
def test_an_answer_without_sql_gives_nothing(text):
    """Prose is never handed to the parser."""
    assert extract_sql(text, dialect="postgres") is None


def test_a_backslash_ends_no_string_where_the_dialect_escapes():
    """What a semicolon ends depends on how the dialect writes strings."""
    text = "SELECT 'it\\'s; This' FROM t"
    assert extract_sql(text, dialect="mysql") == Extraction(text, 0)


@given(st.text(alphabet="`'\";:(){}[]<>/-*# \n\\aSELECTWITHsql", max_size=200))
def test_nothing_raises_and_the_result_is_a_part_of_the_text(text):
    """Whatever a model writes, the answer is one of its own stretches or nothing."""
    found = extract_sql(text)
    if found is not None and found.start is not None:
        assert text[found.start : found.start + len(found.sql)] == found.sql
        assert found.sql == found.sql.strip()


class Answer(BaseModel):
    """A structured output."""

    reasoning: str = "because"
    sql_query: str = "SELECT 1"


@dataclass
class Nested:
    """An agent's result around a structured output."""

    output: Answer = field(default_factory=Answer)


class Failing:
    """An object whose property fails."""

    @property
    def sql(self) -> str:
        """Fail."""
        raise RuntimeError


def completion(**message: object) -> SimpleNamespace:
    """Return an object of the form of OpenAI's chat completion."""
    filled = {"role": "assistant", "content": None, "refusal": None, **message}
    return SimpleNamespace(
        id="chatcmpl-1",
        choices=[SimpleNamespace(index=0, message=SimpleNamespace(**filled))],
        model="gpt",
        usage=SimpleNamespace(prompt_tokens=3),
    )


def chunk(text: str | None) -> SimpleNamespace:
    """Return an object of the form of a streamed chunk."""
    delta = SimpleNamespace(content=text, role=None, tool_calls=None)
    return SimpleNamespace(choices=[SimpleNamespace(index=0, delta=delta, finish_reason=None)])


ARGUMENTS = SimpleNamespace(function=SimpleNamespace(name="run", arguments='{"sql": "SELECT 1"}'))


@pytest.mark.parametrize(
    "value",
    [
        "SELECT 1",
        bytearray(b"SELECT 1"),
        {"sql": "SELECT 1", "reason": "x"},
        {"answer": {"query": "SELECT 1"}},
        Answer(),
        Nested(),
        completion(content="SELECT 1"),
        completion(parsed=Answer()),
        {"choices": [{"message": {"content": "SELECT 1"}}]},
        {"choices": [{"text": "SELECT 1"}]},
        [chunk("SEL"), chunk(None), chunk("ECT 1"), SimpleNamespace(choices=[])],
        ["SELECT", " 1"],
        SimpleNamespace(output_text="SELECT 1", output=[]),
        SimpleNamespace(
            output=[
                SimpleNamespace(type="reasoning", summary=[]),
                SimpleNamespace(content=[SimpleNamespace(type="output_text", text="SELECT 1")]),
            ]
        ),
        [SimpleNamespace(type="response.output_text.delta", delta="SELECT 1")],
        SimpleNamespace(content=[SimpleNamespace(type="text", text="SELECT 1")]),
    ],
)
def test_the_text_of_an_object_is_found(value):
    """Known by shape, whatever client or framework made it."""
    assert text_of(value) == "SELECT 1"


def test_a_tool_call_gives_its_arguments():
    """They are JSON, which the statement is then found in."""
    text = text_of(completion(tool_calls=[ARGUMENTS]))
    assert text == '{"sql": "SELECT 1"}'
    assert extract_sql(text) == Extraction("SELECT 1", None, ("json",))


def test_an_object_without_text_gives_nothing():
    """Absence is no error."""
    circle: list[object] = []
    circle.append(circle)
    values = (None, 3, True, {}, [], Failing(), SimpleNamespace(choices=[]), circle, object())
    assert [text_of(value) for value in values] == [""] * len(values)


def test_the_real_clients_completion_is_read():
    """The types of the installed `openai` package have the shape that is expected."""
    from openai.types.chat import ChatCompletion

    made = ChatCompletion.model_validate(
        {
            "id": "1",
            "created": 1,
            "model": "m",
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "SELECT 1"},
                }
            ],
        }
    )
    assert text_of(made) == "SELECT 1"
