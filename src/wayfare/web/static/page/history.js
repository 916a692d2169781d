// What happened, when, by whom and by which way.

import { html, useState } from "../vendor/preact-htm.js";
import { get, studyPath } from "./api.js";
import { t } from "./messages.js";
import { digits } from "./numbers.js";
import { Loaded, time, useLoaded } from "./parts.js";
import { Pager } from "./results.js";

const PAGE = 100;

export function History({ name, card }) {
  const [from, setFrom] = useState(0);
  const { value, problem } = useLoaded(
    () => get(studyPath(name, `/log?from=${from}&limit=${PAGE}&newest=true`)),
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
            class="muted small">${entry.changes.slice(0, 12).map(changeInWords).join(" · ")}${entry.changes.length > 12 ? " …" : ""}</p>`}
        </div>
      </li>`,
      )}</ol>
      <${Pager} from=${from} count=${entries.length} total=${total} page=${PAGE} onFrom=${setFrom} />`}
    <//>
  </section>`;
}

function changeInWords({ field, before, after }) {
  return before === null ? `${field} ${written(after)}` : `${field} ${written(before)} → ${written(after)}`;
}

/** Return any plain value as text. */
function written(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return digits(value, 6);
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, one]) => `${key}=${written(one)}`)
      .join(", ");
  return String(value);
}
