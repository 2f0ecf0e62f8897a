"""Autoescaping templates and static assets."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from sqlobs.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PACKAGE: Final = "sqlobs.reporting.page"


def asset(name: str, *, package: str = _PACKAGE) -> str:
    """Return the text of a file of the package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def style() -> str:
    """Return the style sheet of report pages: what they share with the console, and their own."""
    return asset("shared/theme.css") + asset("report.css")


def rendered(
    template: str,
    *,
    filters: Mapping[str, Callable[..., object]],
    own: Mapping[str, str],
    **values: object,
) -> str:
    """Render a template; every value is escaped except the package's own files.

    Args:
        template: The template's text.
        filters: Template filters by name.
        own: The package's style and script, inserted unescaped.
        values: The template's variables; a missing one is an error.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtraError("The HTML report", extra="report") from error

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= filters
    trusted = {name: Markup(text) for name, text in own.items()}  # noqa: S704 - our own files
    return environment.from_string(template).render(values | trusted)
