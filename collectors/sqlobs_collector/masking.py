"""The masking pass at intake: nothing that a rule names reaches the disk."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from sqlobs import semconv
from sqlobs_collector.subjects import pseudonym

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

    from sqlobs_collector.subjects import SubjectDigests, SubjectKind

_ALL: Final = "<masked>"
"""In place of a statement that cannot be tokenized."""
_WORD: Final = re.compile(r"\w+")  # customers and email, in "customers"."email"
_STATEMENTS: Final = frozenset({semconv.SQLOBS_QUERY_TEXT, semconv.SQLOBS_REFERENCE_QUERY_TEXT})
_SUBJECTS: Final[Mapping[str, SubjectKind]] = {
    semconv.USER_ID: "user",
    semconv.GEN_AI_CONVERSATION_ID: "conversation",
    semconv.SQLOBS_TENANT: "tenant",
}
_KEPT: Final = frozenset(
    {
        semconv.SERVICE_NAME,
        semconv.SERVICE_VERSION,
        semconv.DEPLOYMENT_ENVIRONMENT_NAME,
        semconv.SQLOBS_DIALECT,
        semconv.SQLOBS_GENERATION_ID,
        semconv.SQLOBS_QUERY_FINGERPRINT,
        semconv.SQLOBS_QUESTION_DIGEST,
        semconv.SQLOBS_SCHEMA_VERSION,
    }
)
"""IDs, hashes and names that records are joined and counted by."""


class Masker:
    """Masks texts by rules; without rules, nothing.

    Args:
        patterns: Regular expressions by name; what they match becomes `<NAME>`.
        columns: `email` or `customers.email`: statements that name them lose all literals.
        digests: Of users, conversations and tenants, which stay distinguishable.
    """

    def __init__(
        self, patterns: Mapping[str, str], columns: Iterable[str], *, digests: SubjectDigests
    ) -> None:
        self._patterns = {f"<{name}>": re.compile(text) for name, text in patterns.items()}
        self._columns = [frozenset(column.lower().split(".")) for column in columns]
        self._digests = digests
        self.is_active = bool(self._patterns or self._columns)

    def text(self, text: str) -> str:
        """Return a text with what the patterns match masked."""
        for shown, pattern in self._patterns.items():
            text = pattern.sub(shown, text)
        return text

    def names_column(self, sql: str | None) -> bool:
        """Return whether a statement names a column of the rules."""
        words = set(_WORD.findall((sql or "").lower()))
        return any(column <= words for column in self._columns)

    def statement(self, sql: str, dialect: str | None) -> str:
        """Return a statement as the rules allow it: all literals masked if it names a column."""
        if self.names_column(sql):
            sql = _without_literals(sql, dialect)
        return self.text(sql)

    def request(self, request: Any, workspace: str) -> None:  # noqa: ANN401 - of logs or traces
        """Mask the records of a decoded request in place."""
        for resource in getattr(request, "resource_logs", ()):
            self._resource(resource, workspace)
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    self._record(record, record.body.kvlist_value.values, workspace)
                    if record.body.HasField("string_value"):
                        self._value(record.body)
        for resource in getattr(request, "resource_spans", ()):
            self._resource(resource, workspace)
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self._span(span, workspace)

    def _resource(self, resource: Any, workspace: str) -> None:  # noqa: ANN401 - either kind
        self._pairs(resource.resource.attributes, None, workspace)

    def _span(self, span: Any, workspace: str) -> None:  # noqa: ANN401 - the class has no types
        self._record(span, (), workspace)
        span.status.message = self.text(span.status.message)
        for part in chain(span.events, span.links):
            self._pairs(part.attributes, None, workspace)

    def _record(self, record: Any, texts: Iterable[KeyValue], workspace: str) -> None:  # noqa: ANN401 - either kind
        named = {one.key: one for one in record.attributes}
        dialect = named.get(semconv.SQLOBS_DIALECT)
        name = dialect.value.string_value if dialect else None
        is_changed = self._pairs(chain(record.attributes, texts), name, workspace)
        self._correction(record, named.get(semconv.SQLOBS_FEEDBACK_QUERY_TEXT), name)
        capture = named.get(semconv.SQLOBS_QUERY_CAPTURE)
        if is_changed and capture is not None:  # never executed, and shown as what it is
            capture.value.string_value = "redacted"

    def _correction(self, record: Any, pair: KeyValue | None, dialect: str | None) -> None:  # noqa: ANN401 - either kind
        """Leave out a corrected statement that the rules change: it could not be run."""
        sql = pair.value.string_value if pair is not None else ""
        if pair is not None and self.statement(sql, dialect) != sql:
            record.attributes.remove(pair)

    def _pairs(self, pairs: Iterable[KeyValue], dialect: str | None, workspace: str) -> bool:
        """Mask attributes or texts in place; return whether a statement changed."""
        is_changed = False
        for pair in pairs:
            value, key = pair.value, pair.key
            before = value.string_value
            if key in _KEPT or key == semconv.SQLOBS_FEEDBACK_QUERY_TEXT:
                continue
            if not value.HasField("string_value"):
                self._value(value)
            elif key in _STATEMENTS:
                value.string_value = self.statement(before, dialect)
                is_changed |= value.string_value != before
            elif key in _SUBJECTS:
                value.string_value = self._subject(_SUBJECTS[key], workspace, before)
            elif key == semconv.SQLOBS_ATTEMPT_TEXTS:
                value.string_value = self._attempts(before, dialect)
            else:
                value.string_value = self.text(before)
        return is_changed

    def _subject(self, kind: SubjectKind, workspace: str, value: str) -> str:
        """Return a pseudonym for each user, and for others if a rule changes them."""
        if not value or (kind != "user" and self.text(value) == value):
            return value
        return pseudonym(self._digests.of(kind, workspace, value))

    def _attempts(self, text: str, dialect: str | None) -> str:
        try:
            found = json.loads(text)
        except ValueError:
            return self.text(text)
        return json.dumps(self._document(found, dialect), ensure_ascii=False)

    def _document(self, value: Any, dialect: str | None, key: str = "") -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, str):
            return self.statement(value, dialect) if key == "sql" else self.text(value)
        if isinstance(value, list):
            return [self._document(one, dialect, key) for one in value]
        if isinstance(value, dict):
            return {name: self._document(one, dialect, name) for name, one in value.items()}
        return value

    def _value(self, value: AnyValue) -> None:
        kind = value.WhichOneof("value")
        if kind == "string_value":
            value.string_value = self.text(value.string_value)
        elif kind == "array_value":
            for one in value.array_value.values:
                self._value(one)
        elif kind == "kvlist_value":
            for pair in value.kvlist_value.values:
                self._value(pair.value)


def _without_literals(sql: str, dialect: str | None) -> str:
    from sqlobs.check.report.masking import mask_sql

    try:
        return mask_sql(sql, dialect=dialect or "") or _ALL
    except Exception:  # noqa: BLE001 - of an unknown dialect, or whatever it is: it must not be stored
        return _ALL
