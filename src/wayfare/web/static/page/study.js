// A study: one answer of the server holds what the screens need, and is fetched again whenever something happened.

import { html, useCallback, useEffect, useRef, useState } from "./preact.js";
import { get, studyPath } from "./api.js";
import { NextStop } from "./card.js";
import { History } from "./history.js";
import { listen } from "./live.js";
import { Map } from "./map.js";
import { t } from "./messages.js";
import { cost, result } from "./numbers.js";
import { flush, outbox } from "./outbox.js";
import { Bar, LimitBar, Loaded, Notice, inWords, say, useLoaded, wide } from "./parts.js";
import { Report } from "./report.js";
import { Results } from "./results.js";
import { Route } from "./route.js";
import { useSignal } from "./signal.js";
import { lastInWords, studyLink } from "./studies.js";
import { Tools } from "./tools.js";

const own = new Set(); // requests of this page, whose news need not be told

/** Say what became of an outcome that was sent. */
export function sentNews(entry, made, problem) {
  own.add(entry.request);
  if (problem) return say(`${entry.study}: ${problem.message}`, "problem");
  const value = made.trial?.value;
  const shown = value === null || value === undefined ? "" : `: ${result(value)}`;
  say(`${t("trial", { number: made.trial?.label || entry.number })} ${t(`did ${entry.move}`)}${shown}`);
  for (const note of made.notes ?? []) say(note);
  return undefined;
}

/** Fetch the card of a study now and at every event; an older answer never replaces a newer one. */
function useCard(name, who) {
  const [card, setCard] = useState(null);
  const [problem, setProblem] = useState(null);
  const [changes, setChanges] = useState(0);
  const newest = useRef(-1);
  const again = useRef(0);

  const load = useCallback(async () => {
    try {
      const found = await get(studyPath(name));
      setProblem(null);
      if (found.version < newest.current) return;
      newest.current = found.version;
      setCard(found);
    } catch (failed) {
      setProblem(failed);
      clearTimeout(again.current);
      if (failed.mayPass) again.current = setTimeout(load, 3000);
    }
  }, [name]);

  useEffect(() => {
    let close = () => {};
    let timer = 0;
    let isOver = false;
    load().then(() => {
      if (isOver || newest.current < 0) return;
      close = listen(
        () => studyPath(name, `/live?since=${newest.current}`),
        (type, data) => {
          if (type === "gone") return setProblem({ status: 404, message: data.detail });
          if (type === "message" && data.by !== who.user && !own.has(data.request)) say(newsInWords(data), "news");
          if (type === "open") return flush(); // the server is there again; what was missed is sent
          if (type === "message" && data.what === "changed") setChanges((count) => count + 1);
          clearTimeout(timer);
          timer = setTimeout(load, 40); // events of one move come together
          return undefined;
        },
      );
    });
    const seen = () => load();
    outbox.watchers.add(seen);
    return () => {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(again.current);
      outbox.watchers.delete(seen);
      close();
    };
  }, [name, card === null && problem !== null]);
  return { card, problem, load, changes };
}

function newsInWords(data) {
  return `${lastInWords(data)}${data.via === "web" ? "" : ` (${data.via})`}`;
}

/** Return the ground with what the page adds to it: which axes are degrees, and axes by name. */
function surveyed(ground) {
  const degrees = new Set(Object.values(ground.degrees ?? {}));
  const axes = ground.axes.map((axis) => ({ ...axis, degrees: degrees.has(axis.name) }));
  return { ...ground, axes, axis: Object.fromEntries(axes.map((axis) => [axis.name, axis])) };
}

export function Study({ name, tab, who }) {
  const { card, problem, load, changes } = useCard(name, who);
  const ground = useLoaded(() => get(studyPath(name, "/ground")).then(surveyed), [name, changes, card === null]);
  const isWide = useSignal(wide);
  if (problem && (!card || problem.status === 404))
    return html`<div class="page"><${Notice} kind="problem">${inWords(problem)}<//></div>`;
  return html`<${Loaded} problem=${ground.problem} value=${card && ground.value}>
    ${(known) => {
      const all = { name, card, ground: known, who, load, canMove: card.role !== "read" };
      return html`<div class="study">
        <h1 class="unseen">${name}</h1>
        <${Tabs} name=${name} tabs=${isWide ? DESK : PHONE} tab=${shownTab(tab, isWide)} />
        <${Screen} key=${tab} tab=${shownTab(tab, isWide)} all=${all} isWide=${isWide} />
      </div>`;
    }}
  <//>`;
}

const DESK = ["next", "results", "report", "history", "tools"];
const PHONE = ["next", "map", "route", "results", "more"];

function shownTab(tab, isWide) {
  if (isWide) return DESK.includes(tab) ? tab : "next";
  if (["report", "history", "tools"].includes(tab)) return tab;
  return PHONE.includes(tab) ? tab : "next";
}

function Tabs({ name, tabs, tab }) {
  const lit = tabs.includes(tab) ? tab : "more";
  return html`<nav class="tabs" aria-label=${t("screens")}>
    ${tabs.map(
      (one) => html`<a href=${studyLink(name, one)} aria-current=${one === lit ? "page" : undefined}>
      <${Glyph} of=${one} /><span>${t(`tab ${one}`)}</span></a>`,
    )}
  </nav>`;
}

const GLYPHS = {
  next: "M5 12h13M12 5l7 7-7 7",
  map: "M9 4 3 6.5v13L9 17l6 2.5 6-2.5v-13L15 6.5 9 4zM9 4v13M15 6.500v13",
  route: "M6 19a2 2 0 1 0 0-.01M18 7a2 2 0 1 0 0-.01M8 19h7a3.5 3.5 0 0 0 0-7H9a3.5 3.5 0 0 1 0-7h6",
  results: "M4 6h16M4 12h16M4 18h10",
  report: "M5 20V11M12 20V4M19 20v-6",
  history: "M12 7v5l3.5 2M12 21a9 9 0 1 0-8-5M4 20v-4h4",
  tools: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  more: "M5 12h.01M12 12h.01M19 12h.01",
};

function Glyph({ of }) {
  return html`<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d=${GLYPHS[of]} /></svg>`;
}

function Screen({ tab, all, isWide }) {
  if (tab === "results") return html`<${Results} ...${all} />`;
  if (tab === "report") return html`<${Report} ...${all} />`;
  if (tab === "history") return html`<${History} ...${all} />`;
  if (tab === "tools") return html`<${Tools} ...${all} />`;
  if (tab === "map") return html`<div class="page"><${Map} ...${all} /></div>`;
  if (tab === "route") return html`<div class="page"><${Route} ...${all} /></div>`;
  if (tab === "more") return html`<${More} name=${all.name} />`;
  if (!isWide) return html`<div class="page"><${NextStop} ...${all} /><${Standing} ...${all} /></div>`;
  return html`<div class="desk">
    <${Standing} ...${all} />
    <div class="desk-left"><${NextStop} ...${all} /></div>
    <div class="desk-right"><${Map} ...${all} /><${Route} ...${all} /></div>
  </div>`;
}

function More({ name }) {
  return html`<ul class="page more">${["report", "history", "tools"].map(
    (one) => html`
    <li><a class="panel" href=${studyLink(name, one)}><${Glyph} of=${one} /><span><strong>${t(`tab ${one}`)}</strong>
      <br />
      <span class="muted">${t(`about ${one}`)}</span></span></a></li>`,
  )}</ul>`;
}

/** Where the study stands: told and left, best, paid, what is left of the limits. */
function Standing({ card, name }) {
  const { status, spec, paid, last } = card;
  const { told, trials, left, out, failed, skipped, best, unit } = status;
  const ahead = status.ahead_cost;
  const { drift, home } = status;
  return html`<section class="panel standing" aria-label=${t("standing")}>
    <dl class="figures-line">
      <div><dt>${t("best")}</dt>
        <dd>${best ? html`<a href=${studyLink(name, "report")}>${result(best.value)}</a>` : "–"}</dd></div>
      <div><dt>${t("paid")}</dt><dd>${cost(paid, unit)}</dd></div>
      <div><dt>${t("left")}</dt><dd>${left}</dd></div>
      ${home !== null && home !== undefined && html`<div><dt>${t("home")}</dt><dd><a
        href=${studyLink(name, "tools")}>${cost(home, unit)}</a></dd></div>`}
    </dl>
    <${Bar} label=${t("told")} parts=${[
      ["paid", told / trials],
      ["failed", failed / trials],
      ["ahead", out / trials],
    ]}
      text=${html`<span>${t("told of", { told, trials })}</span><span class="figures">${[
        failed ? t("count failed", { count: failed }) : "",
        skipped ? t("count skipped", { count: skipped }) : "",
        out ? t("count out", { count: out }) : "",
      ]
        .filter(Boolean)
        .join(" · ")}</span>`} />
    ${status.budget !== null && html`<${LimitBar} label=${t("budget")} whole=${status.budget} left=${status.budget_left}
      ahead=${ahead} unit=${unit} />`}
    ${status.trip_left !== null && html`<${LimitBar} label=${t(spec.day === null ? "trip" : "day")}
      whole=${spec.trip ?? spec.day} left=${status.trip_left} unit=${unit} />`}
    ${drift.found && html`<${Notice} kind="warning">${t("drift found")} <a
      href=${studyLink(name, "report")}>${t("tab report")}</a><//>`}
    ${last && html`<p class="muted last">${lastInWords(last)}</p>`}
  </section>`;
}
