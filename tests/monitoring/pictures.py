"""Draw every panel of the dashboards from a Prometheus into pictures, one PNG a dashboard.

    python -m tests.monitoring.pictures --output DIR                # from the scripted replay
    python -m tests.monitoring.pictures --output DIR --prometheus http://127.0.0.1:9090

Grafana's layout, numbers and colors, near enough to see what is empty, wrong or unreadable. Needs
Chromium.
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.monitoring.dashboards.pages import dashboards
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring import replay
from tests.monitoring.grafana import Grafana, replayed
from tests.servers import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH, UNIT_H = 1680, 34
PALETTE = ("#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#f2495c", "#b877d9", "#56a64b", "#8ab8ff")
NAMED = {
    "green": "#73bf69",
    "yellow": "#fade2a",
    "blue": "#5794f2",
    "orange": "#ff9830",
    "red": "#f2495c",
    "purple": "#b877d9",
    "transparent": "none",
}
STYLE = """
body{margin:0;background:#111217;color:#ccccdc;font:12px sans-serif}
.panel{position:absolute;background:#181b1f;border:1px solid #2c3235;overflow:hidden}
.panel>b{display:block;padding:4px 8px}
.row{position:absolute;font-size:15px;padding:6px}
.big{font-size:30px;text-align:center;padding-top:6px}
table{border-collapse:collapse;width:100%}td,th{padding:2px 8px;border-top:1px solid #2c3235;
text-align:left}.empty{color:#f2495c;font-size:20px;padding:20px}
.key{display:inline-block;margin:0 8px;font-size:10px}
"""


MARKS: list[tuple[float, str]] = []
"""Time and color of the annotations of the page that is drawn."""


def page(grafana: Grafana, document: dict) -> str:
    """Return a dashboard as HTML."""
    MARKS[:] = [
        (float(one["values"][0][0]), NAMED[annotation["iconColor"]])
        for annotation in document["annotations"]["list"]
        for one in grafana.range(annotation["expr"])
    ]
    panels = "".join(_placed(grafana, panel) for panel in document["panels"])
    return f"<style>{STYLE}</style><h2 style='margin:8px'>{document['title']}</h2>{panels}"


def _placed(grafana: Grafana, panel: dict) -> str:
    place = panel["gridPos"]
    left, width = (place[name] * WIDTH // 24 for name in ("x", "w"))
    top, height = 40 + place["y"] * UNIT_H, place["h"] * UNIT_H
    title = html.escape(panel["title"])
    if panel["type"] == "row":
        return f"<div class=row style='left:0;top:{top - 4}px'>▾ {title}</div>"
    body = _SHAPES[panel["type"]](grafana, panel, (width - 4, height - 24))
    box = f"left:{left}px;top:{top}px;width:{width - 4}px;height:{height - 4}px"
    return f"<div class=panel style='{box}'><b>{title}</b>{body}</div>"


def _stat(grafana: Grafana, panel: dict, _: tuple[int, int]) -> str:
    found = grafana.now(panel["targets"][0]["expr"])
    if not found:
        return "<div class=empty>no data</div>"
    value = float(found[0]["value"][1])
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    color = [
        step["color"] for step in steps if step.get("value") is None or value >= step["value"]
    ][-1]
    shown = _shown(value, panel)
    return f"<div class=big style='color:{NAMED.get(color, color)}'>{shown}</div>"


def _bars(grafana: Grafana, panel: dict, _: tuple[int, int]) -> str:
    rows = [
        (legend(target, one), float(one["value"][1]))
        for target in panel["targets"]
        for one in grafana.now(target["expr"])
    ]
    if not rows:
        return "<div class=empty>no data</div>"
    most = max(value for _, value in rows) or 1
    color = NAMED[panel["fieldConfig"]["defaults"]["thresholds"]["steps"][0]["color"]]
    return "".join(
        f"<div style='margin:2px 8px'>{name}: {_shown(value, panel)}<div style='background:{color};"
        f"height:8px;width:{90 * value / most:.0f}%'></div></div>"
        for name, value in rows
    )


def _table(grafana: Grafana, panel: dict, _: tuple[int, int]) -> str:
    renamed = panel["transformations"][-1]["options"]["renameByName"]
    several = len(panel["targets"]) > 1
    rows: dict[tuple, dict[str, object]] = {}
    for target in panel["targets"]:
        name = f"Value #{target['refId']}" if several else "Value"
        for one in grafana.now(target["expr"]):
            row = rows.setdefault(tuple(sorted(one["metric"].items())), {**one["metric"]})
            row[name] = float(one["value"][1])
    if not rows:
        return "<div class=empty>no data</div>"
    first = next(name for name in renamed if name.startswith("Value"))
    is_down = panel["options"]["sortBy"][0]["desc"]
    ordered = sorted(rows.values(), key=lambda row: row.get(first, 0), reverse=is_down)
    head = "".join(f"<th>{html.escape(title)}</th>" for title in renamed.values())
    lines = "".join(
        f"<tr>{''.join(f'<td>{_cell(row.get(name), panel)}</td>' for name in renamed)}</tr>"
        for row in ordered
    )
    return f"<table><tr>{head}</tr>{lines}</table>"


def _cell(value: object, panel: dict) -> str:
    if isinstance(value, float):
        return _shown(value, panel)
    return html.escape(str(value or ""))


def _graph(grafana: Grafana, panel: dict, size: tuple[int, int]) -> str:
    series = [
        (
            legend(target, one),
            [(float(at), float(value)) for at, value in one["values"] if value != "NaN"],
        )
        for target in panel["targets"]
        for one in grafana.range(target["expr"])
    ]
    series = [(name, points) for name, points in series if points]
    if not series:
        return "<div class=empty>no data</div>"
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    mode = custom.get("stacking", {}).get("mode", "none")
    overrides = panel["fieldConfig"].get("overrides", [])
    colors = [
        NAMED.get(override(overrides, name, "color") or "", PALETTE[place % len(PALETTE)])
        for place, (name, _) in enumerate(series)
    ]
    bounds = [override(overrides, name, "custom.lineStyle") is not None for name, _ in series]
    tops = _stacked(series, mode)
    looks = list(zip(colors, bounds, strict=True))
    drawn = _drawn(tops, looks, panel, size, is_bars=custom.get("drawStyle") == "bars")
    keys = "".join(
        f"<span class=key><span style='color:{color}'>━</span> {html.escape(name)}"
        f" {_shown(points[-1][1], panel)}</span>"
        for (name, points), (color, is_bound) in zip(series, looks, strict=True)
        if not is_bound
    )
    return drawn + keys


def override(overrides: list, name: str, property_id: str) -> str | None:
    """Return what a panel says of a series by its name."""
    for one in overrides:
        if re.search(one["matcher"]["options"].strip("/"), name):
            for said in one["properties"]:
                if said["id"] == property_id:
                    return said["value"].get("fixedColor", property_id)
    return None


def _stacked(series: list, mode: str) -> list[list[tuple[float, float, float]]]:
    """Return time, lower and upper end of every point."""
    if mode == "none":
        return [[(at, value, value) for at, value in points] for _, points in series]
    totals: dict[float, float] = {}
    for _, points in series:
        for at, value in points:
            totals[at] = totals.get(at, 0) + value
    below: dict[float, float] = {}
    found = []
    for _, points in series:
        ends = []
        for at, value in points:
            part = value / totals[at] if mode == "percent" and totals[at] else value
            low = below.get(at, 0.0)
            below[at] = low + part
            ends.append((at, low, low + part))
        found.append(ends)
    return found


def _drawn(
    tops: list, looks: list[tuple[str, bool]], panel: dict, size: tuple[int, int], *, is_bars: bool
) -> str:
    width, height = size[0] - 60, size[1] - 46
    limit = panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [{}])[-1]
    bound = limit.get("value") or 0
    every = [point for points in tops for point in points]
    start, end = min(at for at, *_ in every), max(at for at, *_ in every)
    most = max([high for *_, high in every] + [bound]) * 1.05 or 1

    def x(at: float) -> float:
        return 50 + (at - start) / max(end - start, 1) * width

    def y(value: float) -> float:
        return 6 + height * (1 - value / most)

    shapes = [
        f"<text x=2 y={y(most * part):.0f} fill=#8e8e9e font-size=10>{_axis(most * part, panel)}"
        "</text>"
        for part in (0, 0.5, 0.95)
    ]
    if bound:
        shapes.append(
            f"<line x1=50 x2={50 + width} y1={y(bound):.1f} y2={y(bound):.1f} stroke=#f2495c"
            " stroke-dasharray=6 />"
        )
    shapes += [
        f"<line x1={x(at):.1f} x2={x(at):.1f} y1=6 y2={6 + height} stroke={color}"
        " stroke-dasharray=3 />"
        for at, color in MARKS
        if start <= at <= end
    ]
    for points, (color, is_bound) in zip(tops, looks, strict=True):
        width_px = "1 stroke-dasharray=4" if is_bound else "1.6"
        if is_bars or any(low != high for _, low, high in points):
            shapes += [
                f"<line x1={x(at):.1f} x2={x(at):.1f} y1={y(low):.1f} y2={y(high):.1f}"
                f" stroke={color} stroke-width={max(1.0, width / 365):.1f} />"
                for at, low, high in points
            ]
        else:
            for part in _runs(points):
                line = " ".join(f"{x(at):.1f},{y(high):.1f}" for at, _, high in part)
                shapes.append(
                    f"<polyline points='{line}' fill=none stroke={color} stroke-width={width_px} />"
                )
    return f"<svg width={size[0]} height={height + 14}>{''.join(shapes)}</svg><br>"


def _axis(value: float, panel: dict) -> str:
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    is_share = custom.get("stacking", {}).get("mode") == "percent"
    return f"{100 * value:.3g}%" if is_share else _shown(value, panel)


def _runs(points: list) -> Iterator[list]:
    """Yield the points between gaps."""
    run: list = []
    for point in points:
        if run and point[0] - run[-1][0] > 150:
            yield run
            run = []
        run.append(point)
    yield run


def legend(target: dict, one: dict) -> str:
    """Return the name of a series."""
    name = target.get("legendFormat", "")
    for label, value in one["metric"].items():
        name = name.replace(f"{{{{{label}}}}}", value)
    return " ".join(word for word in name.split() if not word.startswith("{{"))


def _shown(value: float, panel: dict) -> str:
    unit = panel["fieldConfig"]["defaults"].get("unit", "short")
    if unit == "percentunit":
        return f"{100 * value:.3g}%"
    if unit == "currencyUSD":
        return f"${value:.4g}"
    if unit == "s":
        return _time(value)
    if unit == "bytes":
        return f"{value / 2**20:.3g} MiB" if value >= 2**20 else f"{value / 1024:.3g} KiB"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _time(seconds: float) -> str:
    if seconds >= 120:
        return f"{seconds / 60:.3g} min"
    if seconds >= 1 or not seconds:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


_SHAPES = {"stat": _stat, "timeseries": _graph, "bargauge": _bars, "table": _table}


def draw(grafana: Grafana, output: Path) -> Iterator[Path]:
    """Write the pictures and yield their paths."""
    output.mkdir(parents=True, exist_ok=True)
    for uid, document in dashboards(RuleSettings()).items():
        source, picture = output / f"{uid}.html", output / f"{uid}.png"
        source.write_text(page(grafana, document), encoding="utf-8")
        last = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in document["panels"])
        subprocess.run(
            [
                *(installed("chromium"), "--headless", "--no-sandbox", "--disable-gpu"),
                *(f"--window-size={WIDTH},{60 + last * UNIT_H}", "--hide-scrollbars"),
                *(f"--screenshot={picture}", source.as_uri()),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )
        source.unlink()
        yield picture


@contextmanager
def _asked(url: str | None) -> Iterator[Grafana]:
    if url is not None:
        yield Grafana(url, time.time_ns() / 10**9)
        return
    with (
        tempfile.TemporaryDirectory() as directory,
        replayed(Path(directory), replay.all_series()) as grafana,
    ):
        yield grafana


def main() -> None:
    """Draw the dashboards and print where they are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--prometheus", metavar="URL", help="default: the scripted replay")
    args = parser.parse_args()
    with _asked(args.prometheus) as grafana:
        for picture in draw(grafana, args.output):
            sys.stdout.write(f"{picture}\n")


if __name__ == "__main__":
    main()
