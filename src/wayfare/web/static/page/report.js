// What it adds up to: the best place, what is still to be gained, which axes matter, drift, and what the way cost.

import { html, useState } from "./preact.js";
import { report, studyPath } from "./api.js";
import { Why, limitInWords } from "./card.js";
import { t } from "./messages.js";
import { amount, cost, percent, result, rough, setting } from "./numbers.js";
import { Loaded, Notice, useLoaded } from "./parts.js";
import { Found } from "./progress.js";

export function Report(all) {
  const { card } = all;
  const results = card.status.told + card.status.prior;
  return html`<div class="page report">
    <h2 class="unseen">${t("tab report")}</h2>
    <div class="column">
      ${results === 0 && html`<div class="panel empty"><p>${t("no results")}</p></div>`}
      ${results > 0 && html`<${BestPlace} ...${all} />`}
      ${results > 0 && html`<${Found} ...${all} />`}
      ${results > 0 && html`<${Gain} ...${all} />`}
    </div>
    <div class="column">
      <${Spent} ...${all} />
      ${results > 1 && html`<${Importance} ...${all} />`}
      <${WhyNext} ...${all} />
      <${Drift} ...${all} />
      <${Kept} ...${all} />
    </div>
  </div>`;
}

/** A part of the report that is fetched again whenever something happened. */
function Part({ title, name, card, path, children }) {
  const { value, problem } = useLoaded(() => report(studyPath(name, path)), [name, path, card.version]);
  return html`<section class="panel"><h2>${title}</h2>
    <${Loaded} problem=${problem} value=${value}>${children}<//></section>`;
}

function Place({ axes, params }) {
  return html`<dl class="settings compact">${axes.map((axis) => html`<div><dt>${axis.name}</dt><dd><span
    class="set">${setting(axis, params[axis.name])}</span></dd></div>`)}</dl>`;
}

function BestPlace({ name, card, ground }) {
  return html`<${Part} title=${t("best place")} name=${name} card=${card} path="/best">${(best) => html`
    <p class="headline">${rough(best.mean)} <span class="muted">± ${rough(best.sd)}</span></p>
    <p class="muted">${t("by the mean", { number: best.number })}${best.compliance === null ? "" : ` · ${t("keeps limits", { share: percent(best.compliance) })}`}</p>
    <${Place} axes=${ground.axes} params=${best.params} />
    <h3>${t("best single")}</h3>
    <p><strong>${result(best.observed.value)}</strong> <span
      class="muted">${t("trial", { number: best.observed.number })}${best.observed.count > 1 ? `, ${t("mean of", { count: best.observed.count })}` : ""}</span></p>
    ${best.observed.number !== best.number && html`<${Place} axes=${ground.axes} params=${best.observed.params} />`}`}
  <//>`;
}

function Gain({ name, card }) {
  if (card.status.told + card.status.prior < 3) return null;
  return html`<${Part} title=${t("still to gain")} name=${name} card=${card} path="/progress">${(progress) => html`
    <p class="headline">${rough(progress.gain)} <span class="muted">${t("plausible gain")}</span></p>
    <dl class="pairs">
      <div><dt>${t("best is found")}</dt><dd>${percent(progress.found)}</dd></div>
      <div><dt>${t("repeated lately")}</dt>
        <dd>${t("of visits", { repeats: progress.repeats, lately: progress.lately })}</dd></div>
      ${progress.leg !== null && html`<div><dt>${t("a leg")}</dt><dd>${cost(progress.leg, progress.unit)}</dd></div>`}
    </dl>
    <h3>${t("would gain")}</h3>
    <dl class="figures-line">${[1, 5, 10, 20]
      .filter((more) => more <= progress.buys.length)
      .map(
        (more) => html`<div>
      <dt>${t("more trials", { count: more })}</dt><dd>${rough(progress.buys[more - 1])}</dd></div>`,
      )}</dl>`}
  <//>`;
}

function Spent({ name, card }) {
  return html`<${Part} title=${t("ledger")} name=${name} card=${card} path="/ledger">${(ledger) => {
    const rows = [
      ["paid", ledger.paid],
      ["predicted", ledger.predicted],
      ["unordered", ledger.unordered],
      ["ordered", ledger.ordered],
    ];
    const longest = Math.max(...rows.map(([, value]) => value ?? 0), 1e-300);
    return html`
      <p class="headline">${cost(ledger.paid, ledger.unit)} <span
        class="muted">${t("for visits", { visits: ledger.visits, routes: ledger.plans })}</span></p>
      <dl class="bars">${rows.map(
        ([key, value]) => html`<div><dt>${t(`ledger ${key}`)}</dt><dd>
        <span class="bar"><span class=${`part ${key === "paid" ? "paid" : "leg"}`}
          style=${{ width: `${(100 * (value ?? 0)) / longest}%` }} /></span><span class="figures">${cost(value, ledger.unit)}</span></dd></div>`,
      )}</dl>
      <p>${t(ledger.saved >= 0 ? "saved" : "not saved", { cost: cost(Math.abs(ledger.saved), ledger.unit) })}</p>
      ${ledger.trips !== null && html`<p class="muted">${t("trips", { count: ledger.trips })}</p>`}
      ${ledger.dwell > 0 && html`<p class="muted">${t("dwell", { cost: cost(ledger.dwell, ledger.unit) })}</p>`}
      ${ledger.learned && html`<p
        class="muted">${t("learned", { scale: rough(ledger.learned.scale), offset: rough(ledger.learned.offset), legs: ledger.learned.legs })}</p>`}
      ${ledger.also.map((account) => html`<p
        class="muted">${account.remark || t("also paid", { cost: cost(account.paid, account.unit), saved: amount(account.saved) })}</p>`)}`;
  }}<//>`;
}

function Importance({ name, card }) {
  return html`<${Part} title=${t("importance")} name=${name} card=${card} path="/importance">${({ axes }) => html`
    <dl class="bars">${axes.map(
      (axis) => html`<div><dt>${axis.name}</dt><dd>
      <span class="bar"><span class="part leg" style=${{ width: `${100 * axis.share}%` }} /></span><span
        class="figures">${percent(axis.share)}</span></dd></div>`,
    )}</dl>
    <p class="muted small">${t("about importance")}</p>`}
  <//>`;
}

function WhyNext({ name, card, ground }) {
  const [isOpen, setOpen] = useState(false);
  const number = card.open[0]?.trial.number ?? (card.status.visits > 0 ? "" : null);
  if (number === null) return null;
  return html`<section class="panel"><h2>${t("why this")}</h2>
    ${
      isOpen
        ? html`<${Why} name=${name} number=${number} ground=${ground} />`
        : html`<button type="button"
          onClick=${() => setOpen(true)}>${number === "" ? t("why the last") : t("why trial", { number })}</button>`
    }</section>`;
}

function Drift({ name, card }) {
  return html`<${Part} title=${t("drift")} name=${name} card=${card} path="/drift">${(drift) => html`
    ${drift.found && html`<${Notice} kind="warning">${t("drift found")}<//>`}
    ${
      drift.slope === null
        ? html`<p class="muted">${t("drift unknown", { repeats: drift.repeats, count: drift.missing })}</p>
          <p class="muted small">${t("about drift")}</p>`
        : html`<p>${t("drift is", { slope: `${rough(drift.slope)} ± ${rough(drift.error)}`, change: rough(drift.change), count: drift.repeats })}</p>
          <p class="muted">${t(drift.found ? "drift certain" : "drift in doubt", { p: rough(drift.p) })}</p>`
    }`}
  <//>`;
}

function Kept({ card }) {
  if (!card.status.measured.length) return null;
  return html`<section class="panel"><h2>${t("limits measured")}</h2>
    <dl class="pairs">${card.status.measured.map((one) => html`<div><dt>${`${one.name} ${limitInWords(one)} ${one.unit}`.trim()}</dt>
      <dd>${t("kept broken", one)}</dd></div>`)}</dl></section>`;
}
