// Parts that every screen uses: fields that ask back, bars, notices, a window for a question, times.

import { html, useEffect, useRef, useState } from "./preact.js";
import { connection } from "./live.js";
import { language, t } from "./messages.js";
import { cost, percent, readNumber, readNumbers, typed } from "./numbers.js";
import { Signal, useSignal } from "./signal.js";

let count = 0;

/** Return an id that no other element has. */
export function useId() {
  const id = useRef(null);
  id.current ??= `f${(count += 1)}`;
  return id.current;
}

/** A labelled field; `children` is the input, made with the id. */
export function Labelled({ label, unit, hint, wrong, children }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}${unit ? html` <span class="unit">${unit}</span>` : null}</label>
    ${children(id, hint || wrong ? `${id}-hint` : undefined)}
    ${
      (hint || wrong) &&
      html`<p id=${`${id}-hint`} class=${wrong ? "hint wrong" : "hint"} role=${wrong ? "alert" : undefined}>
      ${wrong || hint}
    </p>`
    }
  </div>`;
}

/** What is wrong with a text that should be a number, or several; "" if nothing is. */
export function fault(text, { required = false, several = false, whole = false, least = -Infinity } = {}) {
  if (!text.trim()) return required ? t("number needed") : "";
  const read = several ? readNumbers(text) : readNumber(text);
  if (read.either) return "either";
  if (read.wrong) return t("not a number", { text: read.text ?? text.trim() });
  if (whole && !Number.isInteger(read.value)) return t("not whole", { text: text.trim() });
  if (read.value < least) return t("at least", { least });
  return "";
}

/** A field for a number as people type it. `checked` shows what is wrong; a text that could be two numbers asks back at once. */
export function NumberField({ label, unit, hint, value, onValue, checked, focus, several, ...rules }) {
  const wrong = fault(value, { ...rules, several });
  const read = several ? readNumbers(value) : readNumber(value);
  const field = useRef(null);
  useEffect(() => focus && field.current?.focus({ preventScroll: true }), [focus]);
  const choose = (number) => {
    onValue(several ? value.replace(read.text, typed(number)) : typed(number));
    field.current?.focus();
  };
  return html`<${Labelled} label=${label} unit=${unit} hint=${hint} wrong=${checked && wrong !== "either" ? wrong : ""}>
    ${(id, hinted) => html`
      <input
        id=${id} ref=${field} class="number" type="text" inputmode=${several ? "text" : "decimal"} autocomplete="off"
        value=${value} aria-describedby=${hinted} aria-invalid=${checked && wrong ? "true" : undefined}
        onInput=${(event) => onValue(event.target.value)}
      />
      ${
        wrong === "either" &&
        html`<div class="either" role="alert">
        <span>${t("which number", { text: read.text ?? value.trim() })}</span>
        ${read.either.map(
          (number) => html`
          <button type="button" class="quiet" onClick=${() => choose(number)}>${typed(number)}</button>`,
        )}
      </div>`
      }`}
  <//>`;
}

export function TextField({ label, hint, value, onValue, lines, wrong, ...more }) {
  const type = (event) => onValue(event.target.value);
  return html`<${Labelled} label=${label} hint=${hint} wrong=${wrong}>
    ${(id, hinted) =>
      lines
        ? html`<textarea id=${id} rows=${lines} value=${value} aria-describedby=${hinted} onInput=${type} ...${more} />`
        : html`<input id=${id} type="text" value=${value} autocomplete="off" aria-describedby=${hinted} onInput=${type}
          ...${more} />`}
  <//>`;
}

export function Choice({ label, value, onValue, options, hint }) {
  return html`<${Labelled} label=${label} hint=${hint}>
    ${(id) => html`<select id=${id} value=${value} onChange=${(event) => onValue(event.target.value)}>
      ${options.map(([key, shown]) => html`<option value=${key} selected=${key === value}>${shown}</option>`)}
    </select>`}
  <//>`;
}

/** A button that shows that its work goes on, and cannot be pressed twice. */
export function Doing({ act, children, ...more }) {
  const [busy, setBusy] = useState(false);
  const isThere = useRef(true);
  useEffect(() => () => (isThere.current = false), []);
  const press = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await act();
    } finally {
      if (isThere.current) setBusy(false);
    }
  };
  return html`<button type="button" aria-busy=${busy ? "true" : undefined} aria-disabled=${busy ? "true" : undefined}
    ...${more} onClick=${press}>
    ${busy && html`<span class="spinner" aria-hidden="true" />`}${children}
  </button>`;
}

/** How much of a limit is gone: `parts` are [class, share] from the left. */
export function Bar({ label, parts, text }) {
  const used = Math.round(
    100 *
      Math.min(
        1,
        parts.reduce((sum, [, share]) => sum + Math.max(0, share), 0),
      ),
  );
  return html`<div class="bar-line">
    ${text && html`<span class="bar-text">${text}</span>`}
    <div class="bar" role="img" aria-label=${`${label}: ${percent(used / 100)}`}>
      ${parts.map(([kind, share]) => html`<span class=${`part ${kind}`}
        style=${{ width: `${100 * Math.min(1, Math.max(0, share))}%` }} />`)}
    </div>
  </div>`;
}

/** How a limit is used: paid, to come on the route, left. */
export function LimitBar({ label, whole, left, ahead = 0, unit }) {
  const over = left < 0;
  return html`<${Bar}
    label=${label}
    text=${html`<span>${label}</span><span
      class="figures">${over ? t("over by", { cost: cost(-left, unit) }) : t("left of", { left: cost(left, unit), whole: cost(whole, unit) })}</span>`}
    parts=${[
      [over ? "over" : "paid", (whole - left) / whole],
      ["ahead", Math.min(ahead, Math.max(left, 0)) / whole],
    ]}
  />`;
}

export function Notice({ kind = "note", children }) {
  return html`<div class=${`notice ${kind}`} role=${kind === "problem" ? "alert" : "status"}>${children}</div>`;
}

/** The outcome of something loaded: a problem, a wait, or what it is for. */
export function Loaded({ problem, value, children }) {
  if (problem && !value) return html`<${Notice} kind="problem">${inWords(problem)}<//>`;
  if (value === null || value === undefined) return html`<p class="muted wait" role="status">${t("loading")}</p>`;
  return children(value);
}

/** Return a problem as the user reads it: the server's own sentence, or ours if there was no answer. */
export function inWords(problem) {
  if (problem.status === 0) return t("no answer");
  if (problem.status === 401) return t("signed out");
  return problem.message;
}

/** Load something, again whenever `keys` change; an older answer never replaces a newer one. */
export function useLoaded(load, keys) {
  const [state, setState] = useState({ value: null, problem: null });
  const turn = useRef(0);
  useEffect(() => {
    const mine = (turn.current += 1);
    const isMine = () => mine === turn.current;
    load().then(
      (value) => isMine() && setState({ value, problem: null }),
      (problem) => isMine() && setState((before) => ({ value: problem.status === 0 ? before.value : null, problem })),
    );
    return () => (turn.current += 1);
  }, keys);
  return state;
}

/** A window over the page, which Escape closes. */
export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} aria-labelledby=${id} onClose=${onClose}
    onClick=${(event) => event.target === box.current && box.current.close()}>
    <div class="dialog">
      <header>
        <h2 id=${id}>${title}</h2>
        <button type="button" class="icon" aria-label=${t("close")} onClick=${() => box.current.close()}>✕</button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** Short messages that go by themselves, read aloud as they come. */
const messages = new Signal([]);

export function say(text, kind = "note") {
  const one = { text, kind, key: (count += 1) };
  // What others do is news, of which the last is enough: a busy team must not cover the page.
  const others = kind === "news" ? messages.value.filter((before) => before.kind !== "news") : messages.value;
  messages.set([...others.slice(-3), one]);
  setTimeout(() => messages.set(messages.value.filter((other) => other !== one)), kind === "problem" ? 12_000 : 6000);
}

export function Messages() {
  const shown = useSignal(messages);
  return html`<div class="messages" role="status" aria-live="polite">
    ${shown.map((one) => html`<p key=${one.key} class=${`message ${one.kind}`}>${one.text}</p>`)}
  </div>`;
}

/** Return a time: the hour today, else the day with it. */
export function time(at) {
  if (!at) return "\u2013";
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  const day = isToday
    ? {}
    : {
        day: "numeric",
        month: "short",
        ...(when.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" }),
      };
  return new Intl.DateTimeFormat(language() === "de" ? "de" : "en-GB", {
    ...day,
    hour: "2-digit",
    minute: "2-digit",
  }).format(when);
}

/** Whether the page is as wide as a desk's. */
export const wide = new Signal(matchMedia("(min-width: 900px)").matches);
matchMedia("(min-width: 900px)").addEventListener("change", (event) => wide.set(event.matches));

export function Connection() {
  const state = useSignal(connection);
  if (state === "off") return null;
  return html`<span class=${`connection ${state}`} role="status"><span class="dot"
    aria-hidden="true" />${t(state)}</span>`;
}

/** Save what was fetched as a file. */
export function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
