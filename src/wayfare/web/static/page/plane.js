// Two axes: what is believed as colours, and the journey over it.
//
// Two layers: a canvas has the surface, the ground that cannot be passed and what is forbidden; an SVG above it has the visits,
// the route and the marks. Zooming changes the scales, and both are drawn again.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./preact.js";
import { ramp } from "./colours.js";
import { drawCells, drawForbidden, drawGround, drawPlaces, drawSurface, gridOf } from "./ground.js";
import { colour, shade } from "./looks.js";
import { Marks } from "./marks.js";
import { t } from "./messages.js";
import { amount, ticks } from "./numbers.js";
import { makeScale, span, valueAt } from "./scales.js";
import { useSignal } from "./signal.js";

const EDGE = { left: 62, right: 14, top: 12, bottom: 40 };

/** Two axes. */
export function Plane(props) {
  const { card, ground, x, y, believed, layer, obstacles, through, isTable, setPicked } = props;
  const hasResults = card.status.told + card.status.prior > 0;
  const box = useRef(null);
  const canvas = useRef(null);
  const [size, setSize] = useState([0, 0]);
  const [view, setView] = useState(null); // [[from, to], [from, to]] once zoomed
  const dark = useSignal(shade);
  useLayoutEffect(() => {
    const measure = () => setSize([box.current.clientWidth, box.current.clientHeight]);
    const watcher = new ResizeObserver(measure);
    watcher.observe(box.current);
    measure();
    return () => watcher.disconnect();
  }, []);
  const [width, height] = size;
  const scales = useMemo(
    () => width > 0 && fitted(ground, x, y, isTable, view, width, height),
    [ground, x, y, view, width, height],
  );

  useEffect(() => {
    if (!scales) return;
    const density = Math.min(2, devicePixelRatio || 1);
    const [one, ink] = [canvas.current, canvas.current.getContext("2d")];
    one.width = Math.round(width * density);
    one.height = Math.round(height * density);
    ink.setTransform(density, 0, 0, density, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.save();
    ink.beginPath();
    ink.rect(scales.x.begin, scales.y.end, scales.x.end - scales.x.begin, scales.y.begin - scales.y.end);
    ink.clip();
    if (believed && !isTable) drawSurface(ink, scales, believed, layer, card.spec.direction === "minimize");
    const cells = isTable && believed ? gridOf(ground, x, y) : null;
    if (cells) drawCells(ink, scales, ground, believed, layer, cells, card.spec.direction === "minimize");
    drawGround(ink, scales, obstacles, colour("land"));
    drawForbidden(ink, scales, ground, through, { line: colour("hatch"), fill: colour("hatch-ground") });
    ink.restore();
    if (isTable && !gridOf(ground, x, y))
      drawPlaces(ink, scales, ground, believed, layer, card.spec.direction === "minimize", colour("muted"));
  }, [scales, believed, layer, obstacles, dark, through]);

  const move = useGestures(box, scales, view, setView, (px, py) => {
    const chosen = { ...through, [x.name]: valueAt(x, scales.x.back(px)), [y.name]: valueAt(y, scales.y.back(py)) };
    setPicked(isTable ? nearestRow(ground, scales, px, py) : chosen);
  });
  return html`<div class="plane">
    <div class="plane-box" ref=${box} tabindex="0" role="application"
      aria-label=${t("map keys", { x: x.name, y: y.name })} onKeyDown=${move.key}>
      <canvas ref=${canvas} aria-hidden="true" />
      ${scales && html`<${Marks} ...${props} scales=${scales} size=${size} />`}
      ${!believed && html`<p
        class=${`plane-empty muted ${hasResults ? "wait" : ""}`}>${t(hasResults ? "loading" : "nothing believed")}</p>`}
    </div>
    <div class="plane-foot">
      ${believed ? html`<${Legend} believed=${believed} layer=${layer}
        flip=${card.spec.direction === "minimize"} />` : html`<span />`}
      <div class="zoom" role="group" aria-label=${t("zoom")}>
      <button type="button" aria-label=${t("zoom in")} onClick=${() => move.zoom(1.6)}>+</button>
      <button type="button" aria-label=${t("zoom out")} onClick=${() => move.zoom(1 / 1.6)}>−</button>
      <button type="button" aria-label=${t("zoom all")} onClick=${() => setView(null)}
        aria-disabled=${view ? undefined : "true"}>⤢</button>
      </div>
    </div>
  </div>`;
}

/** Return the scales of both axes; on a map a kilometre is as long up as across. */
function fitted(ground, x, y, isTable, view, width, height) {
  let [across, up] = view ?? [span(x, isTable), span(y, isTable)];
  const [left, right, top, bottom] = [EDGE.left, width - EDGE.right, EDGE.top, height - EDGE.bottom];
  const { terrain } = ground;
  if (terrain && [x.name, y.name].sort().join() === [terrain.x, terrain.y].sort().join()) {
    const tall = x.name === terrain.x ? terrain.tall : 1 / terrain.tall;
    // So many units of x as the picture is wide, if it were as high as those of y.
    const wanted = ((up[1] - up[0]) * tall * (right - left)) / (bottom - top);
    const have = across[1] - across[0];
    if (wanted > have) across = [across[0] - (wanted - have) / 2, across[1] + (wanted - have) / 2];
    else {
      const more = (have / wanted - 1) * (up[1] - up[0]);
      up = [up[0] - more / 2, up[1] + more / 2];
    }
  }
  return { x: makeScale(x, ...across, left, right), y: makeScale(y, ...up, bottom, top) };
}

/** Dragging, the wheel, two fingers, keys; a tap picks a place. */
function useGestures(box, scales, view, setView, pick) {
  const now = useRef({});
  now.current = { scales, pick };
  const shifted = (scale, by) => [scale.back(scale.begin - by), scale.back(scale.end - by)];
  const zoomed = (scale, factor, around) => {
    const middle = around === undefined ? (scale.from + scale.to) / 2 : scale.back(around);
    return [middle - (middle - scale.from) / factor, middle + (scale.to - middle) / factor];
  };
  const zoom = (factor, px, py) => {
    const { scales: here } = now.current;
    setView([zoomed(here.x, factor, px), zoomed(here.y, factor, py)]);
  };
  const pan = (dx, dy) => {
    const { scales: here } = now.current;
    setView([shifted(here.x, dx), shifted(here.y, dy)]);
  };
  useEffect(() => {
    const target = box.current;
    const fingers = new Map();
    let moved = 0;
    let apart = 0;
    const where = (event) => {
      const edge = target.getBoundingClientRect();
      return [event.clientX - edge.left, event.clientY - edge.top];
    };
    const down = (event) => {
      if (event.button > 0) return;
      target.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, where(event));
      if (fingers.size === 1) moved = 0;
      apart = 0;
    };
    const drag = (event) => {
      const before = fingers.get(event.pointerId);
      if (!before || !now.current.scales) return;
      const here = where(event);
      fingers.set(event.pointerId, here);
      if (fingers.size === 2) {
        const [one, other] = [...fingers.values()];
        const gap = Math.hypot(one[0] - other[0], one[1] - other[1]);
        if (apart > 0 && gap > 0) zoom(gap / apart, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
        apart = gap;
        moved = 99;
        return;
      }
      moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
      if (moved > 5) pan(here[0] - before[0], here[1] - before[1]);
    };
    const up = (event) => {
      if (fingers.delete(event.pointerId) && event.type === "pointerup" && moved <= 5)
        now.current.pick(...where(event));
      apart = 0;
    };
    const wheel = (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.0016), ...where(event));
    };
    target.addEventListener("pointerdown", down);
    target.addEventListener("pointermove", drag);
    target.addEventListener("pointerup", up);
    target.addEventListener("pointercancel", up);
    target.addEventListener("wheel", wheel, { passive: false });
    return () => {
      for (const [type, act] of [
        ["pointerdown", down],
        ["pointermove", drag],
        ["pointerup", up],
        ["pointercancel", up],
        ["wheel", wheel],
      ])
        target.removeEventListener(type, act);
    };
  }, []);
  const key = (event) => {
    const step = 40;
    const keys = {
      ArrowLeft: () => pan(step, 0),
      ArrowRight: () => pan(-step, 0),
      ArrowUp: () => pan(0, step),
      ArrowDown: () => pan(0, -step),
      "+": () => zoom(1.4),
      "=": () => zoom(1.4),
      "-": () => zoom(1 / 1.4),
      0: () => setView(null),
      Enter: () => pick((scales.x.begin + scales.x.end) / 2, (scales.y.begin + scales.y.end) / 2),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  };
  return { zoom, key };
}

function nearestRow(ground, scales, px, py) {
  const far = (row) =>
    Math.hypot(scales.x.point(row[scales.x.axis.name]) - px, scales.y.point(row[scales.y.axis.name]) - py);
  const rows = ground.table.map((values) => Object.fromEntries(ground.axes.map((axis, at) => [axis.name, values[at]])));
  return rows.reduce((best, row) => (best && far(best) <= far(row) ? best : row), null);
}

/** The colours with their values, in a straight line. */
function Legend({ believed, layer, flip }) {
  const canvas = useRef(null);
  const at = believed.head.layers.indexOf(layer);
  const [low, high] = believed.head.range[at];
  useEffect(() => {
    const ink = canvas.current.getContext("2d");
    const image = ink.createImageData(256, 1);
    ramp(layer, flip && layer === "mean").forEach((one, index) => image.data.set([...one, 255], 4 * index));
    ink.putImageData(image, 0, 0);
  }, [layer, flip]);
  const far = (value, end) => Math.abs(value - end) > 0.14 * (high - low); // the ends have their own numbers
  const shown =
    high > low ? [low, ...ticks(low, high, 4).filter((value) => far(value, low) && far(value, high)), high] : [];
  return html`<figure class="legend">
    <figcaption>${t(`layer ${layer} long`)}</figcaption>
    <div class="legend-scale">
      <canvas ref=${canvas} width="256" height="1" aria-hidden="true" />
      <div class="legend-ticks">${shown.map((value) => html`<span
        style=${{ left: `${(100 * (value - low)) / (high - low)}%` }}>${amount(value)}</span>`)}</div>
    </div>
    ${!(high > low) && html`<span class="muted">${t("all alike", { value: amount(low) })}</span>`}
  </figure>`;
}
