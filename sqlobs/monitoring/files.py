"""The files that are generated, as texts by name: the same choices give the same bytes."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import MissingExtraError
from sqlobs.monitoring import blindness, schema_hallucination
from sqlobs.monitoring.rule_cases import SLOW_STEP_S, STEP_S, cases, slow_cases
from sqlobs.monitoring.rule_tests import tests_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.monitoring.settings import RuleSettings

RULES: Final = "sqlobs.rules.yml"
RULE_TESTS: Final = "sqlobs.rules.test.yml"
SLOW_RULE_TESTS: Final = "sqlobs.rules.slow.test.yml"
DASHBOARD: Final = "sqlobs.dashboard.json"

_NOTE: Final = "# Made by `sqlobs rules generate`: choose other figures there, do not edit.\n"


def generate(settings: RuleSettings) -> Mapping[str, str]:
    """Return the rule file, the dashboard, and at full scale the rules' unit tests for promtool.

    Raises:
        MissingExtraError: The extra `monitoring` is not installed.
    """
    try:
        from sqlobs.monitoring.dashboard import dashboard_json

        document = rules_document(settings)
        rules = to_yaml(document)
    except ImportError as error:
        raise MissingExtraError("generating rules and dashboards", extra="monitoring") from error
    groups = [group["name"] for group in document["groups"]]
    return {
        RULES: rules,
        **(_rule_tests(settings, groups) if settings.scale == 1 else {}),
        DASHBOARD: dashboard_json(settings),
    }


def _rule_tests(settings: RuleSettings, groups: Sequence[str]) -> Mapping[str, str]:
    written = partial(tests_document, settings=settings, rules=RULES, groups=groups)
    return {
        RULE_TESTS: to_yaml(written(cases(settings), step_s=STEP_S)),
        SLOW_RULE_TESTS: to_yaml(written(slow_cases(settings), step_s=SLOW_STEP_S)),
    }


def rules_document(settings: RuleSettings) -> dict[str, Any]:
    """Return the rule file's content."""
    groups = chain(schema_hallucination.groups(settings), blindness.groups(settings))
    return {"groups": [group.document(settings) for group in groups]}


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as YAML with a note on top, texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes texts of several lines as they are read."""

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    written: str = yaml.dump(document, Dumper=Dumper, sort_keys=False, width=100)
    return _NOTE + written
