// The next stop: what to set, what changes from now, the way there, and the form for what was found.
//
// The form writes outcomes to the outbox, which keeps them until the server has them; so it works without a network.

import { html, useEffect, useRef, useState } from "./preact.js";
import { move, report, requestId, studyPath } from "./api.js";
import { t } from "./messages.js";
import {
  amount,
  costs,
  percent,
  plainSetting,
  readNumber,
  readNumbers,
  readWhole,
  result,
  rough,
  setting,
  typed,
} from "./numbers.js";
import { outbox, put, waiting } from "./outbox.js";
import { Dialog, Doing, Loaded, Notice, NumberField, TextField, fault, inWords, say, useLoaded } from "./parts.js";
import { useSignal } from "./signal.js";

export function NextStop(all) {
  const { name, card } = all;
  const { entries } = useSignal(outbox);
  const [chosen, setChosen] = useState(null);
  const kept = new Map(
    waiting(entries)
      .filter((entry) => entry.study === name)
      .map((entry) => [entry.number, entry]),
  );
  const free = card.open.filter(({ trial }) => !kept.has(trial.number));
  const find = (some) => some.find(({ trial }) => trial.number === chosen) ?? some[0];
  const out = find(free) ?? find(card.open); // what is told and waits gives way to what is not
  return html`<section class="next" aria-label=${t("tab next")}>
    ${
      card.open.length > 1 &&
      html`<div class="chips" role="group" aria-label=${t("trials out")}>
      ${card.open.map(
        ({
          trial,
        }) => html`<button type="button" class="chip" disabled=${kept.has(trial.number) && free.length > 0}
          aria-pressed=${String(trial.number === out.trial.number)}
        onClick=${() => setChosen(trial.number)}>${trial.number}${kept.has(trial.number) ? " ✓" : ""}${trial.worker ? ` · ${trial.worker}` : ""}</button>`,
      )}
    </div>`
    }
    ${out && html`<${Stop} key=${out.trial.number} ...${all} out=${out} entry=${kept.get(out.trial.number)} />`}
    ${(!out || free.length === 0) && html`<${Ask} ...${all} isAfter=${card.open.length > 0} />`}
    ${out && free.length > 0 && all.canMove && !card.over && html`<details class="further">
      <summary>${t("without waiting")}</summary><${Ask} ...${all} isAfter /></details>`}
  </section>`;
}

/** Where no trial is out: ask for the next stop, or for several at once. */
function Ask({ name, card, load, canMove, isAfter }) {
  const [problem, setProblem] = useState(null);
  const [several, setSeveral] = useState("1");
  const [worker, setWorker] = useState("");
  const next = card.route[0];
  const comesHome = card.spec.trip !== null || card.spec.day !== null;
  const ask = (wanted) => async () => {
    setProblem(null);
    try {
      const n = wanted ?? (readWhole(several) || 1);
      // Without waiting for what is out: it is kept here, and on its way.
      const body = { ...(n === "day" || n > 1 ? { n } : {}), ...(worker ? { worker } : {}), ...(isAfter ? { wait: false } : {}) };
      const made = await move(studyPath(name, "/ask"), body);
      for (const note of made.notes ?? []) say(note);
      if (!made.trials.length) say(made.said);
      await load();
    } catch (failed) {
      setProblem(failed);
    }
  };
  if (!canMove) return html`<div class="panel"><p class="muted">${card.over || t("nothing out")}</p></div>`;
  return html`<div class="panel ask">
    ${
      card.over
        ? html`<h2>${t("over")}</h2><p>${card.over}</p>`
        : html`<h2>${t(isAfter ? "meanwhile" : card.status.visits ? "ready" : "begin")}</h2>
        <p class="muted">${next ? t("next is planned", { leg: costs(next.leg, next.unit, next.also) }) : t("next is not planned")}</p>
        ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
        <${Doing} class="main large" act=${ask()}>${t("next stop")}<//>
        <details>
          <summary>${t("several at once")}</summary>
          <div class="fields two">
            <${NumberField} label=${t("stops at once")} value=${several} onValue=${setSeveral} checked whole least=${1}
              hint=${t("for a way without a network")} />
            <${TextField} label=${t("worker")} value=${worker} onValue=${setWorker} />
          </div>
          ${comesHome && html`<div class="buttons"><${Doing} act=${ask("day")}>${t("until home")}<//></div>`}
        </details>`
    }
  </div>`;
}

/** A trial that is out. */
function Stop(all) {
  const { name, card, ground, out, entry, canMove } = all;
  const { trial, before, also } = out;
  const [why, setWhy] = useState(false);
  const changed = ground.axes.filter((axis) => before && before[axis.name] !== trial.params[axis.name]).length;
  return html`<article class="panel stop">
    <header class="stop-head">
      <h2>${t("trial", { number: trial.number })}</h2>
      <p class="leg"><span class="muted">${t("leg")}</span> <strong>${costs(trial.leg, trial.unit, also)}</strong></p>
    </header>
    ${trial.home_first && html`<p class="home-first"><${Home} />${t("home first")}</p>`}
    ${trial.worker && html`<p class="muted">${t("worker")}: ${trial.worker}</p>`}
    <dl class="settings" aria-label=${t("to set", { count: changed })}>
      ${ground.axes.map((axis) => html`<${Setting} key=${axis.name} axis=${axis} before=${before}
        place=${trial.params} />`)}
    </dl>
    ${trial.count > 1 && html`<p class="take">${t("take results", { count: trial.count })}</p>`}
    <button type="button" class="link" onClick=${() => setWhy(true)}>${t("why this")}</button>
    ${why && html`<${Dialog} title=${t("why trial", { number: trial.number })} onClose=${() => setWhy(false)}><${Why}
      name=${name} number=${trial.number} ground=${ground} /><//>`}
    ${
      entry
        ? html`<${Notice} kind="waiting"><strong>${t("on its way")}</strong>
          <br />${t(`did ${entry.move}`)} ${entry.body.value === undefined ? "" : [entry.body.value].flat().map(result).join("; ")}<//>`
        : canMove && html`<${Outcome} name=${name} trial=${trial} ground=${ground} limits=${card.spec.measured} />`
    }
  </article>`;
}

export function Home() {
  return html`<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path
    d="M4 11.5 12 5l8 6.500M6.5 10v9h11v-9" /></svg>`;
}

/** One axis: what it is set to now, and what to set. */
export function Setting({ axis, before, place }) {
  const value = place[axis.name];
  const isSame = before !== null && before !== undefined && before[axis.name] === value;
  return html`<div class=${isSame ? "same" : "change"}>
    <dt>${axis.name}</dt>
    <dd>
      ${!isSame && before && html`<span class="from">${plainSetting(axis, before[axis.name])}</span><span class="arrow"
        aria-label=${t("to")}>→</span>`}
      <span class="set">${setting(axis, value)}</span>
      ${isSame && html`<span class="stays">${t("stays")}</span>`}
    </dd>
  </div>`;
}

/** What was typed and not yet told, so that a look at the map does not cost it: by study and trial. */
const drafts = new Map();
const BLANK = { value: "", count: "", variance: "", spent: "", why: "" };

/** Return the settings that were really different, as the server wants them; null where a number is missing. */
export function readActual(axes, texts) {
  const actual = {};
  for (const axis of axes) {
    const text = texts[axis.name] ?? "";
    if (text === "") continue;
    if (axis.kind === "choice") actual[axis.name] = axis.values[Number(text)];
    else if (readNumber(text).value === undefined) return null;
    else actual[axis.name] = readNumber(text).value;
  }
  return actual;
}

/** Fields for where it really was: empty means as asked. */
export function ActualFields({ axes, degrees, place, texts, onTexts, checked, hint = "asked for" }) {
  return html`${degrees && html`<${Position} degrees=${degrees} onFound=${(found) => onTexts({ ...texts, ...found })} />`}
    <div class="fields two">${axes.map((axis) => {
    const change = (text) => onTexts({ ...texts, [axis.name]: text });
    if (axis.kind !== "choice") {
      return html`<${NumberField} key=${axis.name} label=${axis.name} unit=${axis.unit} value=${texts[axis.name] ?? ""}
        onValue=${change} checked=${checked}
        hint=${place ? t(hint, { value: setting(axis, place[axis.name]) }) : ""} />`;
    }
    return html`<${ChoiceField} key=${axis.name} axis=${axis} value=${texts[axis.name] ?? ""} onValue=${change}
      empty=${place ? t(hint, { value: String(place[axis.name]) }) : t("choose")} />`;
  })}</div>`;
}

/** Latitude and longitude as the device knows them; browsers tell them over https and on this machine alone. */
function Position({ degrees, onFound }) {
  const [problem, setProblem] = useState("");
  if (!isSecureContext || !navigator.geolocation) return null;
  const find = () =>
    new Promise((done) => {
      const found = ({ coords }) => {
        setProblem("");
        const texts = [coords.latitude, coords.longitude].map((one) => typed(Number(one.toFixed(6))));
        done(onFound({ [degrees.lat]: texts[0], [degrees.lon]: texts[1] }));
      };
      const failed = () => done(setProblem(t("no position")));
      navigator.geolocation.getCurrentPosition(found, failed, { enableHighAccuracy: true, timeout: 20_000 });
    });
  return html`<div><${Doing} class="quiet" act=${find}>${t("device position")}<//>
    ${problem && html`<span class="hint wrong" role="alert">${problem}</span>`}</div>`;
}

/** A choice by the position of its value; empty if none is chosen. */
export function ChoiceField({ axis, value, onValue, empty }) {
  return html`<div class="field"><label>${axis.name}
    <select value=${value} onChange=${(event) => onValue(event.target.value)}>
      <option value="" selected=${value === ""}>${empty}</option>
      ${axis.values.map((one, at) => html`<option value=${String(at)}
        selected=${value === String(at)}>${String(one)}</option>`)}
    </select></label></div>`;
}

function Outcome({ name, trial, ground, limits }) {
  const draft = `${trial.number} ${name}`;
  const [form, setForm] = useState(drafts.get(draft)?.form ?? BLANK);
  const [measured, setMeasured] = useState(drafts.get(draft)?.measured ?? {});
  const [actual, setActual] = useState(drafts.get(draft)?.actual ?? {});
  const [checked, setChecked] = useState(false);
  const [sure, setSure] = useState(""); // "fail" or "skip", until it is confirmed
  useEffect(() => drafts.set(draft, { form, measured, actual }) && undefined, [form, measured, actual]);
  const isDone = useRef(false); // a key pressed twice is one outcome
  const change = (key) => (text) => setForm((now) => ({ ...now, [key]: text }));

  /** Return whether every text of a move can be read; with `full`, the value and what was measured, too. */
  const isReadable = (full) => {
    const texts = [
      [form.spent, { least: 0 }],
      ...ground.axes.filter((axis) => axis.kind !== "choice").map((axis) => [actual[axis.name] ?? "", {}]),
    ];
    if (full)
      texts.push(
        [form.value, { required: true, several: true }],
        [form.count, { whole: true, least: 1 }],
        [form.variance, { least: 0 }],
        ...limits.map((limit) => [measured[limit.name] ?? "", {}]),
      );
    setChecked(true);
    return texts.every(([text, rules]) => fault(text, rules) === "");
  };

  const number = (text) => readNumber(text).value;
  const finish = async (kind, more) => {
    if (isDone.current) return;
    isDone.current = true;
    drafts.delete(draft);
    const really = readActual(ground.axes, actual) ?? {};
    const visit =
      kind === "skip"
        ? {}
        : {
            ...(Object.keys(really).length ? { actual: really } : {}),
            ...(form.spent.trim() ? { spent: number(form.spent) } : {}),
          };
    // When it was handed out: kept for days, it must not be taken for another study's trial of this number.
    const issued = trial.issued ? { issued: trial.issued.at } : {};
    const body = { ...more, ...visit, ...(form.why.trim() ? { why: form.why.trim() } : {}), ...issued };
    await put({
      request: requestId(),
      path: studyPath(name, `/trials/${trial.number}/${kind}`),
      body,
      study: name,
      number: trial.number,
      move: kind,
    });
  };

  const tell = async () => {
    if (!isReadable(true)) return document.querySelector(".outcome [aria-invalid], .outcome .either button")?.focus();
    const { values } = readNumbers(form.value);
    const found = Object.fromEntries(
      limits.filter((limit) => measured[limit.name]?.trim()).map((limit) => [limit.name, number(measured[limit.name])]),
    );
    return finish("tell", {
      value: values.length === 1 ? values[0] : values,
      ...(form.count.trim() ? { count: number(form.count) } : {}),
      ...(form.variance.trim() ? { variance: number(form.variance) } : {}),
      ...(Object.keys(found).length ? { measured: found } : {}),
    });
  };

  if (sure) {
    return html`<div class="outcome sure">
      <p><strong>${t(`sure ${sure}`, { number: trial.number })}</strong></p>
      <${TextField} label=${t("note")} value=${form.why} onValue=${change("why")} />
      ${sure === "fail" && html`<details class="more-fields"
        open=${form.spent !== "" || Object.keys(actual).length > 0}><summary>${t("was different")}</summary><${Visit} ground=${ground} trial=${trial} actual=${actual} setActual=${setActual} form=${form} change=${change} checked=${checked} /></details>`}
      <div class="buttons">
        <${Doing} class="main danger large"
          act=${() => (sure === "skip" || isReadable(false)) && finish(sure, {})}>${t(`yes ${sure}`)}<//>
        <button type="button" class="large" onClick=${() => setSure("")}>${t("back")}</button>
      </div>
    </div>`;
  }
  return html`<form class="outcome" onSubmit=${(event) => (event.preventDefault(), tell())}>
    <div class=${limits.length ? "fields two" : "fields"}>
      <${NumberField} label=${trial.count > 1 ? t("values", { count: trial.count }) : t("value")} value=${form.value}
        onValue=${change("value")} checked=${checked} required several />
      ${limits.map(
        (
          limit,
        ) => html`<${NumberField} key=${limit.name} label=${limit.name} unit=${limit.unit} hint=${limitInWords(limit)}
        value=${measured[limit.name] ?? ""} onValue=${(text) => setMeasured({ ...measured, [limit.name]: text })} checked=${checked} />`,
      )}
    </div>
    <${TextField} label=${t("note")} value=${form.why} onValue=${change("why")} />
    <details class="more-fields">
      <summary>${t("was different")}</summary>
      <${Visit} ground=${ground} trial=${trial} actual=${actual} setActual=${setActual} form=${form} change=${change}
        checked=${checked} />
      <div class="fields two">
        <${NumberField} label=${t("count")} value=${form.count} onValue=${change("count")} checked=${checked} whole
          least=${1} hint=${t("if a mean")} />
        <${NumberField} label=${t("variance")} value=${form.variance} onValue=${change("variance")} checked=${checked}
          least=${0} />
      </div>
    </details>
    <div class="buttons outcome-buttons">
      <button type="submit" class="main large">${t("tell")}</button>
      <button type="button" class="large" onClick=${() => (setChecked(false), setSure("fail"))}>${t("failed")}</button>
      <button type="button" class="large" onClick=${() => (setChecked(false), setSure("skip"))}>${t("skip")}</button>
    </div>
  </form>`;
}

/** What the way was like: where it ended, and what it really cost. */
function Visit({ ground, trial, actual, setActual, form, change, checked }) {
  return html`<p class="muted small">${t("where really")}</p>
    <${ActualFields} axes=${ground.axes} degrees=${ground.degrees} place=${trial.params} texts=${actual}
      onTexts=${setActual} checked=${checked} />
    <${NumberField} label=${t("spent")} unit=${trial.unit} value=${form.spent} onValue=${change("spent")}
      checked=${checked} least=${0}
      hint=${t("predicted", { cost: amount(trial.predicted) })} />`;
}

/** Return the ends of an axis of numbers in words. */
export function bounds(axis) {
  if (axis.low === null) return "";
  return t("from until", { low: setting({ ...axis, unit: "" }, axis.low), high: setting(axis, axis.high) });
}

/** Return a limit on what is measured in words. */
export function limitInWords(limit) {
  const { at_least: low, at_most: high } = limit;
  if (low !== null && high !== null) return t("between", { low: result(low), high: result(high) });
  return high === null ? t("at least", { least: result(low) }) : t("at most", { most: result(high) });
}

/** Why a trial was chosen. */
export function Why({ name, number, ground }) {
  const { value, problem } = useLoaded(
    () => report(studyPath(name, `/why${number === "" ? "" : `?trial=${number}`}`)),
    [name, number],
  );
  return html`<${Loaded} problem=${problem} value=${value}>
    ${(
      reasons,
    ) => html`<dl class="pairs">
        <div><dt>${t("why chosen")}</dt><dd>${reasons.kind}</dd></div>
        <div><dt>${t("leg")}</dt><dd>${costs(reasons.leg, reasons.unit)}</dd></div>
        ${
          reasons.mean !== null &&
          html`<div><dt>${t("why expected")}</dt><dd>${rough(reasons.mean)} ± ${rough(reasons.sd)}</dd></div>
          <div><dt>${t("why beats")}</dt><dd>${percent(reasons.beats)}</dd></div>
          <div><dt>${t("why teaches")}</dt><dd>${t("surer by", { share: percent(reasons.teaches) })}</dd></div>`
        }</dl>
      ${
        reasons.others.length > 0 &&
        html`<h3>${t("others")}</h3>
        <div class="scroll" tabindex="0" role="region" aria-label=${t("others")}><table>
          <thead><tr>${ground.axes.map((axis) => html`<th>${axis.name}</th>`)}<th class="num">${t("mean")}</th><th
            class="num">± ${t("sd")}</th><th class="num">${t("leg")}</th></tr></thead>
          <tbody>${reasons.others.map(
            (one) => html`<tr>${ground.axes.map((axis) => html`<td>${setting(axis, one.params[axis.name])}</td>`)}
            <td class="num">${result(Number(one.mean.toPrecision(4)))}</td><td class="num">${amount(one.sd)}</td><td
              class="num">${costs(one.leg, reasons.unit)}</td></tr>`,
          )}</tbody>
        </table></div>`
      }`}
  <//>`;
}
