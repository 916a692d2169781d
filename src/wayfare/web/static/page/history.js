// What happened, when, by whom and by which way.

import { html, useState } from "./preact.js";
import { report, studyPath } from "./api.js";
import { t } from "./messages.js";
import { cost, digits, placeInWords, result, setting } from "./numbers.js";
import { Loaded, time, useLoaded } from "./parts.js";
import { Pager } from "./results.js";

const PAGE = 100;

export function History({ name, card, ground }) {
  const [from, setFrom] = useState(0);
  const { value, problem } = useLoaded(
    () => report(studyPath(name, `/log?from=${from}&limit=${PAGE}&newest=true`)),
    [name, from, card.version],
  );
  return html`<section class="page" aria-labelledby="history-title">
    <h2 id="history-title">${t("tab history")}</h2>
    <${Loaded} problem=${problem} value=${value}>${({ entries, total }) => html`
      <ol class="log panel">${entries.map(
        (entry, at) => html`<li key=${`${entry.event} ${at}`}>
        <span class="log-when"><time datetime=${entry.at ?? ""}>${time(entry.at)}</time></span>
        <div>
          <p><strong>${entry.trial === null ? "" : `${t("trial", { number: entry.trial })} `}${t(`did ${entry.what}`)}</strong>
            <span class="muted"> ${[entry.by, entry.via].filter(Boolean).join(" · ")}</span></p>
          ${entry.why && html`<p>${entry.why}</p>`}
          ${entry.changes.length > 0 && html`<p
            class="muted small">${changesInWords(entry.changes, ground, card)}</p>`}
        </div>
      </li>`,
      )}</ol>
      <${Pager} from=${from} count=${entries.length} total=${total} page=${PAGE} onFrom=${setFrom} />`}
    <//>
  </section>`;
}

const MOST = 12; // changes of an entry that are shown
const COSTS = ["leg", "spent", "cost", "way_home", "budget", "dwell", "trip", "day", "trip_cost", "max_step"];
const UNSAID = ["state"]; // the entry itself says it

function changesInWords(changes, ground, card) {
  const said = changes.filter(({ field }) => !UNSAID.includes(field)).map((one) => changeInWords(one, ground, card));
  return [...said.slice(0, MOST), ...(said.length > MOST ? ["…"] : [])].join(" · ");
}

/** Return a change as the rest of the page says it: settings by axis, costs with their unit, other keys as they are. */
function changeInWords({ field, before, after }, ground, card) {
  const [kind, ...rest] = field.split(".");
  const key = rest.join(".");
  const axis = kind === "place" || kind === "position" ? ground.axis[key] : undefined;
  const limit = kind === "measured" ? card.spec.measured.find((one) => one.name === key) : undefined;
  const shown = (value) => {
    if (value === null || value === undefined) return "–";
    if ((field === "place" || field === "position") && typeof value === "object" && !Array.isArray(value))
      return placeInWords(
        ground.axes.filter((one) => one.name in value),
        value,
      );
    if (axis) return setting(axis, value);
    if (typeof value === "number" && COSTS.includes(field)) return cost(value, card.spec.unit);
    if (typeof value === "number") return `${result(value)}${limit?.unit ? `\u00a0${limit.unit}` : ""}`;
    return written(value);
  };
  const named = axis || limit ? key : FIELDS.includes(field) ? t(`field ${field}`) : field;
  return before === null ? `${named} ${shown(after)}` : `${named} ${shown(before)} → ${shown(after)}`;
}

const FIELDS = [
  "value",
  "count",
  "variance",
  "spent",
  "leg",
  "way_home",
  "worker",
  "home_first",
  "place",
  "position",
  "stops",
  "cost",
  "why",
  "name",
  "trials",
  "budget",
];

/** Return any plain value as text. */
function written(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return digits(value, 6);
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, one]) => `${key} ${written(one)}`)
      .join(", ");
  return String(value);
}
