from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.rules.rule import Case, Findings, Rule, own_span
from sqlobs.dialects.leniency import unsafe_functions_of
from sqlobs.dialects.unsafe_functions import UnsafeFunctions, is_path

_WRITES_FILES: Final = frozenset({"OUTFILE", "DUMPFILE"})


class OutsideAccess(
    Rule, code="safety.unsafe_statement", triggers={"calls", "unlisted_tables", "INTO"}
):
    """A statement that reaches beyond the tables: files, other servers, the session itself.

    What it finds: calls such as `pg_read_file`, `load_file`, `read_csv`, `dblink`, `pg_sleep`,
    `nextval`; a file in place of a table; `INTO OUTFILE`.
    Why it matters: a question about the data never needs it, and it can leak data or change state.
    Known limits: only functions that `sqlobs/dialects` lists are known, not those of the user.
    Example: `SELECT pg_read_file('/etc/passwd')` in PostgreSQL
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        unsafe = unsafe_functions_of(case.statement.dialect)
        for call in case.resolution.calls:
            if unsafe.has_function(call.name, _package(call)):
                message = f"The function {call.name} accesses resources outside the database."
                yield self.at(own_span(call.node), message, call.name, detail="outside")
        yield from self._files(case, unsafe)

    def _files(self, case: Case, unsafe: UnsafeFunctions) -> Findings:
        if unsafe.opens_files:
            for use in case.resolution.unlisted_tables:
                if is_path(use.name.name):
                    yield self.at(use.name, "A file is read in place of a table.", detail="outside")
        if not _WRITES_FILES.isdisjoint(case.statement.words):
            for token in case.statement.tokens:
                if token.text.upper() in _WRITES_FILES:
                    yield self.at(token, f"{token.text.upper()} writes a file.")


def _package(call: CallUse) -> str:
    """Return the package of a function: `utl_http` of `sys.utl_http.f(x)`."""
    above = call.node.parent
    if not isinstance(above, exp.Dot) or above.expression is not call.node:
        return ""
    before = above.this.expression if isinstance(above.this, exp.Dot) else above.this
    return str(before.name)
