"""Walks the frame of a window: its bounds, their order, and their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import FormUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


def resolve_frame(walk: Walk, spec: exp.Expr, terms: Sequence[Type], scope: Scope) -> None:
    """Walk `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`.

    Args:
        walk: the state of the walk.
        spec: the frame.
        terms: the types of the terms that the window orders by.
        scope: the query of the window.
    """
    from sqlobs.check.resolver.expressions import resolve_expression

    start, end = _place(spec, "start"), _place(spec, "end")
    if start > end:
        is_pair = (start, end) == (_PLACES["FOLLOWING"], _PLACES["PRECEDING"])
        form = "frame_from_following_to_preceding" if is_pair else "reversed_frame"
        walk.facts.forms.append(FormUse(spec, form))
    kind = spec.text("kind").upper()
    for name in ("start", "end"):
        bound = spec.args.get(name)
        if not isinstance(bound, exp.Expr):
            continue
        used = len(walk.facts.columns)
        found = resolve_expression(walk, bound, scope)
        if len(walk.facts.columns) > used:
            walk.facts.forms.append(FormUse(bound, "column_in_frame"))
        elif walk.types is not None and len(terms) == 1:
            walk.judge(bound, walk.types.frame(kind, terms[0], found, bound))


_PLACES: Final = {"PRECEDING": 1, "FOLLOWING": 3}
_CURRENT_ROW: Final = 2


def _place(spec: exp.Expr, name: str) -> int:
    """Return where a bound lies, in the order in which bounds may follow; none is the current row.

    The ends of the partition are bounds of the other side nowhere.
    """
    bound, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
    place = _PLACES.get(side, _CURRENT_ROW)
    if bound != "UNBOUNDED":
        return place
    misplaced = "FOLLOWING" if name == "start" else "PRECEDING"
    if side == misplaced:
        return 2 * _PLACES["FOLLOWING"] if name == "start" else -1
    return place
