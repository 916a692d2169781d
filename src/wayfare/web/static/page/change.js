// What the study is, and its changes under way: each is shown with its price before it is made.

import { html, useState } from "./preact.js";
import { get, move, post, studyPath } from "./api.js";
import { bounds, limitInWords } from "./card.js";
import { t } from "./messages.js";
import { amount, cost, placeInWords, readNumber, setting, typed } from "./numbers.js";
import { Choice, Doing, Loaded, Notice, NumberField, TextField, fault, inWords, say, useLoaded } from "./parts.js";
import { studyLink } from "./studies.js";

/** What the study is. */
export function Specification({ card, ground }) {
  const { spec } = card;
  const unit = spec.unit;
  const rows = [
    ["direction", t(spec.direction)],
    ["method", spec.method],
    ["trials", spec.trials],
    ["seed", spec.seed],
    ["budget", spec.budget === null ? null : cost(spec.budget, unit)],
    ["home", spec.home && placeInWords(ground.axes, spec.home)],
    ["dwell", spec.dwell ? cost(spec.dwell, unit) : null],
    ["trip", spec.trip === null ? null : cost(spec.trip, unit)],
    ["day", spec.day === null ? null : cost(spec.day, unit)],
    ["trip cost", spec.trip_cost ? cost(spec.trip_cost, unit) : null],
    ["max step", spec.max_step === null ? null : cost(spec.max_step, unit)],
    ["anchor", spec.anchor && (typeof spec.anchor === "string" ? spec.anchor : placeInWords(ground.axes, spec.anchor))],
    [
      "stop rule",
      spec.stop &&
        Object.entries(spec.stop)
          .map(([key, value]) => `${key} ${amount(value)}`)
          .join(", "),
    ],
    ["forbidden", spec.forbidden.join("; ") || null],
    ["constraints", spec.constraints.join("; ") || null],
    [
      "measured",
      spec.measured.map((limit) => `${limit.name} ${limitInWords(limit)} ${limit.unit}`.trim()).join("; ") || null,
    ],
    ["store", spec.store],
  ];
  return html`<section class="panel"><h2>${t("the study")}</h2>
    <dl class="pairs">
      ${ground.axes.map((axis) => html`<div><dt>${axis.name}</dt><dd>${axisInWords(axis)}</dd></div>`)}
      ${rows.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([key, value]) => html`<div><dt>${t(`spec ${key}`)}</dt><dd>${value}</dd></div>`)}
    </dl></section>`;
}

function axisInWords(axis) {
  if (axis.kind === "choice") return axis.values.map(String).join(", ");
  return `${bounds(axis)}${axis.step ? `, ${t("in steps", { step: setting({ ...axis, unit: "" }, axis.step) })}` : ""}${axis.log ? `, ${t("log")}` : ""}`;
}


const COSTS = ["budget", "dwell", "trip", "day", "max_step"];

/** The form of a change: what may be changed by hand, or any keys of a study file. */
export function Change({ name, card, load }) {
  const [isOpen, setOpen] = useState(false);
  return html`<section class="panel"><h2>${t("change study")}</h2><p class="muted">${t("about change")}</p>
    ${
      isOpen
        ? html`<${Changing} name=${name} version=${card.version} load=${load} onDone=${() => setOpen(false)} />`
        : html`<div class="buttons"><button type="button" onClick=${() => setOpen(true)}>${t("change it")}</button></div>`
    }
    <${Naming} name=${name} />
  </section>`;
}

function Changing({ name, load, onDone }) {
  const [way, setWay] = useState("form");
  const [seen, setSeen] = useState(null); // {body, made}
  const [why, setWhy] = useState("");
  const [problem, setProblem] = useState(null);
  const form = useLoaded(() => get(studyPath(name, "/form")), [name]);
  const methods = useLoaded(() => get("/api/v1/methods"), []);
  const forget = () => (setSeen(null), setProblem(null));
  const look = async (asked) => {
    forget();
    const body = { ...asked, ...(why.trim() ? { why: why.trim() } : {}) };
    try {
      setSeen({ body, made: await post(studyPath(name, "/change"), { ...body, dry_run: true }) });
    } catch (failed) {
      setProblem(failed);
    }
  };
  const make = async () => {
    setProblem(null);
    try {
      await move(studyPath(name, "/change"), seen.body);
      say(t("changed"));
      await load();
      onDone();
    } catch (failed) {
      setSeen(null);
      setProblem(failed);
    }
  };
  return html`<div class="stack">
    <div class="segments" role="group" aria-label=${t("change by")}>
      ${["form", "file"].map((one) => html`<button type="button" aria-pressed=${String(way === one)}
        onClick=${() => (setWay(one), forget())}>${t(`new ${one}`)}</button>`)}
    </div>
    <${Loaded} problem=${form.problem ?? methods.problem} value=${form.value && methods.value}>${() =>
      way === "form"
        ? html`<${Fields} form=${form.value.form} methods=${methods.value.methods} why=${why}
          onWhy=${(text) => (forget(), setWhy(text))} look=${look} forget=${forget} isSeen=${seen !== null} />`
        : html`<${Keys} why=${why} onWhy=${(text) => (forget(), setWhy(text))} look=${look} forget=${forget}
          isSeen=${seen !== null} />`}<//>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    ${
      seen &&
      html`<div class="price" role="status"><dl class="pairs">${seen.made.entries.map(
        ([key, text]) => html`<div>
      <dt>${key && t(`change ${key}`)}</dt><dd>${text}</dd></div>`,
      )}</dl></div>`
    }
    <div class="buttons">
      ${seen && html`<${Doing} class="main" act=${make}>${t("make change")}<//>`}
      <button type="button" onClick=${onDone}>${t("leave it")}</button>
    </div></div>`;
}

/** Any keys of a study file, in TOML. */
function Keys({ why, onWhy, look, forget, isSeen }) {
  const [toml, setToml] = useState("");
  return html`<div class="stack"><${TextField} label=${t("keys of a file")} hint=${t("about keys")} lines=${8} value=${toml}
      onValue=${(text) => (forget(), setToml(text))} spellcheck="false" class="code" />
    <${TextField} label=${t("reason")} value=${why} onValue=${onWhy} />
    ${!isSeen && html`<div class="buttons"><${Doing} class="main" disabled=${!toml.trim()}
      act=${() => look({ toml })}>${t("look first")}<//></div>`}</div>`;
}

function Fields({ form, methods, why, onWhy, look, forget, isSeen }) {
  const axes = form.axis ?? [];
  const [texts, setTexts] = useState(() => asTexts(form, axes));
  const [checked, setChecked] = useState(false);
  const change = (key) => (text) => (forget(), setTexts({ ...texts, [key]: text }));
  const method = methods.some((one) => one.name === form.method?.name) ? form.method.name : "";
  const ask = () => {
    setChecked(true);
    const numbers = [
      [texts.trials, { required: true, whole: true, least: 1 }],
      ...COSTS.map((key) => [texts[key], { least: 0 }]),
      ...axes
        .filter((axis) => axis.kind !== "choice")
        .flatMap((axis) => ["low", "high"].map((end) => [texts[`${axis.name} ${end}`], { required: true }])),
    ];
    if (numbers.some(([text, rules]) => fault(text, rules) !== "")) return undefined;
    return look({ form: changedKeys(form, axes, texts, method) });
  };
  return html`<div class="stack"><div class="fields two">
      <${NumberField} label=${t("spec trials")} value=${texts.trials} onValue=${change("trials")} checked=${checked}
        required whole least=${1} />
      <${Choice} label=${t("spec method")} value=${texts.method ?? method} onValue=${change("method")}
        options=${[...(method ? [] : [["", t("own method")]]), ...methods.map((one) => [one.name, one.name])]} />
      ${COSTS.filter((key) => !["trip", "day"].includes(key) || form[key] || (form.home && !form.trip && !form.day)).map(
        (key) => html`<${NumberField} label=${t(`spec ${key === "max_step" ? "max step" : key}`)}
        unit=${form.travel?.unit} value=${texts[key]} onValue=${change(key)} checked=${checked} least=${0}
        hint=${t("empty: none")} />`,
      )}
    </div>
    ${axes.map((axis) =>
      axis.kind === "choice"
        ? html`<${TextField} label=${axis.name} hint=${t("commas between")} value=${texts[axis.name]}
          onValue=${change(axis.name)} />`
        : html`<div class="fields two">${["low", "high"].map(
            (end) => html`<${NumberField} label=${`${axis.name}: ${t(end)}`} unit=${axis.unit}
          value=${texts[`${axis.name} ${end}`]} onValue=${change(`${axis.name} ${end}`)} checked=${checked} required />`,
          )}</div>`,
    )}
    <${TextField} label=${t("reason")} value=${why} onValue=${onWhy} />
    ${!isSeen && html`<div class="buttons"><${Doing} class="main" act=${ask}>${t("look first")}<//></div>`}</div>`;
}

/** Return the fields of a form as they are now. */
function asTexts(form, axes) {
  const number = (value) => (typeof value === "number" ? typed(value) : "");
  const texts = { trials: number(form.trials) };
  for (const key of COSTS) texts[key] = number(form[key]);
  for (const axis of axes) {
    if (axis.kind === "choice") texts[axis.name] = axis.values.map(String).join(", ");
    else for (const end of ["low", "high"]) texts[`${axis.name} ${end}`] = number(axis[end]);
  }
  return texts;
}

/** Return the keys of the form that differ now, each whole, as the server wants them. */
function changedKeys(form, axes, texts, method) {
  const number = (text) => readNumber(text).value;
  const changed = {};
  if (number(texts.trials) !== form.trials) changed.trials = number(texts.trials);
  if (texts.method && texts.method !== method) changed.method = texts.method;
  for (const key of COSTS) {
    const now = texts[key].trim() ? number(texts[key]) : null;
    if (now !== (form[key] ?? null) && !(now === 0 && !form[key])) changed[key] = now;
  }
  const made = axes.map((axis) => {
    if (axis.kind !== "choice")
      return { ...axis, low: number(texts[`${axis.name} low`]), high: number(texts[`${axis.name} high`]) };
    // A value that stands already keeps its kind: 2 stays a number.
    const known = new Map([...axis.values, ...(axis.retired ?? [])].map((value) => [String(value), value]));
    const values = texts[axis.name]
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
    return { ...axis, values: values.map((one) => known.get(one) ?? one) };
  });
  if (JSON.stringify(made) !== JSON.stringify(axes)) changed.axis = made;
  return changed;
}

/** Another name, and whether lists show it. */
function Naming({ name }) {
  const [named, setNamed] = useState("");
  const [problem, setProblem] = useState(null);
  const send = async (act) => {
    setProblem(null);
    try {
      await act();
    } catch (failed) {
      setProblem(failed);
    }
  };
  const rename = () =>
    send(async () => {
      const made = await post(studyPath(name, "/rename"), { name: named.trim() });
      location.hash = studyLink(made.name, "tools");
    });
  const archive = (archived) => () =>
    send(async () => {
      await post(studyPath(name, "/archive"), { archived });
      say(t(archived ? "did archived" : "did unarchived"));
    });
  return html`<details class="more-fields"><summary>${t("name and archive")}</summary>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <${TextField} label=${t("new name")} value=${named} onValue=${setNamed} />
    <div class="buttons">
      <${Doing} act=${rename} disabled=${!named.trim()}>${t("rename")}<//>
      <${Doing} act=${archive(true)}>${t("archive")}<//>
      <${Doing} act=${archive(false)}>${t("unarchive")}<//>
    </div></details>`;
}
