// The results, newest first, page by page; each opens into what is known of it and the form that corrects it.

import { html, useState } from "./preact.js";
import { get, move, studyPath } from "./api.js";
import { ActualFields, Why, limitInWords, readActual } from "./card.js";
import { t } from "./messages.js";
import { amount, cost, plainSetting, readNumber, readNumbers, result, setting, typed } from "./numbers.js";
import {
  Choice,
  Dialog,
  Doing,
  Loaded,
  Notice,
  NumberField,
  TextField,
  fault,
  inWords,
  say,
  time,
  useLoaded,
} from "./parts.js";
import { studyLink } from "./studies.js";

const PAGE = 50;

export function Results(all) {
  const { name, card, ground } = all;
  const [from, setFrom] = useState(0);
  const [order, setOrder] = useState("newest");
  const [of, setOf] = useState("");
  const [opened, setOpened] = useState(null);
  const { value, problem } = useLoaded(
    () => get(studyPath(name, `/trials?from=${from}&limit=${PAGE}&order=${order}${of && `&of=${of}`}`)),
    [name, from, order, of, card.version],
  );
  return html`<section class="page" aria-labelledby="results-title">
    <div class="title-line">
      <h2 id="results-title">${t("tab results")}</h2>
      <div class="filters">
        <${Choice} label=${t("order")} value=${order} onValue=${(one) => (setFrom(0), setOrder(one))}
          options=${["newest", "oldest", "best"].map((one) => [one, t(`${one} first`)])} />
        <${Choice} label=${t("state")} value=${of} onValue=${(one) => (setFrom(0), setOf(one))}
          options=${[["", t("every state")], ...["told", "failed", "skipped", "asked"].map((one) => [one, t(`state ${one}`)])]} />
      </div>
    </div>
    <${Loaded} problem=${problem} value=${value}>${({ trials, total }) => html`
      ${total === 0 ? html`<div class="panel empty"><p>${t("no results")}</p></div>` : html`<${Table} trials=${trials}
        ground=${ground} card=${card} open=${setOpened} />`}
      <${Pager} from=${from} count=${trials.length} total=${total} page=${PAGE} onFrom=${setFrom} />
      ${opened !== null && html`<${One} ...${all}
        trial=${trials.find((one) => one.number === opened && one.prior === false) ?? trials.find((one) => one.label === opened)} onClose=${() => setOpened(null)} />`}`}
    <//>
  </section>`;
}

export function Pager({ from, count, total, page, onFrom }) {
  if (total <= page) return null;
  return html`<nav class="pager" aria-label=${t("pages")}>
    <button type="button" disabled=${from === 0}
      onClick=${() => onFrom(Math.max(0, from - page))}>${t("page before")}</button>
    <span class="muted">${t("from to", { from: from + 1, to: from + count, total })}</span>
    <button type="button" disabled=${from + count >= total}
      onClick=${() => onFrom(from + page)}>${t("page after")}</button>
  </nav>`;
}

function Table({ trials, ground, card, open }) {
  const limits = card.spec.measured;
  const runs = trials.some((trial) => trial.count > 1);
  const best = card.status.best?.number;
  const head = (name, unit) =>
    html`<th class="num" scope="col">${name}${unit ? html` <span class="unit">${unit}</span>` : ""}</th>`;
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label=${t("tab results")}><table
    class="results">
    <thead><tr><th scope="col">${t("trial head")}</th><th scope="col">${t("state")}</th>
      ${head(t("value head"))}${runs && head(t("count"))}${limits.map((limit) => head(limit.name, limit.unit))}
      ${ground.axes.map((axis) => head(axis.name, axis.unit))}${head(t("leg"), card.status.unit)}<th scope="col">${t("note")}</th>
        </tr></thead>
    <tbody>${trials.map(
      (
        trial,
      ) => html`<tr key=${trial.label} class=${`${trial.state} ${!trial.prior && trial.number === best ? "best" : ""}`}>
      <th scope="row"><button type="button" class="link"
        onClick=${() => open(trial.prior ? trial.label : trial.number)}>${trial.label || trial.number}</button></th>
      <td><span class=${`state ${trial.state}`}>${t(`state ${trial.state}`)}</span></td>
      <td class="num value">${result(trial.value)}</td>
      ${runs && html`<td class="num">${trial.count}</td>`}
      ${limits.map((limit) => html`<td
        class=${`num ${breaks(limit, trial.measured[limit.name]) ? "broken" : ""}`}>${result(trial.measured[limit.name])}</td>`)}
      ${ground.axes.map((axis) => html`<td class="num">${plainSetting(axis, trial.params[axis.name])}</td>`)}
      <td class="num">${["told", "failed"].includes(trial.state) && !trial.prior ? amount(trial.leg) : "–"}</td>
      <td class="notes">${notes(trial, ground).join("; ")}</td>
    </tr>`,
    )}</tbody>
  </table></div>`;
}

function breaks(limit, value) {
  return (
    value !== undefined &&
    ((limit.at_most !== null && value > limit.at_most) || (limit.at_least !== null && value < limit.at_least))
  );
}

/** Return the remarks on a trial: a missed setting, a cost as told, a reason, a correction. */
function notes(trial, ground) {
  const missed = ground.axes.filter((axis) => trial.asked && trial.asked[axis.name] !== trial.params[axis.name]);
  return [
    missed.length
      ? t("was asked for", {
          place: missed.map((axis) => `${axis.name} ${setting(axis, trial.asked[axis.name])}`).join(", "),
        })
      : "",
    trial.spent !== null ? t("as told, predicted", { cost: cost(trial.predicted, trial.unit) }) : "",
    !trial.prior && trial.stop === null ? t("extra place") : "",
    trial.why,
    trial.earlier.length ? t("earlier", { values: trial.earlier.map(result).join(", ") }) : "",
  ].filter(Boolean);
}

function One({ name, card, ground, trial, load, canMove, onClose }) {
  if (!trial) return null;
  const stamp = (one) => (one ? [time(one.at), one.by, one.via].filter(Boolean).join(" · ") : "–");
  return html`<${Dialog} title=${t("trial", { number: trial.label || trial.number })} onClose=${onClose}>
    <dl class="pairs">
      ${ground.axes.map((axis) => html`<div><dt>${axis.name}</dt><dd>${setting(axis, trial.params[axis.name])}</dd>
        </div>`)}
      <div><dt>${t("state")}</dt><dd>${t(`state ${trial.state}`)}</dd></div>
      <div><dt>${t("value")}</dt>
        <dd>${result(trial.value)}${trial.count > 1 ? ` (${t("mean of", { count: trial.count })})` : ""}${trial.variance === null ? "" : `, ${t("variance")} ${result(trial.variance)}`}</dd></div>
      ${card.spec.measured.filter(({ name: key }) => key in trial.measured).map((limit) => html`<div><dt>${limit.name}</dt>
        <dd>${`${result(trial.measured[limit.name])} ${limit.unit}`.trim()}</dd></div>`)}
      <div><dt>${t("leg")}</dt><dd>${cost(trial.leg, trial.unit)}</dd></div>
      ${notes(trial, ground).map((note) => html`<div><dt>${t("note")}</dt><dd>${note}</dd></div>`)}
      <div><dt>${t("issued")}</dt><dd>${stamp(trial.issued)}</dd></div>
      <div><dt>${t("closed")}</dt><dd>${stamp(trial.closed)}</dd></div>
    </dl>
    ${canMove && html`<p><a class="button" href=${studyLink(name, "tools")}
      onClick=${() => sessionStorage.setItem("wayfare-place", JSON.stringify(trial.params))}>${t("go again")}</a></p>`}
    ${!trial.prior && html`<details><summary>${t("why this")}</summary><${Why} name=${name} number=${trial.number}
      ground=${ground} /></details>`}
    ${canMove && ["told", "failed"].includes(trial.state) && html`<${Amend} name=${name} trial=${trial} ground=${ground}
      limits=${card.spec.measured} load=${load} onDone=${onClose} />`}
  <//>`;
}

function Amend({ name, trial, ground, limits, load, onDone }) {
  const [form, setForm] = useState({ value: trial.value === null ? "" : typed(trial.value), spent: "", why: "" });
  const [measured, setMeasured] = useState(
    Object.fromEntries(Object.entries(trial.measured).map(([key, value]) => [key, typed(value)])),
  );
  const [actual, setActual] = useState({});
  const [checked, setChecked] = useState(false);
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState(null);
  const change = (key) => (text) => setForm({ ...form, [key]: text });

  const send = async (body) => {
    setProblem(null);
    try {
      const made = await move(studyPath(name, `/trials/${trial.label || trial.number}/amend`), {
        ...body,
        ...(form.why.trim() ? { why: form.why.trim() } : {}),
      });
      for (const note of made.notes ?? []) say(note);
      say(t("amended", { number: trial.label || trial.number }));
      await load();
      onDone();
    } catch (failed) {
      setProblem(failed);
    }
  };
  const correct = async () => {
    setChecked(true);
    const texts = [
      [form.value, { several: true }],
      [form.spent, { least: 0 }],
      ...Object.values(measured).map((text) => [text, {}]),
      ...ground.axes.filter((axis) => axis.kind !== "choice").map((axis) => [actual[axis.name] ?? "", {}]),
    ];
    if (texts.some(([text, rules]) => fault(text, rules) !== "")) return;
    const { values } = form.value.trim() ? readNumbers(form.value) : { values: [] };
    const isNew = values.length > 1 || (values.length === 1 && values[0] !== trial.value);
    const found = {};
    for (const { name: key } of limits) {
      const text = measured[key]?.trim() ?? "";
      const number = text ? readNumber(text).value : null;
      if (number !== (trial.measured[key] ?? null)) found[key] = number;
    }
    const really = readActual(ground.axes, actual);
    await send({
      ...(isNew ? { value: values.length === 1 ? values[0] : values } : {}),
      ...(Object.keys(found).length ? { measured: found } : {}),
      ...(Object.keys(really).length ? { actual: really } : {}),
      ...(form.spent.trim() ? { spent: readNumber(form.spent).value } : {}),
    });
  };
  return html`<section class="amend">
    <h3>${t("correct it")}</h3>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <div class="fields two">
      <${NumberField} label=${t("value")} value=${form.value} onValue=${change("value")} checked=${checked} several />
      ${limits.map(
        (
          limit,
        ) => html`<${NumberField} key=${limit.name} label=${limit.name} unit=${limit.unit} hint=${limitInWords(limit)}
          value=${measured[limit.name] ?? ""}
        onValue=${(text) => setMeasured({ ...measured, [limit.name]: text })} checked=${checked} />`,
      )}
      <${TextField} label=${t("reason")} value=${form.why} onValue=${change("why")} />
    </div>
    ${
      !trial.prior &&
      html`<details><summary>${t("was different")}</summary>
      <${ActualFields} axes=${ground.axes} place=${trial.params} texts=${actual} onTexts=${setActual}
        checked=${checked} />
      <${NumberField} label=${t("spent")} unit=${trial.unit} value=${form.spent} onValue=${change("spent")}
        checked=${checked} least=${0} />
    </details>`
    }
    <div class="buttons">
      <${Doing} class="main" act=${correct}>${t("correct")}<//>
      ${
        trial.state === "told" &&
        (sure
          ? html`<${Doing} class="main danger" act=${() => send({ withdraw: true })}>${t("yes withdraw")}<//><button
            type="button" onClick=${() => setSure(false)}>${t("back")}</button>`
          : html`<button type="button" onClick=${() => setSure(true)}>${t("withdraw")}</button>`)
      }
    </div>
    ${sure && html`<p class="muted">${t("about withdraw")}</p>`}
  </section>`;
}
