// The results in the order they came and the best so far, by trial or by what was paid for moving.

import { html, useEffect, useRef, useState } from "./preact.js";
import { numbers, studyPath } from "./api.js";
import { axisLook, sizeOf } from "./band.js";
import { colour, shade } from "./looks.js";
import { t } from "./messages.js";
import { amount, result } from "./numbers.js";
import { Loaded, useLoaded } from "./parts.js";
import { useSignal } from "./signal.js";

export function Found({ name, card }) {
  const [by, setBy] = useState("trial");
  const { value, problem } = useLoaded(() => numbers(studyPath(name, "/visits")), [name, card.version]);
  return html`<section class="panel"><div class="title-line"><h2>${t("found so far")}</h2>
      <div class="segments" role="group" aria-label=${t("across")}>
        ${["trial", "paid"].map((one) => html`<button type="button" aria-pressed=${String(one === by)}
          onClick=${() => setBy(one)}>${t(`by ${one}`)}</button>`)}
      </div></div>
    <${Loaded} problem=${problem} value=${value}>${(visits) => html`<${Curve} by=${by} card=${card}
      rows=${curve(visits, card.spec.direction === "minimize")} />`}<//></section>`;
}

const whole = (at) => (Number.isInteger(at) ? amount(at) : "");

/** Return [trial, paid, value, best so far] for every result, in the order of the trials. */
function curve({ head, data }, minimize) {
  const width = head.columns.length;
  const told = head.states.indexOf("told");
  const rows = [];
  let paid = 0;
  let best = null;
  for (let row = 0; row < head.shape[0]; row += 1) {
    const [, state, value, leg] = data.subarray(row * width, row * width + 4);
    paid += leg;
    if (state !== told) continue;
    best = best === null ? value : minimize ? Math.min(best, value) : Math.max(best, value);
    rows.push([row, paid, value, best]);
  }
  return rows;
}

function Curve({ by, card, rows }) {
  const box = useRef(null);
  const dark = useSignal(shade);
  const { unit } = card.status;
  const across = t(`by ${by} long`, { unit: unit ? ` [${unit}]` : "" });
  useEffect(() => {
    const look = axisLook();
    const options = {
      ...sizeOf(box.current),
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false } },
      scales: { x: { time: false } },
      axes: [
        { ...look, label: across, labelFont: look.font, values: (_, found) => found.map(by === "trial" ? whole : amount) },
        { ...look, size: 62, values: (_, found) => found.map(result) },
      ],
      series: [
        {},
        { stroke: colour("muted"), paths: () => null, points: { show: true, size: 7, fill: colour("muted") } },
        {
          stroke: colour("accent"),
          width: 2,
          points: { show: false },
          paths: globalThis.uPlot.paths.stepped({ align: 1 }),
        },
      ],
    };
    const at = by === "trial" ? 0 : 1;
    const data = [rows.map((row) => row[at]), rows.map((row) => row[2]), rows.map((row) => row[3])];
    const plot = new globalThis.uPlot(options, data, box.current);
    const watcher = new ResizeObserver(() => plot.setSize(sizeOf(box.current)));
    watcher.observe(box.current);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [by, rows.length, card.version, dark, across]);
  return html`<div class="found" ref=${box} role="img" aria-label=${t("found says", { count: rows.length, best: result(rows.at(-1)?.[3]) })} />
    <p class="muted small">${t("about found")}</p>`;
}
