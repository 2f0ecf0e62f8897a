"""Valid SQL that sqlglot rejects is parsed after its tokens were rewritten."""

from __future__ import annotations

import pytest
from sqlglot import exp

from sqlobs.check.parsing.rewriting import rewritten
from sqlobs.check.parsing.statement import grammar_of, parse
from sqlobs.check.parsing.tokens import tokenize
from sqlobs.dialects.base import Rewrite
from sqlobs.dialects.registry import all_dialects

REJECTED = {
    "clickhouse": ["SELECT a FROM t LIMIT 1 BY a LIMIT 10", "SELECT TOP 5 WITH TIES a FROM t"],
    "duckdb": [
        "SELECT x'ab', b'01' FROM t WHERE a = 5!",
        "SELECT a, FROM t",
        "INSERT INTO t BY POSITION SELECT a FROM u",
        "PIVOT t ON a USING sum(b) ORDER BY a",
    ],
    "mysql": [
        "SELECT CAST(a AS SIGNED INT), {d '2024-01-01'} FROM t",
        "SELECT SQL_NO_CACHE DISTINCT a FROM t",
        "SELECT DISTINCTROW a FROM t GROUP BY a DESC",
        "DELETE a.*, b.* FROM a JOIN b ON a.i = b.i",
        "SELECT a INTO OUTFILE '/tmp/a' FIELDS TERMINATED BY ',' FROM t WHERE a = 1",
        "SELECT a FROM t PROCEDURE ANALYSE(10)",
        "SELECT a FROM t LIMIT 5 ROWS EXAMINED 9",
        "SELECT a FROM t WHERE MATCH a, b AGAINST ('w')",
        "SELECT a.i FROM {OJ a LEFT JOIN b ON a.i = b.i}",
        "SELECT group_concat(a ORDER BY b LIMIT 2) FROM t",
        "SELECT b FROM JSON_TABLE('[]', '$' COLUMNS (b INT PATH '$.b' DEFAULT '0' ON EMPTY)) t",
        "SELECT CONVERT(a, CHAR CHARACTER SET utf8mb4) FROM t",
        "SELECT CONVERT(a = b, CHAR) FROM t",
    ],
    "oracle": [
        "MERGE INTO t USING u ON (t.a = u.a) WHEN MATCHED THEN UPDATE SET b = 1 DELETE WHERE b > 2",
        "SELECT a FROM t WHERE a = :1",
        "SELECT NTH_VALUE(a, 2) FROM LAST OVER (ORDER BY b) FROM t",
    ],
    "postgres": [
        "SELECT XMLSERIALIZE(DOCUMENT a AS text), XMLEXISTS('//a' PASSING BY VALUE b) FROM t",
        "SELECT a FROM t ORDER BY a USING >",
        "INSERT INTO t OVERRIDING SYSTEM VALUE VALUES (1)",
        "SELECT @ -5, cidr '10.0.0.0/8' <<= a FROM t",
        "SELECT j.a FROM t JOIN u USING (a) AS j",
        "SELECT json_object('{a,1}') FROM t",
        "SELECT a FROM t LIMIT 7 % 3",
    ],
    "redshift": ["SELECT APPROXIMATE COUNT(DISTINCT a) FROM t"],
    "snowflake": ["SELECT NTH_VALUE(a, 2) FROM FIRST OVER (ORDER BY b) FROM t"],
    "sqlite": [
        "SELECT a IN (1, 2) + 1 FROM t WHERE a = ?1",
        "UPDATE OR IGNORE t SET a = 1",
        "WITH x AS (SELECT 1) REPLACE INTO t SELECT * FROM x",
        "SELECT a.i FROM a, b ON a.i = b.i",
        "SELECT CAST(a AS UNSIGNED BIG INT), CAST(b AS) FROM t",
        "SELECT json_object(a, 1, b) FROM t",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING ON CONFLICT DO UPDATE SET b = 1",
    ],
    "tsql": [
        "DELETE FROM e FROM s.staff e",
        "SELECT PARSE('1' AS INT USING 'en-US'), TRY_PARSE(a AS date) FROM t",
    ],
}


@pytest.mark.parametrize(
    ("dialect", "sql"), [(dialect, sql) for dialect, texts in REJECTED.items() for sql in texts]
)
def test_what_sqlglot_rejects_is_parsed(dialect, sql):
    statement = parse(tokenize(sql, dialect))
    assert isinstance(statement.tree, exp.Query | exp.Insert | exp.Update | exp.Delete | exp.Merge)
    assert statement.fault is None


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT x.*, FROM t AS x", ["t", "x", "x"]),
        ('SELECT "from", FROM "order by"', ["order by", "from"]),
        ("SELECT a, b, FROM t WHERE c = 5!", ["t", "a", "b", "c"]),
    ],
)
def test_rewriting_keeps_names_and_their_places(sql, names):
    """Findings point into the text as it was written."""
    tokens = rewritten(tokenize(sql, "duckdb").tokens, "duckdb")
    (tree,) = grammar_of("duckdb").trees(tokens, sql)
    found = list(tree.find_all(exp.Identifier))
    assert sorted(node.name for node in found) == sorted(names)
    for node in found:
        begin, end = node.meta["start"], node.meta["end"] + 1
        assert sql[begin:end].strip('"') == node.name


def test_a_statement_without_such_syntax_is_not_rewritten():
    assert rewritten(tokenize("SELECT a FROM t WHERE b = 1", "mysql").tokens, "mysql") is None


def test_every_replacement_consists_of_tokens_of_its_dialect():
    """A replacement is tokenized at its first use; a faulty one would raise there."""
    for dialect in all_dialects():
        for rewrite in dialect.parsing.rewrites:
            if isinstance(rewrite, Rewrite):
                parts = [part for part in rewrite.replacement.split() if part[0] != "\\"]
                assert [len(tokenize(part, dialect.grammar).tokens) for part in parts] == [1] * len(
                    parts
                )
