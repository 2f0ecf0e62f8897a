"""The panel types of the dashboard: stat, graph, bars, table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, timeseries
from grafana_foundation_sdk.builders import stat as stat_panel
from grafana_foundation_sdk.builders import table as table_panel
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    DataTransformerConfig,
    Threshold,
    ThresholdsMode,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

SHARED_CURSOR: Final = DashboardCursorSync.CROSSHAIR
DATASOURCE: Final = DataSourceRef(type_val="prometheus", uid="${datasource}")

GOOD: Final = "green"
FAIR: Final = "orange"
BAD: Final = "red"
_NEUTRAL: Final = "blue"


@dataclass(frozen=True, slots=True)
class Face:
    """A panel's title, description, unit and position."""

    title: str
    description: str
    width: int
    """Columns out of 24."""
    height: int = 8
    unit: str = "short"


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a panel and what its series are called."""

    expr: str
    legend: str = ""
    has_exemplars: bool = False


def stat(face: Face, query: Query, *, steps: Mapping[float, str] | None = None) -> Builder[Panel]:
    """Return a panel with one large number.

    Args:
        face: Title and position.
        query: Its instant value is shown.
        steps: Colors by the value from which they apply; the first covers everything below the
        second.
    """
    return (
        stat_panel.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .thresholds(_thresholds(steps or {0: _NEUTRAL}))
        .color_mode(shapes.BigValueColorMode.VALUE)
        .graph_mode(shapes.BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .with_target(_target(query, "A").instant())
    )


def graph(
    face: Face,
    *queries: Query,
    is_share: bool = False,
    limit: float | None = None,
) -> Builder[Panel]:
    """Return a graph over time.

    Args:
        face: Title and position.
        queries: One or more series each; colored in order: green, yellow, blue, orange.
        is_share: Stack the series to 100 %.
        limit: Draw a dashed line here; values above it are bad.
    """
    panel = (
        timeseries.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .min(0)
        .line_width(2)
        .fill_opacity(60 if is_share else 8)
        .show_points(shapes.VisibilityMode.NEVER)
        .span_nulls(True)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI))
    )
    if is_share:
        panel.stacking(common.StackingConfig().mode(shapes.StackingMode.PERCENT).group("A"))
    if limit is not None:
        panel.thresholds(_thresholds({0: "transparent", limit: BAD}))
        panel.thresholds_style(
            common.GraphThresholdsStyleConfig().mode(shapes.GraphThresholdsStyleMode.DASHED)
        )
    for reference, query in zip("ABCDEF", queries, strict=False):
        panel.with_target(_target(query, reference).range().exemplar(query.has_exemplars))
    return panel


def bars(face: Face, query: Query) -> Builder[Panel]:
    """Return horizontal bars, one per series."""
    return (
        bargauge.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .min(0)
        .no_value("none")
        .thresholds(_thresholds({0: FAIR}))
        .orientation(shapes.VizOrientation.HORIZONTAL)
        .display_mode(shapes.BarGaugeDisplayMode.BASIC)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .with_target(_target(query, "A").instant())
    )


def table(face: Face, query: Query, *, names: Mapping[str, str]) -> Builder[Panel]:
    """Return a table with one row per series of a query, the lowest value first.

    Args:
        face: Title and position; its unit is that of the values.
        query: Its instant value is shown; its legend becomes the header of the value column.
        names: Column headers by label, in order.
    """
    shown = {**names, "Value": query.legend}
    organized = DataTransformerConfig(
        "organize",
        options={
            "excludeByName": {"Time": True},
            "indexByName": {name: place for place, name in enumerate(shown)},
            "renameByName": shown,
        },
    )
    return (
        table_panel.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .no_value("none")
        .with_transformation(organized)
        .sort_by([common.TableSortByFieldState().display_name(query.legend).desc(False)])
        .with_target(_target(query, "A").instant().format(PromQueryFormat.TABLE))
    )


def _target(query: Query, reference: str) -> prometheus.Dataquery:
    target = prometheus.Dataquery().expr(query.expr).ref_id(reference).datasource(DATASOURCE)
    return target.legend_format(query.legend) if query.legend else target


def _legend() -> common.VizLegendOptions:
    return (
        common.VizLegendOptions()
        .display_mode(shapes.LegendDisplayMode.LIST)
        .placement(shapes.LegendPlacement.BOTTOM)
        .show_legend(True)
    )


def _thresholds(steps: Mapping[float, str]) -> dashboard.ThresholdsConfig:
    ordered: Sequence[tuple[float, str]] = sorted(steps.items())
    first = Threshold(value=None, color=ordered[0][1])
    return (
        dashboard.ThresholdsConfig()
        .mode(ThresholdsMode.ABSOLUTE)
        .steps([first, *(Threshold(value=value, color=colour) for value, colour in ordered[1:])])
    )
