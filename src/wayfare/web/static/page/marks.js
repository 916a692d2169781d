// All that is drawn in lines over a plane: axes, visits, the route ahead, home, where the traveller is, the best.

import { html } from "./preact.js";
import { t } from "./messages.js";
import { result } from "./numbers.js";
import { straight } from "./scales.js";

/** Return a place's point; visits to one value of a choice are spread over its band, in their order. */
function pointOf(scales, place, share = 0, other = 0) {
  const spread = [share, other];
  return [scales.x, scales.y].map((scale) =>
    scale.pointAt(
      straight(scale.axis, place(scale.axis.name)) + (scale.axis.kind === "choice" ? 0.3 * spread.shift() : 0),
    ),
  );
}

/** All of them; a choice spreads its visits over a band. */
export function Marks({ card, ground, visits, scales, size, picked }) {
  const [width, height] = size;
  const { x, y } = scales;
  const params = (place) => (axis) => place[axis];
  const isSpread = [x.axis, y.axis].some((axis) => axis.kind === "choice");
  const shared = (index, count) =>
    isSpread && count > 1 ? [(2 * index) / (count - 1) - 1, 2 * ((0.5 + index * 0.6180339887) % 1) - 1] : [0, 0];
  const gone = visits.filter((visit) => visit.state !== "skipped" && visit.state !== "asked");
  const points = gone.map((visit, index) => pointOf(scales, visit.at, ...shared(index, gone.length)));
  // With a trial out, the traveller is on the way: from where the first one began.
  const here = card.open.length ? card.open[0].before : card.status.position;
  const start = here ? (points.at(-1) && isSpread ? points.at(-1) : pointOf(scales, params(here))) : null;
  const out = card.open.map(({ trial }) => pointOf(scales, params(trial.params)));
  const ahead = card.route.map((stop) => pointOf(scales, params(stop.params)));
  const home = ground.home && pointOf(scales, params(ground.home));
  const way = routeLine(
    [start, ...out],
    card.open.map(({ trial }) => trial.home_first),
    home,
  );
  const rest = routeLine(
    [out.at(-1) ?? start, ...ahead],
    card.route.map((stop) => stop.home_first),
    home,
  );
  const best =
    card.status.best && !card.status.best.prior
      ? points[gone.findIndex((visit) => visit.number === card.status.best.number)]
      : null;
  const latest = Math.max(0, points.length - 400); // a longer line says nothing
  const clip = [x.begin, y.end, x.end - x.begin, y.begin - y.end];
  const shown = [clip[0] - 12, clip[1] - 12, clip[2] + 24, clip[3] + 24]; // marks at an edge are seen whole
  return html`<svg class="marks" width=${width} height=${height} role="img"
    aria-label=${t("map says", { visits: gone.length, ahead: card.status.ahead })}>
    <clipPath id="plane-clip"><rect x=${shown[0]} y=${shown[1]} width=${shown[2]} height=${shown[3]} /></clipPath>
    <rect class="frame" x=${clip[0]} y=${clip[1]} width=${clip[2]} height=${clip[3]} />
    ${x.ticks().map(
      ([
        at,
        text,
      ]) => html`<g class="tick"><line x1=${x.pointAt(at)} x2=${x.pointAt(at)} y1=${y.begin} y2=${y.begin + 4} />
      <text x=${x.pointAt(at)} y=${y.begin + 16} text-anchor="middle">${text}</text></g>`,
    )}
    ${y.ticks().map(
      ([
        at,
        text,
      ]) => html`<g class="tick"><line x1=${x.begin - 4} x2=${x.begin} y1=${y.pointAt(at)} y2=${y.pointAt(at)} />
      <text x=${x.begin - 8} y=${y.pointAt(at) + 4} text-anchor="end">${short(text)}</text></g>`,
    )}
    <text class="axis-name" x=${(x.begin + x.end) / 2} y=${height - 6} text-anchor="middle">${named(x.axis)}</text>
    <text class="axis-name" transform=${`translate(12 ${(y.begin + y.end) / 2}) rotate(-90)`}
      text-anchor="middle">${named(y.axis)}</text>
    <g clip-path="url(#plane-clip)">
      ${points.length > 1 && html`<path class="travelled" d=${line(points.slice(latest))} />`}
      ${rest && html`<path class="ahead-halo" d=${rest} /><path class="ahead" d=${rest} />`}
      ${way && html`<path class="ahead-halo" d=${way} /><path class="way" d=${way} />`}
      ${gone.map((visit, index) => visitMark(visit, points[index], index >= gone.length - 60))}
      ${ahead.slice(0, 30).map(([px, py], index) => html`<g class="stop-mark" key=${`a${index}`}><circle cx=${px}
        cy=${py} r="8.5" /><text x=${px} y=${py + 3.5} text-anchor="middle">${index + 1}</text></g>`)}
      ${home && html`<g class="home-mark"><circle cx=${home[0]} cy=${home[1]} r="10" /><path
        transform=${`translate(${home[0] - 7} ${home[1] - 7.5}) scale(0.58)`} d="M4 11.5 12 5l8 6.500M6.5 10v9h11v-9" /><title>${t("home place")}</title></g>`}
      ${best && html`<path class="best-mark" transform=${`translate(${best[0]} ${best[1]})`}
        d="M0-10 2.6-3.4 9.7-3 4.1 1.4 6 8.3 0 4.4-6 8.3-4.1 1.4-9.7-3-2.6-3.400z"><title>${t("best")}: ${result(card.status.best.value)}</title></path>`}
      ${out.map(([px, py], index) => html`<g class="out-mark" key=${`o${index}`}><circle class="pulse" cx=${px} cy=${py}
        r="13" /><circle cx=${px} cy=${py} r="10" /><text x=${px} y=${py + 3.5} text-anchor="middle">${card.open[index].trial.number}</text></g>`)}
      ${start && html`<path class="here-mark" transform=${`translate(${start[0]} ${start[1]})`}
        d="M0-6.500A6.5 6.5 0 1 1 0 6.500A6.5 6.5 0 1 1 0-6.500zM0-2.500A2.5 2.5 0 1 0 0 2.500A2.5 2.5 0 1 0 0-2.500z"><title>${t("you are here")}</title></path>`}
      ${picked && x.axis.name in picked && html`<path class="picked-mark"
        d=${cross(pointOf(scales, params(picked)))} />`}
    </g>
  </svg>`;
}

function visitMark(visit, [px, py], isLate) {
  const said = `${t("trial", { number: visit.number })}: ${visit.state === "failed" ? t("did fail") : result(visit.value)}`;
  if (visit.state === "failed")
    return html`<path key=${visit.number} class="failed-mark" d=${cross([px, py], 4.5)}><title>${said}</title></path>`;
  return html`<circle key=${visit.number} class=${`visit-mark ${isLate ? "" : "old"}`} cx=${px} cy=${py}
    r=${isLate ? 4.5 : 3}><title>${said}</title></circle>`;
}

const short = (text) => (text.length > 7 ? `${text.slice(0, 6)}…` : text);
const named = (axis) => (axis.unit ? `${axis.name} [${axis.unit}]` : axis.name);
const line = (points) =>
  points.map(([px, py], index) => `${index ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
const cross = ([px, py], by = 8) =>
  `M${px - by} ${py - by}L${px + by} ${py + by}M${px - by} ${py + by}L${px + by} ${py - by}`;

/** Return the line through the stops, by way of home where they say so; "" where there is none. */
function routeLine(points, homeFirst, home) {
  const known = points.map((point, index) => [point, index > 0 && homeFirst[index - 1]]).filter(([point]) => point);
  if (known.length < 2) return "";
  return line(known.flatMap(([point, viaHome]) => (viaHome && home ? [home, point] : [point])));
}
