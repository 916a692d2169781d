// The route ahead: the stops in order, what changes at each, what they add up to and what they leave of the limits.

import { html, useState } from "./preact.js";
import { get, studyPath } from "./api.js";
import { Home } from "./card.js";
import { t } from "./messages.js";
import { cost, costs, plainSetting, rough, setting } from "./numbers.js";
import { Loaded, Notice, useLoaded } from "./parts.js";

const SOME = 50; // stops that come with the card

export function Route({ name, card, ground }) {
  const [wanted, setWanted] = useState(SOME);
  const more = useLoaded(
    () => (wanted > SOME ? get(studyPath(name, `/route?limit=${wanted}`)) : Promise.resolve({ stops: card.route })),
    [name, wanted, card],
  );
  const { status, spec, remarks, said } = card;
  const stops = (wanted > SOME ? more.value?.stops : null) ?? card.route;
  return html`<section class="panel route" aria-labelledby="route-title">
    <div class="title-line">
      <h2 id="route-title">${t("route ahead")}</h2>
      ${status.ahead > 0 && html`<p
        class="muted">${t("stops", { count: status.ahead })} · ${cost(status.ahead_cost, status.unit)}${status.ahead_expected === null ? "" : ` · ${t("expected", { cost: rough(status.ahead_expected) })}`}</p>`}
    </div>
    ${remarks.map((remark) => html`<${Notice} kind="warning">${remark}<//>`)}
    ${
      stops.length === 0
        ? html`<p class="muted">${card.over || said.route || t("no route")}</p>`
        : html`<ol class="stops">${stops.map((stop) => html`<${Stop} key=${stop.ahead} stop=${stop} axes=${ground.axes}
          spec=${spec} longest=${Math.max(...stops.map((one) => one.leg))} />`)}</ol>`
    }
    <${Loaded} problem=${more.problem} value=${more.value}>${() => null}<//>
    ${status.ahead > stops.length && html`<button type="button"
      onClick=${() => setWanted(wanted + 200)}>${t("more stops", { count: status.ahead - stops.length })}</button>`}
  </section>`;
}

function Stop({ stop, axes, spec, longest }) {
  const { before, params, unit } = stop;
  const out = spec.trip ?? spec.day;
  const changed = axes.filter((axis) => !before || before[axis.name] !== params[axis.name]);
  const share = (part, whole) => `${100 * Math.min(1, Math.max(0, part / whole))}%`;
  return html`<li class=${stop.within_reach ? "" : "beyond"}>
    <span class="stop-number" aria-label=${t("stop", { number: stop.ahead })}>${stop.ahead}</span>
    <div class="stop-what">
      ${stop.home_first && html`<p class="home-first small"><${Home} />${t("home first")}</p>`}
      <p>${changed.length === 0 ? t("all stays") : changed.map((axis) => html`<span
        class="stop-change">${axis.name} ${before ? html`<span
          class="from">${plainSetting(axis, before[axis.name])}</span> → ` : ""}<strong>${setting(axis, params[axis.name])}</strong></span>`)}
        ${stop.count > 1 && html`<span class="muted">${t("take results", { count: stop.count })}</span>`}</p>
      <div class="stop-bars">
        <div class="bar thin" role="img" aria-label=${`${t("leg")} ${cost(stop.leg, unit)}`}><span class="part leg"
          style=${{ width: share(stop.leg, longest || 1) }} /></div>
        ${stop.left !== null && spec.budget ? html`<div class="bar thin" role="img"
          aria-label=${t("left then", { what: t("budget"), cost: cost(stop.left, unit) })}><span class="part rest" style=${{ width: share(stop.left, spec.budget) }} /></div>` : null}
        ${stop.trip_left !== null && out ? html`<div class="bar thin" role="img"
          aria-label=${t("left then", { what: t(spec.day ? "day" : "trip"), cost: cost(stop.trip_left, unit) })}><span class="part trip" style=${{ width: share(stop.trip_left, out) }} /></div>` : null}
      </div>
      ${!stop.within_reach && html`<p class="muted small">${t("beyond reach")}</p>`}
    </div>
    <div class="stop-cost"><strong>${costs(stop.leg, unit, stop.also)}</strong>
      <span class="muted">${t("total", { cost: cost(stop.total, unit) })}</span>
      ${stop.left !== null && html`<span class="muted">${t("trials left", { left: cost(stop.left, unit) })}</span>`}</div>
  </li>`;
}
