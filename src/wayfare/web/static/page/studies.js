// All studies of the store: what each looks for, how far it is, what it found and what it paid.

import { html, useEffect, useState } from "./preact.js";
import { get } from "./api.js";
import { listen } from "./live.js";
import { t } from "./messages.js";
import { cost, result } from "./numbers.js";
import { Bar, LimitBar, Loaded, Notice, time, useLoaded } from "./parts.js";

/** Return the address of a study's screen. */
export function studyLink(name, tab = "") {
  return `#/study/${encodeURIComponent(name)}${tab && `/${tab}`}`;
}

export function Studies({ who }) {
  const [all, setAll] = useState(false);
  const [news, setNews] = useState(0);
  useEffect(
    () =>
      listen(
        () => "/api/v1/live",
        (type) => ["studies", "signout"].includes(type) && setNews((count) => count + 1),
      ),
    [],
  );
  const { value, problem } = useLoaded(() => get(`/api/v1/studies?all=${all}`), [all, news]);
  return html`<div class="page">
    <div class="title-line">
      <h1>${t("studies")}</h1>
      ${who.role === "own" && html`<a class="button main" href="#/new">${t("new study")}</a>`}
    </div>
    ${problem && value && html`<${Notice} kind="problem">${t("no answer")}<//>`}
    <${Loaded} problem=${problem} value=${value}>
      ${({ studies }) => html`
        ${studies.length === 0 && html`<div class="panel empty"><p>${t("no studies")}</p></div>`}
        <ul class="studies">${[...studies].sort(latest).map((study) => html`<${Line} key=${study.name}
          study=${study} />`)}</ul>
        <label class="pick"><input type="checkbox" checked=${all}
          onChange=${(event) => setAll(event.target.checked)} />${t("show archived")}</label>`}
    <//>
  </div>`;
}

const latest = (one, other) => (other.last?.at ?? "").localeCompare(one.last?.at ?? "");

function Line({ study }) {
  if (study.error) {
    return html`<li class="panel study-line"><h2>${study.name}</h2><${Notice} kind="problem">${study.error}<//></li>`;
  }
  const { told, trials, left, out, last, unit } = study;
  return html`<li class=${`panel study-line ${study.archived ? "archived" : ""}`}>
    <div class="study-name">
      <h2><a href=${studyLink(study.name)}>${study.name}</a></h2>
      <p class="muted">${t(study.direction)} · ${study.method}${study.archived ? ` · ${t("archived")}` : ""}</p>
    </div>
    <dl class="figures-line">
      <div><dt>${t("best")}</dt><dd>${result(study.best)}</dd></div>
      <div><dt>${t("paid")}</dt><dd>${cost(study.paid ?? 0, unit)}</dd></div>
    </dl>
    <div class="study-bars">
      <${Bar} label=${t("told")} parts=${[
        ["paid", told / trials],
        ["ahead", out / trials],
      ]}
        text=${html`<span>${t("told of", { told, trials })}</span><span
          class="figures">${t("trials left", { left })}</span>`} />
      ${study.budget !== null && html`<${LimitBar} label=${t("budget")} whole=${study.budget} left=${study.budget_left}
        unit=${unit} />`}
    </div>
    <p class="muted last">${last ? lastInWords(last) : t("nothing yet")}</p>
  </li>`;
}

/** Return what happened last, when and by whom. */
export function lastInWords(last) {
  const what = t(`did ${last.what}`);
  const trial = last.trial === null || last.trial === undefined ? "" : `${t("trial", { number: last.trial })} `;
  return [`${trial}${what}`, last.by, time(last.at)].filter(Boolean).join(" · ");
}
