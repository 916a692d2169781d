// What is done now and then: a place of one's own, a new route, files out and in, the study itself, a link for another device.

import { html, useState } from "../vendor/preact-htm.js";
import { move, post, studyPath } from "./api.js";
import { ActualFields, ChoiceField, Setting, limitInWords, readActual } from "./card.js";
import { t } from "./messages.js";
import { amount, cost, costs, placeInWords, readNumber, readWhole, setting, typed } from "./numbers.js";
import { Doing, Notice, NumberField, TextField, fault, inWords, say, time } from "./parts.js";
import { studyLink } from "./studies.js";

export function Tools(all) {
  const { card, canMove } = all;
  const [picked] = useState(takePicked);
  return html`<div class="page tools">
    <h2 class="unseen">${t("tab tools")}</h2>
    ${canMove && html`<${Insert} ...${all} picked=${picked} /><${Replan} ...${all} picked=${picked} />`}
    <${Downloads} ...${all} />
    ${canMove && html`<${Import} ...${all} />`}
    <${Specification} ...${all} />
    ${card.role === "own" && html`<${Invite} />`}
  </div>`;
}

/** Return the place that was tapped on the map, once. */
function takePicked() {
  try {
    const text = sessionStorage.getItem("wayfare-place");
    sessionStorage.removeItem("wayfare-place");
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Return a place as the texts of its fields: choices by position. */
function asTexts(axes, place) {
  return Object.fromEntries(
    axes
      .filter((axis) => place && axis.name in place)
      .map((axis) => [
        axis.name,
        axis.kind === "choice"
          ? String(axis.values.indexOf(place[axis.name]))
          : typed(Number(place[axis.name].toPrecision(axis.degrees ? 9 : 6))),
      ]),
  );
}

/** A place of one's own, with its price before it is committed. */
function Insert({ name, card, ground, load, picked }) {
  const { axes } = ground;
  const [texts, setTexts] = useState(asTexts(axes, picked ?? card.status.position));
  const [count, setCount] = useState("1");
  const [checked, setChecked] = useState(false);
  const [price, setPrice] = useState(null); // {body, made}
  const [problem, setProblem] = useState(null);
  const change = (axis) => (text) => (setPrice(null), setTexts({ ...texts, [axis]: text }));

  const ask = async () => {
    setChecked(true);
    setProblem(null);
    const numbers = axes.filter((axis) => axis.kind !== "choice").map((axis) => texts[axis.name] ?? "");
    if (
      numbers.some((text) => fault(text, { required: true }) !== "") ||
      fault(count, { whole: true, least: 1 }) !== ""
    )
      return;
    const body = { place: readActual(axes, texts), ...(readWhole(count) > 1 ? { count: readWhole(count) } : {}) };
    try {
      setPrice({ body, made: await post(studyPath(name, "/insert"), { ...body, dry_run: true }) });
    } catch (failed) {
      setPrice(null);
      setProblem(failed);
    }
  };
  const go = async () => {
    setProblem(null);
    try {
      const made = await move(studyPath(name, "/insert"), price.body);
      say(t("inserted", { number: made.number }));
      await load();
      location.hash = studyLink(name, "next");
    } catch (failed) {
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("own place")}</h2><p class="muted">${t("about own place")}</p>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <div class="fields two">
      ${axes.map((axis) =>
        axis.kind === "choice"
          ? html`<${ChoiceField} key=${axis.name} axis=${axis} value=${texts[axis.name] ?? ""}
            onValue=${change(axis.name)} empty=${t("choose")} />`
          : html`<${NumberField} key=${axis.name} label=${axis.name} unit=${axis.unit} value=${texts[axis.name] ?? ""}
            onValue=${change(axis.name)} checked=${checked} required hint=${bounds(axis)} />`,
      )}
      <${NumberField} label=${t("how many results")} value=${count}
        onValue=${(text) => (setPrice(null), setCount(text))} checked=${checked} whole least=${1} />
    </div>
    ${
      price &&
      html`<div class="price" role="status">
      <p class="headline">${costs(price.made.leg, price.made.unit)} <span class="muted">${t("way there")}</span></p>
      <p>${t("detour", { cost: costs(price.made.detour, price.made.unit, price.made.also) })}</p>
      ${price.made.home_first && html`<p class="home-first">${t("home first")}</p>`}
      <dl class="settings compact">${axes.map((axis) => html`<${Setting} axis=${axis} before=${card.status.position}
        place=${price.made.params} />`)}</dl>
    </div>`
    }
    <div class="buttons">
      ${price ? html`<${Doing} class="main" act=${go}>${t("go there")}<//>` : html`<${Doing} class="main"
        act=${ask}>${t("ask price")}<//>`}
      ${price && html`<button type="button" onClick=${() => setPrice(null)}>${t("back")}</button>`}
    </div>
  </section>`;
}

function bounds(axis) {
  return axis.low === null
    ? ""
    : t("from until", { low: setting({ ...axis, unit: "" }, axis.low), high: setting(axis, axis.high) });
}

/** "I am here": a new route, from where the traveller really is. */
function Replan({ name, card, ground, load, picked }) {
  const [texts, setTexts] = useState(picked ? asTexts(ground.axes, picked) : {});
  const [why, setWhy] = useState("");
  const [checked, setChecked] = useState(false);
  const [made, setMade] = useState(null);
  const [problem, setProblem] = useState(null);
  const here = card.status.position;
  const plan = async () => {
    setChecked(true);
    setProblem(null);
    const position = readActual(ground.axes, texts);
    if (position === null) return;
    try {
      const route = await move(studyPath(name, "/replan"), {
        ...(Object.keys(position).length ? { position } : {}),
        ...(why.trim() ? { why: why.trim() } : {}),
      });
      setMade(route);
      setTexts({});
      for (const note of route.notes ?? []) say(note);
      await load();
    } catch (failed) {
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("new route")}</h2><p class="muted">${t("about new route")}</p>
    ${here && html`<p>${t("thought to be", { place: placeInWords(ground.axes, here) })}</p>`}
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <h3>${t("i am here")}</h3>
    <${ActualFields} axes=${ground.axes} place=${here} texts=${texts} onTexts=${setTexts} checked=${checked}
      hint="now" />
    <${TextField} label=${t("reason")} value=${why} onValue=${setWhy} />
    ${
      made &&
      html`<div class="price" role="status">
        <p>${t("dropped", { count: made.before.stops.length, cost: cost(made.before.cost, made.unit) })}</p>
      <p><strong>${t("planned", { count: made.after.stops.length, cost: cost(made.after.cost, made.unit) })}</strong>
        </p></div>`
    }
    <div class="buttons"><${Doing} class="main" act=${plan}>${t("plan again")}<//></div>
  </section>`;
}

const FILES = ["sheet.html", "sheet.csv", "trials.csv", "study.json", "log.csv"];
const WAYPOINTS = ["route.gpx", "route.geojson", "route.plan"];

function Downloads({ name, ground }) {
  const [height, setHeight] = useState("0");
  const metres = readNumber(height).value ?? 0;
  const kinds = [...FILES, ...(ground.degrees ? WAYPOINTS : [])];
  return html`<section class="panel"><h2>${t("files")}</h2><ul class="files">${kinds.map(
    (kind) => html`
    <li><a href=${studyPath(name, `/files/${kind}${kind === "route.plan" ? `?alt=${metres}` : ""}`)}
      ...${kind === "sheet.html" ? { target: "_blank", rel: "noopener" } : { download: `${name}-${kind}` }}>
      <strong>${t(`file ${kind}`)}</strong> <span class="muted">${kind}</span></a></li>`,
  )}</ul>
    ${ground.degrees && html`<${NumberField} label=${t("height")} unit="m" hint=${t("about height")} value=${height}
      onValue=${setHeight} checked />`}
  </section>`;
}

/** Results from a table, with a look at what would be taken before anything is. */
function Import({ name, load }) {
  const [text, setText] = useState("");
  const [seen, setSeen] = useState(null);
  const [problem, setProblem] = useState(null);
  const choose = async (event) => {
    const [file] = event.target.files;
    if (file) setText(await file.text());
    setSeen(null);
  };
  const send = async (dry_run) => {
    setProblem(null);
    try {
      const found = dry_run
        ? await post(studyPath(name, "/import"), { text, dry_run })
        : await move(studyPath(name, "/import"), { text });
      if (dry_run) return setSeen(found);
      say(found.said || t("imported"));
      setSeen(null);
      setText("");
      return await load();
    } catch (failed) {
      setSeen(null);
      return setProblem(failed);
    }
  };
  const counts = ["rows", "told", "failed", "skipped", "visits", "open", "same"];
  return html`<section class="panel"><h2>${t("import")}</h2><p class="muted">${t("about import")}</p>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <div class="field"><label>${t("file")} <input type="file" accept=".csv,.txt,text/csv" onChange=${choose} /></label>
      </div>
    <${TextField} label=${t("or paste")} lines=${4} value=${text}
      onValue=${(typedText) => (setSeen(null), setText(typedText))} spellcheck="false" />
    ${
      seen &&
      html`<div class="price" role="status"><p><strong>${seen.said}</strong></p>
      <dl class="figures-line">${counts.filter((key) => seen[key] > 0).map((key) => html`<div>
        <dt>${t(`import ${key}`)}</dt><dd>${amount(seen[key])}</dd></div>`)}</dl>
      ${seen.notes.map((note) => html`<p class="muted">${note}</p>`)}</div>`
    }
    <div class="buttons">
      ${seen ? html`<${Doing} class="main" act=${() => send(false)}>${t("import it")}<//>` : html`<${Doing} class="main"
        act=${() => send(true)} disabled=${!text.trim()}>${t("look first")}<//>`}
    </div>
  </section>`;
}

function Specification({ card, ground }) {
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

function Invite() {
  const [link, setLink] = useState(null);
  const [user, setUser] = useState("");
  const [problem, setProblem] = useState(null);
  const make = async () => {
    setProblem(null);
    try {
      setLink(await post("/api/v1/link", user.trim() ? { user: user.trim() } : {}));
    } catch (failed) {
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("another device")}</h2><p class="muted">${t("about another device")}</p>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <${TextField} label=${t("user")} hint=${t("or yourself")} value=${user} onValue=${setUser} />
    <div class="buttons"><${Doing} act=${make}>${t("make link")}<//></div>
    ${
      link &&
      html`<div class="invite"><img alt=${t("qr")} width="200" height="200"
        src=${`data:image/svg+xml,${encodeURIComponent(link.qr)}`} />
      <p><a class="long" href=${link.url}>${link.url}</a><br /><span
        class="muted">${t("until", { time: time(link.expires) })}</span></p></div>`
    }
  </section>`;
}
