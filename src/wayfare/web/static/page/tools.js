// What is done now and then: a place of one's own, home, a new route, files out and in, changes, a link for another device.

import { html, useState } from "./preact.js";
import { file, move, post, studyPath } from "./api.js";
import { ActualFields, ChoiceField, Setting, bounds, readActual } from "./card.js";
import { Change, Specification } from "./change.js";
import { Import } from "./import.js";
import { t } from "./messages.js";
import { cost, costs, placeInWords, readNumber, readWhole, typed } from "./numbers.js";
import { Choice, Doing, Notice, NumberField, TextField, fault, inWords, save, say, time } from "./parts.js";
import { studyLink } from "./studies.js";

export function Tools(all) {
  const { card, canMove, who } = all;
  const [picked] = useState(takePicked);
  return html`<div class="page tools">
    <h2 class="unseen">${t("tab tools")}</h2>
    <div class="column">
      ${canMove && html`<${Insert} ...${all} picked=${picked} />`}
      ${canMove && html`<${GoHome} ...${all} />`}
      ${canMove && html`<${Replan} ...${all} picked=${picked} />`}
      <${Downloads} ...${all} />
    </div>
    <div class="column">
      ${canMove && html`<${Import} ...${all} />`}
      <${Specification} ...${all} />
      ${card.role === "own" && html`<${Change} ...${all} />`}
      ${who.role === "own" && html`<${Invite} />`}
    </div>
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

const MOST_ROWS = 200; // places of a table that are chosen from a list

/** The places of a table as a list; what is chosen is a row. */
function RowField({ ground, texts, onTexts }) {
  const rows = ground.table.map((values) => Object.fromEntries(ground.axes.map((axis, at) => [axis.name, values[at]])));
  const now = rows.findIndex((row) => JSON.stringify(exact(ground.axes, row)) === JSON.stringify(texts));
  return html`<${Choice} label=${t("place")} value=${String(now)}
    onValue=${(at) => onTexts(at === "-1" ? {} : exact(ground.axes, rows[Number(at)]))}
    options=${[["-1", t("choose")], ...rows.map((row, at) => [String(at), placeInWords(ground.axes, row)])]} />`;
}

/** Return a place as the texts of its fields, with all digits. */
function exact(axes, place) {
  return Object.fromEntries(
    axes.map((axis) => [
      axis.name,
      axis.kind === "choice" ? String(axis.values.indexOf(place[axis.name])) : typed(place[axis.name]),
    ]),
  );
}

/** A place of one's own, with its price before it is committed. */
function Insert({ name, card, ground, load, picked }) {
  const { axes } = ground;
  const begun = picked ?? card.status.position;
  const isTable = ground.places !== null;
  const [texts, setTexts] = useState(isTable && begun ? exact(axes, begun) : asTexts(axes, begun));
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
    const place = readActual(axes, texts);
    const shown = asTexts(axes, begun); // rounded: what was left as it is stands for the place itself
    for (const axis of axes) if (begun && texts[axis.name] === shown[axis.name]) place[axis.name] = begun[axis.name];
    const body = { place, ...(readWhole(count) > 1 ? { count: readWhole(count) } : {}) };
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
      ${
        isTable && ground.places <= MOST_ROWS
          ? html`<${RowField} ground=${ground} texts=${texts} onTexts=${(found) => (setPrice(null), setTexts(found))} />`
          : axes.map((axis) =>
        axis.kind === "choice"
          ? html`<${ChoiceField} key=${axis.name} axis=${axis} value=${texts[axis.name] ?? ""}
            onValue=${change(axis.name)} empty=${t("choose")} />`
          : html`<${NumberField} key=${axis.name} label=${axis.name} unit=${axis.unit} value=${texts[axis.name] ?? ""}
            onValue=${change(axis.name)} checked=${checked} required hint=${bounds(axis)} />`,
      )
      }
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

/** Home, now: the way there is paid, and the next day or trip begins. */
function GoHome({ name, card, load }) {
  const [form, setForm] = useState({ spent: "", why: "" });
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState(null);
  const { home, unit } = card.status;
  if (home === null || home === undefined) return null;
  const go = async () => {
    setChecked(true);
    setProblem(null);
    if (fault(form.spent, { least: 0 }) !== "") return;
    try {
      const made = await move(studyPath(name, "/go-home"), {
        ...(form.spent.trim() ? { spent: readNumber(form.spent).value } : {}),
        ...(form.why.trim() ? { why: form.why.trim() } : {}),
      });
      setForm({ spent: "", why: "" });
      say(t("at home", { cost: cost(made.leg, made.unit) }));
      await load();
    } catch (failed) {
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("go home")}</h2><p class="muted">${t("about go home")}</p>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    <div class="fields two">
      <${NumberField} label=${t("spent home")} unit=${unit} value=${form.spent} checked=${checked} least=${0}
        onValue=${(spent) => setForm({ ...form, spent })} hint=${t("predicted", { cost: cost(home, unit) })} />
      <${TextField} label=${t("note")} value=${form.why} onValue=${(why) => setForm({ ...form, why })} />
    </div>
    <div class="buttons"><${Doing} class="main" act=${go}>${t("go home now")}<//></div>
  </section>`;
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
    <${ActualFields} axes=${ground.axes} degrees=${ground.degrees} place=${here} texts=${texts} onTexts=${setTexts} checked=${checked}
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

const SHEETS = ["sheet.html", "sheet.csv", "sheet.xlsx"];
const WHOLE = ["trials.csv", "trials.xlsx", "study.json", "log.csv"];
const WAYPOINTS = ["route.gpx", "route.geojson", "route.plan"];

function Downloads({ name, card, ground, who }) {
  const [height, setHeight] = useState("0");
  const [problem, setProblem] = useState(null);
  const metres = readNumber(height).value ?? 0;
  const isOut = card.status.out > 0;
  const kinds = [...(isOut ? SHEETS : []), ...WHOLE, ...(ground.degrees ? WAYPOINTS : [])];
  const shown = kinds.filter((kind) => who.xlsx || !kind.endsWith(".xlsx"));
  const path = (kind) => studyPath(name, `/files/${kind}${kind === "route.plan" ? `?alt=${metres}` : ""}`);
  // Fetched here, so that a refusal is shown and not kept as a file.
  const fetched = (kind) => async (event) => {
    event.preventDefault();
    setProblem(null);
    try {
      const made = await file(path(kind));
      save(made.name, made.content);
    } catch (failed) {
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("files")}</h2>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    ${!isOut && html`<p class="muted">${t("no sheet")}</p>`}
    <ul class="files">${shown.map(
      (kind) => html`
    <li><a href=${path(kind)}
      ...${kind === "sheet.html" ? { target: "_blank", rel: "noopener" } : { download: "", onClick: fetched(kind) }}>
      <strong>${t(`file ${kind}`)}</strong> <span class="muted">${kind}</span></a></li>`,
    )}</ul>
    ${ground.degrees && html`<${NumberField} label=${t("height")} unit="m" hint=${t("about height")} value=${height}
      onValue=${setHeight} checked />`}
  </section>`;
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
