"""Questions to PostgreSQL's catalog about code that its users made.

All compare equal types and name schemas, so that no operator or function of a user's fits better.
`{allowed}` is the array of names that the target's policy lists, `{words}` that of a statement's.
"""

from __future__ import annotations

from typing import Final, LiteralString

_EXTENSIONS: Final[LiteralString] = """
    NOT EXISTS (SELECT FROM pg_catalog.pg_depend member
                WHERE member.classid = 'pg_proc'::pg_catalog.regclass::pg_catalog.oid
                  AND member.objid = p.oid AND member.deptype = 'e')
"""
_FUNCTION: Final[LiteralString] = f"""
    p.oid >= 16384::pg_catalog.oid AND p.proname <> ALL ({{allowed}}::pg_catalog.name[])
    AND {_EXTENSIONS}
"""
"""Whether the function `p` is a user's; OIDs below are the server's own."""

_OPERATOR: Final[LiteralString] = """
    o.oid >= 16384::pg_catalog.oid AND o.oprname <> ALL ({allowed}::pg_catalog.name[])
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc code
                    WHERE code.oid = o.oprcode::pg_catalog.oid
                      AND code.proname = ANY ({allowed}::pg_catalog.name[]))
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend member
                    WHERE member.classid = 'pg_operator'::pg_catalog.regclass::pg_catalog.oid
                      AND member.objid = o.oid AND member.deptype = 'e')
"""
_NEEDS: Final[LiteralString] = f"""
    d.refclassid = 'pg_proc'::pg_catalog.regclass::pg_catalog.oid
    AND EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.oid = d.refobjid AND {_FUNCTION})
    OR d.refclassid = 'pg_operator'::pg_catalog.regclass::pg_catalog.oid
    AND EXISTS (SELECT FROM pg_catalog.pg_operator o WHERE o.oid = d.refobjid AND {_OPERATOR})
"""
"""Whether a dependency `d` is one on code of users."""

_CHECKED: Final[LiteralString] = f"""
    SELECT k.contypid AS oid FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_depend d
      ON d.classid = 'pg_constraint'::pg_catalog.regclass::pg_catalog.oid
      AND d.objid = k.oid
    WHERE k.contypid > 0::pg_catalog.oid AND ({_NEEDS})
"""
"""Domains whose checks call code of users."""

_SUPPORTED: Final[LiteralString] = f"""
    SELECT r.rngtypid AS oid FROM pg_catalog.pg_range r
    JOIN pg_catalog.pg_proc p ON p.oid = r.rngsubdiff::pg_catalog.oid
    WHERE {_FUNCTION}
    UNION ALL
    SELECT a.amproclefttype FROM pg_catalog.pg_amproc a
    JOIN pg_catalog.pg_proc p ON p.oid = a.amproc::pg_catalog.oid
    WHERE a.oid >= 16384::pg_catalog.oid AND {_FUNCTION}
"""
"""Types that are compared or estimated by code of users."""

_UNNAMED: Final[LiteralString] = f"""
    EXISTS (SELECT FROM pg_catalog.pg_proc p
            WHERE p.proname = ANY ({{words}}::pg_catalog.name[]) AND {_FUNCTION})
    OR EXISTS (SELECT FROM pg_catalog.pg_operator o
               WHERE o.oprname = ANY ({{words}}::pg_catalog.name[]) AND {_OPERATOR})
    OR EXISTS (SELECT FROM pg_catalog.pg_cast c
               JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc
               WHERE c.oid >= 16384::pg_catalog.oid AND {_FUNCTION})
    OR EXISTS ({_CHECKED})
    OR EXISTS ({_SUPPORTED})
"""
"""Whether the words of a statement may call code of users, relations apart."""

_LAYERED: Final[LiteralString] = """
    SELECT FROM pg_catalog.pg_class c
    WHERE c.relname = ANY ({words}::pg_catalog.name[])
      AND c.oid >= 16384::pg_catalog.oid
      AND (c.relkind = 'v'::"char" OR c.relrowsecurity OR c.relhassubclass
           OR EXISTS (SELECT FROM pg_catalog.pg_index i
                      WHERE i.indrelid = c.oid
                        AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL))
           OR EXISTS (SELECT FROM pg_catalog.pg_constraint k
                      WHERE k.conrelid = c.oid AND k.contype = 'c'::"char")
           OR EXISTS (SELECT FROM pg_catalog.pg_statistic_ext s
                      WHERE s.stxrelid = c.oid AND s.stxexprs IS NOT NULL))
"""
"""Relations behind which are expressions that somebody stored."""

SUSPECTS: Final[LiteralString] = f"""
    SELECT 1 / CASE WHEN {_UNNAMED} OR EXISTS ({_LAYERED}) THEN 0 ELSE 1 END
"""
"""An error where a statement's words may lead to code of users: what comes behind is skipped."""

CHECKS: Final[LiteralString] = f"SELECT 1 / CASE WHEN EXISTS ({_CHECKED}) THEN 0 ELSE 1 END"
"""An error where reading a literal may call code of users: `'{{…}}'` as an array of a domain."""

IS_NAMED: Final[LiteralString] = f"SELECT {_UNNAMED}"

_CONTAINS_PART: Final[LiteralString] = """
         t.typbasetype = part.oid OR t.typelem = part.oid
         OR EXISTS (SELECT FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = t.typrelid AND a.atttypid = part.oid AND NOT a.attisdropped)
         OR EXISTS (SELECT FROM pg_catalog.pg_range r
                    WHERE t.oid IN (r.rngtypid, r.rngmultitypid) AND r.rngsubtype = part.oid)
"""
"""Whether the type `t` is made of the type `part`: a domain, an array, a row or a range of it."""

TYPES: Final[LiteralString] = f"""
    WITH RECURSIVE converted (oid) AS (
      {_CHECKED}
      UNION
      SELECT t.oid FROM converted part, pg_catalog.pg_type t
      WHERE {_CONTAINS_PART}
    ), touched (oid) AS (
      {_SUPPORTED}
      UNION
      SELECT t.oid FROM touched part, pg_catalog.pg_type t
      WHERE {_CONTAINS_PART}
    )
    SELECT t.oid, t.typname::pg_catalog.text,
           t.oid IN (SELECT oid FROM touched), t.typtype = 'c'::"char"
    FROM pg_catalog.pg_type t
    WHERE t.oid IN (SELECT oid FROM converted UNION ALL SELECT oid FROM touched)
"""
"""Types by which code of users is called: OID, name, whether by comparing, whether rows."""

_RELATIONS: Final[LiteralString] = """
    WITH RECURSIVE relation (oid) AS (
      SELECT c.oid FROM pg_catalog.pg_class c
      WHERE c.relname = ANY ({words}::pg_catalog.name[]) AND c.oid >= 16384::pg_catalog.oid
        AND c.relkind IN ('r'::"char", 'p'::"char", 'v'::"char", 'm'::"char", 'f'::"char")
      UNION
      SELECT further.oid FROM relation, LATERAL (
        SELECT d.refobjid AS oid FROM pg_catalog.pg_rewrite w
        JOIN pg_catalog.pg_class c ON c.oid = w.ev_class AND c.relkind = 'v'::"char"
        JOIN pg_catalog.pg_depend d
          ON d.classid = 'pg_rewrite'::pg_catalog.regclass::pg_catalog.oid
          AND d.objid = w.oid
          AND d.refclassid = 'pg_class'::pg_catalog.regclass::pg_catalog.oid
        WHERE w.ev_class = relation.oid
        UNION ALL
        SELECT d.refobjid FROM pg_catalog.pg_policy w
        JOIN pg_catalog.pg_depend d
          ON d.classid = 'pg_policy'::pg_catalog.regclass::pg_catalog.oid
          AND d.objid = w.oid
          AND d.refclassid = 'pg_class'::pg_catalog.regclass::pg_catalog.oid
        WHERE w.polrelid = relation.oid
        UNION ALL
        SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = relation.oid
      ) further
    )
"""
STORED: Final[LiteralString] = f"""
    {_RELATIONS}
    SELECT true, w.ev_action::pg_catalog.text FROM pg_catalog.pg_rewrite w
    JOIN pg_catalog.pg_class c ON c.oid = w.ev_class AND c.relkind = 'v'::"char"
    WHERE w.ev_class IN (SELECT oid FROM relation)
    UNION ALL
    SELECT true, w.polqual::pg_catalog.text FROM pg_catalog.pg_policy w
    WHERE w.polrelid IN (SELECT oid FROM relation) AND w.polqual IS NOT NULL
    UNION ALL
    SELECT false, expression FROM pg_catalog.pg_index i,
      LATERAL (VALUES (i.indexprs::pg_catalog.text), (i.indpred::pg_catalog.text)) s (expression)
    WHERE i.indrelid IN (SELECT oid FROM relation) AND expression IS NOT NULL
    UNION ALL
    SELECT false, k.conbin::pg_catalog.text FROM pg_catalog.pg_constraint k
    WHERE k.conrelid IN (SELECT oid FROM relation) AND k.contype = 'c'::"char"
    UNION ALL
    SELECT false, s.stxexprs::pg_catalog.text FROM pg_catalog.pg_statistic_ext s
    WHERE s.stxrelid IN (SELECT oid FROM relation) AND s.stxexprs IS NOT NULL
    UNION ALL
    SELECT false, expression FROM pg_catalog.pg_partitioned_table t,
      LATERAL (VALUES (t.partexprs::pg_catalog.text)) stored (expression)
    WHERE t.partrelid IN (SELECT oid FROM relation) AND expression IS NOT NULL
"""
"""Trees behind the relations that a statement names: whether they run (views, policies), or are
only planned with (indexes, constraints)."""

FIRST_STRANGER: Final[LiteralString] = f"""
    SELECT p.proname::pg_catalog.text FROM pg_catalog.pg_proc p
    WHERE p.oid = ANY ({{functions}}::pg_catalog.oid[]) AND {_FUNCTION}
    UNION ALL
    SELECT p.proname::pg_catalog.text FROM pg_catalog.pg_proc p
    WHERE p.oid = ANY ({{calls}}::pg_catalog.oid[])
      AND (p.provolatile = 'v'::"char" OR NOT ({_EXTENSIONS}))
      AND p.proname <> ALL ({{known}}::pg_catalog.name[])
    UNION ALL
    SELECT o.oprname::pg_catalog.text FROM pg_catalog.pg_operator o
    WHERE o.oid = ANY ({{operators}}::pg_catalog.oid[]) AND {_OPERATOR}
    LIMIT 1
"""
"""A function or operator among OIDs that a statement may not run: one of users, or one that the
dialect does not list and that is an extension's or volatile (`nextval` in a view)."""

IS_GENERIC: Final[LiteralString] = """
    SELECT EXISTS (
      SELECT FROM pg_catalog.pg_operator o
      JOIN pg_catalog.pg_type t ON t.oid = o.oprright AND t.typtype = 'p'::"char"
      WHERE o.oid = ANY ({operators}::pg_catalog.oid[])
      UNION ALL
      SELECT FROM pg_catalog.pg_proc p, pg_catalog.pg_type t
      WHERE p.oid = ANY ({functions}::pg_catalog.oid[]) AND t.typtype = 'p'::"char"
        AND t.oid = ANY (p.proargtypes::pg_catalog.oid[])
    )
"""
"""Whether an operator or function is for any array, row or range: it then does what the type of
the elements says."""
