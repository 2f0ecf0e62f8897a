"""The panel types of the dashboard: stat, graph, bars, table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, timeseries
from grafana_foundation_sdk.builders import stat as stat_panel
from grafana_foundation_sdk.builders import table as table_panel
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    DataTransformerConfig,
    DynamicConfigValue,
    FieldColorModeId,
    MatcherConfig,
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


@dataclass(frozen=True, slots=True)
class Style:
    """How a graph draws its series."""

    is_share: bool = False
    """Stack the series to 100 %."""
    is_stacked: bool = False
    """Stack the series as areas."""
    is_bars: bool = False
    """Stack bars that add up to a count."""
    limit: float | None = None
    """Draw a dashed line at this value; values above it are bad."""
    colors: Mapping[str, str] = field(default_factory=dict)
    """Color by the name of a series, or the last word of it, whatever its place."""
    dashed: Sequence[str] = ()
    """Last words of the series that are bounds of others: thin, dashed, not in the legend."""
    links: Mapping[str, str] = field(default_factory=dict)
    """URLs by title, on each point."""


LINES: Final = Style()
_BOUND: Final = [
    DynamicConfigValue(id_val="custom.lineStyle", value={"fill": "dash", "dash": [4, 6]}),
    DynamicConfigValue(id_val="custom.lineWidth", value=1),
    DynamicConfigValue(id_val="custom.fillOpacity", value=0),
    DynamicConfigValue(
        id_val="custom.hideFrom", value={"legend": True, "tooltip": False, "viz": False}
    ),
]
"""The bounds of an interval, distinguished from what they bound."""
RESOLUTION: Final = "${resolution}s"
"""How often new values arrive; the dashboards' hidden variable. A graph has no closer points."""


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


def graph(face: Face, *queries: Query, style: Style = LINES) -> Builder[Panel]:
    """Return a graph over time of one or more series per query."""
    panel = (
        timeseries.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .min(0)
        .line_width(0 if style.is_bars else 2)
        .fill_opacity(60 if style.is_share or style.is_stacked or style.is_bars else 8)
        .color_scheme(dashboard.FieldColor().mode(FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
        .show_points(shapes.VisibilityMode.NEVER)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI))
        .data_links([_link(title, url) for title, url in style.links.items()])
    )
    _draw(panel, style)
    for name, color in style.colors.items():
        panel.with_override(_ending_in(name), [_fixed(color)])
    for name in style.dashed:
        panel.with_override(_ending_in(name), _BOUND)
    for reference, query in zip("ABCDEFGH", queries, strict=False):
        panel.with_target(_ranged(query, reference))
    return panel


def _draw(panel: timeseries.Panel, style: Style) -> None:
    if style.is_bars:
        panel.draw_style(shapes.GraphDrawStyle.BARS)
    if style.is_share or style.is_stacked or style.is_bars:
        mode = shapes.StackingMode.PERCENT if style.is_share else shapes.StackingMode.NORMAL
        panel.stacking(common.StackingConfig().mode(mode).group("A"))
    if style.limit is not None:
        panel.thresholds(_thresholds({0: "transparent", style.limit: BAD}))
        panel.thresholds_style(
            common.GraphThresholdsStyleConfig().mode(shapes.GraphThresholdsStyleMode.DASHED)
        )


def _ranged(query: Query, reference: str) -> prometheus.Dataquery:
    target = _target(query, reference).range().exemplar(query.has_exemplars)
    return target.interval(RESOLUTION)


def _ending_in(name: str) -> MatcherConfig:
    # `/(^| )failed$/`: the series "failed" and "shop answer failed"
    return MatcherConfig(id_val="byRegexp", options=f"/(^| ){name}$/")


def _fixed(color: str) -> DynamicConfigValue:
    return DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": color})


def _link(title: str, url: str) -> dashboard.DashboardLink:
    return dashboard.DashboardLink(title).url(url).target_blank(True)


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
        .thresholds(_thresholds({0: _NEUTRAL}))
        .orientation(shapes.VizOrientation.HORIZONTAL)
        .display_mode(shapes.BarGaugeDisplayMode.BASIC)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .with_target(_target(query, "A").instant())
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of values, one query's."""

    title: str
    """With the unit, if it is not the panel's."""
    expr: str


def table(
    face: Face,
    *columns: Column,
    names: Mapping[str, str],
    is_descending: bool = False,
    links: Mapping[str, str] | None = None,
) -> Builder[Panel]:
    """Return a table with one row for each set of labels, sorted by the first column of values.

    Args:
        face: Title and position.
        columns: Instant values, in order; they share their labels.
        names: Column headers by label, in order.
        is_descending: Put the highest value first.
        links: URLs by title, on each cell.
    """
    panel = (
        table_panel.Panel()
        .title(face.title)
        .description(face.description)
        .datasource(DATASOURCE)
        .span(face.width)
        .height(face.height)
        .unit(face.unit)
        .no_value("none")
        .with_transformation(DataTransformerConfig("merge", options={}))
        .with_transformation(_organized(columns, names))
        .sort_by(
            [common.TableSortByFieldState().display_name(columns[0].title).desc(is_descending)]
        )
    )
    for reference, column in zip("ABCDEFGH", columns, strict=False):
        query = Query(column.expr)
        panel.with_target(_target(query, reference).instant().format(PromQueryFormat.TABLE))
    return panel.data_links([_link(title, url) for title, url in (links or {}).items()])


def _organized(columns: Sequence[Column], names: Mapping[str, str]) -> DataTransformerConfig:
    values = [f"Value #{letter}" for letter in "ABCDEFGH"] if len(columns) > 1 else ["Value"]
    shown = {**names, **dict(zip(values, (one.title for one in columns), strict=False))}
    return DataTransformerConfig(
        "organize",
        options={
            "excludeByName": {"Time": True},
            "indexByName": {name: place for place, name in enumerate(shown)},
            "renameByName": shown,
        },
    )


def _target(query: Query, reference: str) -> prometheus.Dataquery:
    target = prometheus.Dataquery().expr(query.expr).ref_id(reference).datasource(DATASOURCE)
    return target.legend_format(query.legend) if query.legend else target


def _legend() -> common.VizLegendOptions:
    return (
        common.VizLegendOptions()
        .display_mode(shapes.LegendDisplayMode.TABLE)
        .calcs(["lastNotNull", "max"])
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
