/* Draws the charts of a page with uPlot from the JSON that the page holds; every value is also in a
   table. Colors come from the style sheet, so that light and dark work. */
"use strict";

(() => {
  const UNITS = {
    percent: (value) => `${(100 * value).toFixed(1)} %`,
    count: (value) => value.toLocaleString("en-US"),
    seconds: (value) => (value < 1 ? `${(1000 * value).toFixed(0)} ms` : `${value.toFixed(2)} s`),
    usd: (value) => `$${value.toFixed(value < 1 ? 4 : 2)}`,
  };
  const SERIES = ["--good", "--cool", "--warn", "--bad", "--dull", "--ink"];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const times = (points) => points.map((point) => point.at_s);
  const values = (points, name) => points.map((point) => point[name]);
  const rates = (points, name) => points.map((point) => point.rate[name]);

  /* A value between gaps is part of no line: it is drawn as a point, however dense the others are. */
  const alone = (chart, series, isShown) => (isShown ? null : chart.data[series].flatMap(
    (value, at, all) => (value != null && all[at - 1] == null && all[at + 1] == null ? [at] : []),
  ));
  const line = (label, stroke, { points, ...extra } = {}) => ({
    label, stroke, width: 2, points: { size: 5, filter: alone, ...points }, spanGaps: false, ...extra,
  });

  /* What each kind of chart shows: its data, the first row of which are times, and its series. */
  const KINDS = {
    rate: (view) => ({
      data: [times(view.points), rates(view.points, "high"), rates(view.points, "low"), rates(view.points, "value")],
      series: [
        ...["to", "from"].map((end) => line(end, "transparent", { width: 0, points: { show: false, filter: () => null } })),
        line("share", color("--good")),
      ],
      bands: [{ series: [1, 2], fill: `${color("--good")}33` }],
    }),
    groups: (view) => {
      const shown = view.groups.filter((group) => group.points.length);
      return {
        data: [times(view.points), ...shown.map((group) => rates(group.points, "value"))],
        series: shown.map((group, number) => line(group.value || "(none)", color(SERIES[number % SERIES.length]), { dash: number > 2 ? [6, 3] : undefined })),
      };
    },
    requests: (view) => ({
      data: [times(view.points), values(view.points, "requests")],
      series: [line("requests", color("--cool"), { fill: `${color("--cool")}33`, points: { show: false } })],
    }),
    latency: (view) => ({
      data: [times(view.points), values(view.points, "p50_s"), values(view.points, "p95_s")],
      series: [line("median", color("--cool")), line("p95", color("--warn"))],
    }),
    cost: (view) => ({
      data: [times(view.points), values(view.points, "cost_usd")],
      series: [line("cost", color("--good"), { fill: `${color("--good")}33`, points: { show: false } })],
    }),
  };

  /* A dashed line at the first request of each version. */
  const markers = (view) => (chart) => {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.strokeStyle = color("--soft");
    ctx.fillStyle = color("--soft");
    ctx.setLineDash([4, 4]);
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    view.deploys.forEach((deploy) => {
      const x = Math.round(chart.valToPos(deploy.at_s, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
      ctx.fillText(` ${deploy.version} `, x, bbox.top + 12 * devicePixelRatio);
    });
    ctx.restore();
  };

  /* 17:35, or 11-24 where parts are days; the day stands below where it changes. */
  const clock = (_, ticks) => {
    let day = "";
    return ticks.map((seconds) => {
      const text = new Date(seconds * 1000).toISOString();
      const before = day;
      day = text.slice(5, 10);
      return day === before ? text.slice(11, 16) : `${text.slice(11, 16)}\n${day}`;
    });
  };

  const axis = (extra) => ({
    stroke: color("--soft"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
    ...extra,
  });

  const draw = (place) => {
    const view = JSON.parse(document.getElementById(place.dataset.of).textContent);
    const { data, series, bands } = KINDS[place.dataset.chart](view);
    const text = UNITS[place.dataset.unit];
    const format = (_, value) => (value === null || value === undefined ? "-" : text(value));
    const height = place.classList.contains("small") ? 160 : 260;
    place.replaceChildren();
    if (data.slice(1).flat().every((value) => value == null)) {
      place.append(Object.assign(document.createElement("p"), { className: "note", textContent: "No values in this period." }));
      return null;
    }
    const chart = new uPlot({
      width: place.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      series: [{ label: "from", value: (_, seconds) => (seconds === null ? "-" : `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")}`) }, ...series.map((one) => ({ ...one, value: format }))],
      bands,
      axes: [axis({ values: clock, size: 48 }), axis({ size: 72, values: (_, ticks) => ticks.map(text) })],
      scales: { y: { range: (_, low, high) => [0, Math.max(high || 0, place.dataset.unit === "percent" ? 0.01 : 1e-6) * 1.1] } },
      legend: { show: place.dataset.chart !== "rate" },
      hooks: { draw: [markers(view)] },
    }, data, place);
    return chart;
  };

  const places = [...document.querySelectorAll("[data-chart]")];
  const charts = new Map();
  const redraw = () => places.forEach((place) => {
    charts.get(place)?.destroy();
    charts.set(place, draw(place));
  });
  redraw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });
})();
