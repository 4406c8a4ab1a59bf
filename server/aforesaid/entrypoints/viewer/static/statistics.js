"use strict";
// Draws the plots of the page of statistics, in the colours of the theme.

const COLOURS = ["--accent", "--good", "--warn"];
const HEIGHT = 200;
const drawn = []; // {plot, holder}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options(plot, width) {
  const labelOf = (index) => plot.labels[index] ?? "";
  const isBars = plot.kind === "bars";
  const axis = { stroke: colour("--soft"), ticks: { stroke: colour("--line") }, font: "11px system-ui, sans-serif" };
  return {
    width, height: HEIGHT,
    scales: {
      x: { time: false, range: () => [-0.5, plot.labels.length - 0.5] },
      y: { range: (_u, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: isBars ? 56 : 84, incrs: [1, 2, 5, 10, 20, 50, 100],
        values: (_u, splits) => splits.map((at) => (Number.isInteger(at) ? labelOf(at) : "")) },
      { ...axis, grid: { stroke: colour("--line"), width: 1 }, size: 56 },
    ],
    series: [
      { label: plot.label, value: (_u, at) => (at === null ? "" : labelOf(at)) },
      ...plot.series.map((series, index) => {
        const stroke = colour(COLOURS[index % COLOURS.length]);
        return isBars
          ? { label: series.name, stroke, fill: stroke, paths: uPlot.paths.bars({ size: [0.6, 64] }), points: { show: false } }
          : { label: series.name, stroke, width: 2, dash: [[], [6, 3], [2, 3]][index % 3], points: { show: plot.labels.length < 40, size: 5 } };
      }),
    ],
    cursor: { drag: { x: false, y: false } },
    hooks: { ready: [(chart) => showDefault(chart, isBars)], setCursor: [(chart) => showDefault(chart, isBars)] },
  };
}

// Without a pointer over the plot, the legend shows the last point, or the highest bar, instead of dashes.
function showDefault(chart, isBars) {
  if (chart.cursor.left >= 0) return;
  const values = chart.data[1];
  chart.setLegend({ idx: isBars ? values.indexOf(Math.max(...values)) : values.length - 1 });
}

function draw(entry) {
  entry.holder.replaceChildren();
  const values = [entry.plot.labels.map((_label, index) => index), ...entry.plot.series.map((series) => series.values)];
  new uPlot(options(entry.plot, entry.holder.clientWidth), values, entry.holder);
}

const redraw = () => drawn.forEach(draw);

async function start() {
  const answer = await fetch(document.querySelector("[data-plots]").dataset.plots);
  if (!answer.ok) return; // the tables hold the numbers
  for (const plot of await answer.json()) {
    const holder = document.getElementById(plot.name);
    if (holder) drawn.push({ plot, holder });
  }
  redraw();
  const widths = new ResizeObserver(redraw);
  widths.observe(document.querySelector("[data-plots]"));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

start();
