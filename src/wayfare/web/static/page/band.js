// One axis: the posterior mean with its 95% interval as a band, and the results along it.

import { html, useEffect, useRef } from "./preact.js";
import { colour, shade } from "./looks.js";
import { t } from "./messages.js";
import { plainSetting, result } from "./numbers.js";
import { straight } from "./scales.js";
import { useSignal } from "./signal.js";

const WIDE = 1.959964;

/** Return [where, mean, sd] along an axis, in order: of the slice, or of the places of a table. */
function beliefAlong(x, ground, { head, data }) {
  const count = head.shape.at(-1);
  const column = ground.axes.findIndex((axis) => axis.name === x.name);
  const where = head.x
    ? (head.x.values ?? Array.from(head.x.ticks))
    : ground.table.slice(0, count).map((row) => row[column]);
  const rows = where.map((value, at) => [straight(x, value), data[at], data[count + at]]);
  return rows.sort((one, other) => one[0] - other[0]);
}

export function Band({ x, ground, believed, visits, card, isTable }) {
  const box = useRef(null);
  const dark = useSignal(shade);
  useEffect(() => {
    if (!believed) return undefined;
    const rows = beliefAlong(x, ground, believed);
    const told = visits
      .filter((visit) => visit.state === "told")
      .map((visit) => [straight(x, visit.at(x.name)), visit.value]);
    const plot = new globalThis.uPlot(
      options(box.current, x, told, isTable || x.kind === "choice"),
      [rows.map(([at]) => at), ...[0, -WIDE, WIDE].map((times) => rows.map(([, mean, sd]) => mean + times * sd))],
      box.current,
    );
    const watcher = new ResizeObserver(() => plot.setSize(sizeOf(box.current)));
    watcher.observe(box.current);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [believed, visits, x, dark]);
  return html`<div class="band" ref=${box} role="img" aria-label=${t("band says", { x: x.name })}>
    ${!believed && html`<p
      class="plane-empty muted">${t(card.status.told + card.status.prior ? "loading" : "nothing believed")}</p>`}
  </div>`;
}

export const sizeOf = (box) => ({ width: box.clientWidth, height: Math.max(240, box.clientHeight) });

/** How the axes of a curve are drawn. */
export function axisLook() {
  const line = { stroke: colour("line"), width: 1 };
  return { stroke: colour("muted"), grid: line, ticks: line, font: "12px system-ui, sans-serif" };
}

function options(box, x, told, isApart) {
  const line = axisLook();
  const isChoice = x.kind === "choice";
  const text = (at) =>
    isChoice ? (x.values[at] ?? "") : plainSetting({ ...x, decimals: null, low: null }, x.log ? Math.exp(at) : at);
  const loose = isApart ? { paths: () => null } : {}; // places that stand apart are joined by no line
  const marks = isChoice ? { splits: () => x.values.map((_, at) => at) } : {};
  return {
    ...sizeOf(box),
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false } },
    scales: {
      x: { time: false, ...(isChoice ? { range: [-0.5, x.values.length - 0.5] } : {}) },
      y: { range: (_, low, high) => reach(low, high, told) },
    },
    axes: [
      {
        ...line,
        ...marks,
        label: x.unit ? `${x.name} [${x.unit}]` : x.name,
        labelFont: "12px system-ui, sans-serif",
        values: (_, found) => found.map(text),
      },
      { ...line, size: 62, values: (_, found) => found.map(result) },
    ],
    series: [
      {},
      { stroke: colour("accent"), width: 2, points: { show: isApart, size: 9, fill: colour("accent") }, ...loose },
      ...[1, 2].map(() => ({
        stroke: isApart ? colour("accent") : "transparent",
        points: { show: isApart, size: 5 },
        ...loose,
      })),
    ],
    bands: isApart ? [] : [{ series: [3, 2], fill: colour("band") }],
    hooks: { draw: [(plot) => dots(plot, told)] },
  };
}

function reach(low, high, told) {
  const values = [low, high, ...told.map(([, value]) => value)].filter(Number.isFinite);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = 0.06 * (most - least || 1);
  return [least - room, most + room];
}

function dots(plot, told) {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = colour("ink");
  ctx.strokeStyle = colour("surface");
  ctx.lineWidth = devicePixelRatio;
  for (const [at, value] of told) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(at, "x", true), plot.valToPos(value, "y", true), 3.5 * devicePixelRatio, 0, 7);
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
