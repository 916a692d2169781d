// A new study, from a form, a study file in TOML or an export of another; what was understood is shown before it begins.

import { html, useState } from "./preact.js";
import { get, post } from "./api.js";
import { t } from "./messages.js";
import { readNumber } from "./numbers.js";
import { Choice, Doing, Loaded, Notice, NumberField, TextField, fault, inWords, useLoaded } from "./parts.js";
import { studyLink } from "./studies.js";

const AXIS = { name: "", kind: "real", low: "", high: "", step: "", unit: "", values: "", up: "", down: "", fee: "", log: false };

export function NewStudy() {
  const [way, setWay] = useState("form");
  const [body, setBody] = useState(null); // what was looked at
  const [seen, setSeen] = useState(null);
  const [problem, setProblem] = useState(null);
  const look = async (asked) => {
    setProblem(null);
    setSeen(null);
    try {
      setSeen(await post("/api/v1/studies", { ...asked, dry_run: true }));
      setBody(asked);
    } catch (failed) {
      setProblem(failed);
    }
  };
  const begin = async () => {
    setProblem(null);
    try {
      const made = await post("/api/v1/studies", body);
      location.hash = studyLink(made.study.name);
    } catch (failed) {
      setProblem(failed);
    }
  };
  const forget = () => (setSeen(null), setProblem(null));
  return html`<div class="page narrow-page">
    <h1>${t("new study")}</h1>
    <div class="segments" role="group" aria-label=${t("new from")}>
      ${["form", "file"].map((one) => html`<button type="button" aria-pressed=${String(way === one)}
        onClick=${() => (setWay(one), forget())}>${t(`new ${one}`)}</button>`)}
    </div>
    ${way === "form" ? html`<${Form} look=${look} forget=${forget} />` : html`<${File} look=${look}
      forget=${forget} />`}
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    ${
      seen &&
      html`<section class="panel understood" aria-label=${t("understood")}><h2>${t("understood")}</h2>
      <dl class="pairs">${seen.explained.map(([key, text]) => html`<div><dt>${key}</dt><dd>${text}</dd></div>`)}</dl>
      <div class="buttons"><${Doing} class="main large" act=${begin}>${t("begin study")}<//></div></section>`
    }
  </div>`;
}

function File({ look, forget }) {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const isExport = text.trimStart().startsWith("{");
  const choose = async (event) => {
    const [file] = event.target.files;
    if (file) setText(await file.text());
    forget();
  };
  return html`<section class="panel stack">
    <p class="muted">${t("about study file")}</p>
    <div class="field"><label>${t("file")} <input type="file" accept=".toml,.json" onChange=${choose} /></label></div>
    <${TextField} label=${t("or paste")} lines=${14} value=${text} onValue=${(typed) => (forget(), setText(typed))}
      spellcheck="false" class="code" />
    ${isExport && html`<${TextField} label=${t("name here")} value=${name} onValue=${(typed) => (forget(), setName(typed))} />`}
    <div class="buttons"><${Doing} class="main" disabled=${!text.trim() || (isExport && !name.trim())}
      act=${() => look(isExport ? { archive: text, name: name.trim() } : { toml: text })}>${t("look first")}<//></div>
  </section>`;
}

function Form({ look, forget }) {
  const [form, setForm] = useState({
    name: "",
    direction: "maximize",
    trials: "20",
    method: "wayfare",
    unit: "",
    budget: "",
    dwell: "",
    trip: "",
    way: "settings",
    order: "parallel",
  });
  const [axes, setAxes] = useState([{ ...AXIS, key: 0 }]);
  const [start, setStart] = useState({});
  const [isHome, setHome] = useState(false);
  const [checked, setChecked] = useState(false);
  const methods = useLoaded(() => get("/api/v1/methods"), []);
  const change = (key) => (value) => (forget(), setForm({ ...form, [key]: value }));
  const changeAxis = (at, key) => (value) => (
    forget(),
    setAxes(axes.map((axis, index) => (index === at ? { ...axis, [key]: value } : axis)))
  );
  const more = () => setAxes([...axes, { ...AXIS, key: Math.max(...axes.map((axis) => axis.key)) + 1 }]);

  const check = async () => {
    setChecked(true);
    const numbers = [
      [form.trials, { required: true, whole: true, least: 1 }],
      ...["budget", "dwell", "trip"].map((key) => [form[key], {}]),
    ];
    for (const axis of axes) {
      if (axis.kind !== "choice")
        numbers.push(
          [axis.low, { required: true }],
          [axis.high, { required: true }],
          [axis.step, {}],
          [axis.up, {}],
          [axis.down, {}],
          [start[axis.key] ?? "", {}],
        );
      else numbers.push([axis.fee, {}]);
    }
    if (numbers.some(([text, rules]) => fault(text, rules) !== "")) return;
    await look({ form: asForm(form, axes, start, isHome) });
  };
  return html`
    <section class="panel"><div class="fields two">
      <${TextField} label=${t("name")} value=${form.name} onValue=${change("name")} />
      <${Choice} label=${t("direction")} value=${form.direction} onValue=${change("direction")}
        options=${["maximize", "minimize"].map((one) => [one, t(one)])} />
      <${NumberField} label=${t("spec trials")} value=${form.trials} onValue=${change("trials")} checked=${checked}
        required whole least=${1} />
      <${Loaded} problem=${methods.problem} value=${methods.value}>${(
        found,
      ) => html`<${Choice} label=${t("spec method")} value=${form.method} onValue=${change("method")}
        hint=${found.methods.find((one) => one.name === form.method)?.summary} options=${found.methods.map((one) => [one.name, one.name])} />`}<//>
    </div></section>
    ${axes.map(
      (axis, at) => html`<fieldset key=${axis.key} class="panel axis">
      <legend>${axis.name || t("axis", { number: at + 1 })}</legend>
      <div class="fields three">
        <${TextField} label=${t("name")} value=${axis.name} onValue=${changeAxis(at, "name")} />
        <${Choice} label=${t("kind")} value=${axis.kind} onValue=${changeAxis(at, "kind")}
          options=${["real", "integer", "choice"].map((one) => [one, t(`kind ${one}`)])} />
        ${
          axis.kind === "choice"
            ? html`<${TextField} label=${t("values of choice")} hint=${t("commas between")} value=${axis.values}
              onValue=${changeAxis(at, "values")} />
            <${NumberField} label=${t("fee")} unit=${form.unit} value=${axis.fee} onValue=${changeAxis(at, "fee")}
              checked=${checked} />
            <${TextField} label=${t("stands now")} value=${start[axis.key] ?? ""}
              onValue=${(text) => (forget(), setStart({ ...start, [axis.key]: text }))} />`
            : html`<${TextField} label=${t("unit")} value=${axis.unit} onValue=${changeAxis(at, "unit")} />
            <${NumberField} label=${t("low")} value=${axis.low} onValue=${changeAxis(at, "low")} checked=${checked}
              required />
            <${NumberField} label=${t("high")} value=${axis.high} onValue=${changeAxis(at, "high")} checked=${checked}
              required />
            <${NumberField} label=${t("step")} value=${axis.step} onValue=${changeAxis(at, "step")}
              checked=${checked} />
            ${
              paces(form.way, axis.name) &&
              html`<${NumberField} label=${t("up speed")} hint=${t("per unit", { unit: form.unit || "1" })}
                value=${axis.up} onValue=${changeAxis(at, "up")} checked=${checked} />`
            }
            ${
              paces(form.way, axis.name) &&
              html`<${NumberField} label=${t("down speed")} hint=${t("empty: as up")} value=${axis.down}
                onValue=${changeAxis(at, "down")} checked=${checked} />`
            }
            <${NumberField} label=${t("stands now")} value=${start[axis.key] ?? ""}
              onValue=${(text) => (forget(), setStart({ ...start, [axis.key]: text }))} checked=${checked} />`
        }
      </div>
      ${axis.kind !== "choice" && html`<label class="pick"><input type="checkbox" checked=${axis.log}
        onChange=${(event) => changeAxis(at, "log")(event.target.checked)} />${t("is log")}</label>`}
      ${axes.length > 1 && html`<button type="button" class="quiet"
        onClick=${() => (forget(), setAxes(axes.filter((one) => one !== axis)))}>${t("remove axis")}</button>`}
    </fieldset>`,
    )}
    <div class="buttons"><button type="button" onClick=${more}>${t("add axis")}</button></div>
    <section class="panel"><h2>${t("moving")}</h2><div class="fields two">
      <${TextField} label=${t("unit of cost")} hint=${t("such as min")} value=${form.unit} onValue=${change("unit")} />
      <${Choice} label=${t("way of moving")} value=${form.way} onValue=${change("way")}
        options=${["settings", "ground", "earth"].map((one) => [one, t(`way ${one}`)])} />
      ${form.way === "settings" && html`<${Choice} label=${t("several axes")} value=${form.order} onValue=${change("order")}
        options=${["parallel", "serial"].map((one) => [one, t(`move ${one}`)])} />`}
      <${NumberField} label=${t("budget")} unit=${form.unit} value=${form.budget} onValue=${change("budget")}
        checked=${checked} />
      <${NumberField} label=${t("spec dwell")} unit=${form.unit} value=${form.dwell} onValue=${change("dwell")}
        checked=${checked} />
      <label class="pick"><input type="checkbox" checked=${isHome}
        onChange=${(event) => (forget(), setHome(event.target.checked))} />${t("home is start")}</label>
      ${isHome && html`<${NumberField} label=${t("spec trip")} unit=${form.unit} value=${form.trip} onValue=${change("trip")}
        checked=${checked} hint=${t("empty: none")} />`}
    </div></section>
    <div class="buttons"><${Doing} class="main large" act=${check}>${t("look first")}<//></div>`;
}

/** Return the form as a study file says it. */
function asForm(form, axes, start, isHome) {
  const number = (text) => readNumber(text).value;
  const made = axes.map((axis) =>
    axis.kind === "choice"
      ? {
          name: axis.name.trim(),
          kind: "choice",
          values: axis.values
            .split(",")
            .map((one) => one.trim())
            .filter(Boolean),
        }
      : {
          name: axis.name.trim(),
          kind: axis.kind,
          low: number(axis.low),
          high: number(axis.high),
          ...(axis.step.trim() ? { step: number(axis.step) } : {}),
          ...(axis.unit.trim() ? { unit: axis.unit.trim() } : {}),
          ...(axis.log ? { log: true } : {}),
        },
  );
  const ramps = [];
  const fees = [];
  for (const axis of axes) {
    const name = axis.name.trim();
    if (axis.kind === "choice") fees.push({ kind: "switch", axis: name, fee: axis.fee.trim() ? number(axis.fee) : 1 });
    else if (paces(form.way, name)) {
      const up = axis.up.trim() ? number(axis.up) : 1;
      ramps.push({ kind: "ramp", axis: name, up, down: axis.down.trim() ? number(axis.down) : up });
    }
  }
  const moves = ramps.length > 1 ? [{ kind: form.order, parts: ramps }] : ramps;
  const parts = [...distance(form, axes), ...moves, ...fees];
  const travel = parts.length === 1 ? parts[0] : { kind: "serial", parts };
  const stands = axes
    .filter((axis) => (start[axis.key] ?? "").trim())
    .map((axis) => [axis.name.trim(), axis.kind === "choice" ? start[axis.key].trim() : number(start[axis.key])]);
  return {
    name: form.name.trim(),
    direction: form.direction,
    trials: number(form.trials),
    method: form.method,
    axis: made,
    travel: { ...travel, ...(form.unit.trim() ? { unit: form.unit.trim() } : {}) },
    ...(stands.length ? { start: Object.fromEntries(stands) } : {}),
    ...(form.budget.trim() ? { budget: number(form.budget) } : {}),
    ...(form.dwell.trim() ? { dwell: number(form.dwell) } : {}),
    ...(isHome ? { home: "start", ...(form.trip.trim() ? { trip: number(form.trip) } : {}) } : {}),
  };
}

const LAT = /^lat/i;
const LON = /^(lon|lng)/i;

/** Return whether an axis has a pace of its own; over ground all numbers are one distance, on the earth two are. */
function paces(way, name) {
  return way === "settings" || (way === "earth" && !LAT.test(name.trim()) && !LON.test(name.trim()));
}

/** Return the part of the travel cost that is a distance, in a list; none for settings. */
function distance(form, axes) {
  const numbers = axes.filter((axis) => axis.kind !== "choice").map((axis) => axis.name.trim());
  if (form.way === "ground") return [{ kind: "euclidean", axes: numbers }];
  if (form.way !== "earth") return [];
  const [lat, lon] = [LAT, LON].map((one) => numbers.find((name) => one.test(name)) ?? "");
  return [{ kind: "haversine", lat, lon, unit: form.unit.trim() || "km" }];
}
