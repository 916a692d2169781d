// The page: who is signed in, which screen is shown, how it looks.
//
// Screens are known by the part of the address behind "#", so the server has one page to serve:
// "#/" the studies, "#/new" a new one, "#/study/NAME/map" a study. "#token=..." signs in.

import { html, render, useEffect, useState } from "./preact.js";
import { Problem, get, post, remove, whenSignedOut } from "./api.js";
import { NewStudy } from "./create.js";
import { choose, dress, remember, remembered, theme } from "./looks.js";
import { language, setLanguage, t, tongue } from "./messages.js";
import { again, begin, drop, outbox, waiting } from "./outbox.js";
import { Connection, Messages, Notice, TextField, inWords, say, time } from "./parts.js";
import { result } from "./numbers.js";
import { Signal, useSignal } from "./signal.js";
import { Studies } from "./studies.js";
import { Study, sentNews } from "./study.js";

const session = new Signal(undefined); // undefined: not known yet; user null: signed out
const place = new Signal(location.hash);
async function start() {
  setLanguage(remembered("language") || (navigator.language.startsWith("de") ? "de" : "en"));
  dress();
  addEventListener("hashchange", () =>
    location.hash.startsWith("#token=") ? signIn(location.hash.slice(7)) : place.set(location.hash),
  );
  whenSignedOut(() => session.set({ ...session.value, user: null, role: null }));
  render(html`<${Page} />`, document.getElementById("page"));
  const token = location.hash.match(/^#token=(.+)/)?.[1];
  if (token) await signIn(token);
  else await enter(() => get("/api/v1/session"));
}

/** Trade a one-time token for a session; it is taken out of the address at once. */
async function signIn(token) {
  history.replaceState(null, "", "#/");
  place.set("#/");
  const problem = await enter(() => post("/api/v1/session", { token }));
  // A link that was used may be opened again by someone who is signed in already.
  if (problem && problem.status === 401) await enter(() => get("/api/v1/session"));
  if (session.value?.user) return null;
  session.set({ ...session.value, problem });
  return problem;
}

async function enter(ask) {
  try {
    const found = await ask();
    session.set(found);
    if (found.user) begin(found.user, sentNews);
    return null;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 0) setTimeout(() => session.value?.user || enter(() => get("/api/v1/session")), 3000);
    session.set({ ...(session.value ?? {}), user: null, problem });
    return problem;
  }
}

async function signOut() {
  if (waiting(outbox.value.entries).length && !confirm(t("sign out waiting"))) return;
  await remove("/api/v1/session").catch((problem) => say(inWords(problem), "problem"));
  session.set({ ...session.value, user: null, role: null, problem: null });
}

function Page() {
  const who = useSignal(session);
  const at = useSignal(place);
  useSignal(tongue);
  const [, kind, name, tab] = at.match(/^#\/(study|new)?\/?([^/]*)\/?([a-z]*)/) ?? [];
  const study = kind === "study" ? decoded(name) : null;
  useEffect(() => {
    document.title = study ? `${study} · wayfare` : "wayfare";
    scrollTo(0, 0);
  }, [study, kind, tab]);
  return html`
    <a class="skip" href="#main"
      onClick=${(event) => (event.preventDefault(), document.getElementById("main").focus())}>${t("to content")}</a>
    <${Header} who=${who} study=${study} />
    <main id="main" tabindex="-1">
      ${who?.user && html`<${Outbox} user=${who.user} />`}
      ${who?.user && who.demo && html`<p class="demo muted small">${t("demo")}</p>`}
      ${
        who === undefined
          ? html`<p class="muted wait">${t("loading")}</p>`
          : !who.user
            ? html`<${SignIn} problem=${who.problem} />`
            : study !== null
              ? html`<${Study} key=${study} name=${study} tab=${tab} who=${who} />`
              : kind === "new"
                ? html`<${NewStudy} />`
                : html`<${Studies} who=${who} />`
      }
    </main>
    <${Messages} />`;
}

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function Header({ who, study }) {
  const chosen = useSignal(theme);
  return html`<header class="top">
    <nav aria-label=${t("where")}>
      <a class="brand" href="#/" aria-label=${t("all studies")}><img src="icon.svg" alt="" width="22" height="22" />
        <span>wayfare</span></a>
      ${study !== null && html`<span class="slash" aria-hidden="true">/</span><span class="here"
        title=${study}>${study}</span>`}
    </nav>
    <div class="top-end">
      ${who?.user && html`<${Connection} />`}
      <${Menu} who=${who}>
        <fieldset>
          <legend>${t("looks")}</legend>
          ${["auto", "light", "dark"].map(
            (one) => html`<label class="pick">
            <input type="radio" name="theme" checked=${chosen === one}
              onChange=${() => choose(one)} />${t(`theme ${one}`)}
          </label>`,
          )}
        </fieldset>
        <fieldset>
          <legend>${t("language")}</legend>
          ${[
            ["en", "English"],
            ["de", "Deutsch"],
          ].map(
            ([one, shown]) => html`<label class="pick" lang=${one}>
            <input type="radio" name="language" checked=${language() === one}
              onChange=${() => (remember("language", one), setLanguage(one))} />${shown}
          </label>`,
          )}
        </fieldset>
        ${
          who?.user &&
          html`
          <p class="muted">${t("signed in as", { user: who.user })}<br />wayfare ${who.app}</p>
          <button type="button" onClick=${signOut}>${t("sign out")}</button>`
        }
      <//>
    </div>
  </header>`;
}

/** What opens under a button: Escape or a click elsewhere closes it. */
function Menu({ who, children }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const shut = (event) =>
      (event.type === "keydown" ? event.key === "Escape" : !event.target.closest(".menu")) && setOpen(false);
    addEventListener("keydown", shut);
    addEventListener("click", shut);
    return () => {
      removeEventListener("keydown", shut);
      removeEventListener("click", shut);
    };
  }, [isOpen]);
  return html`<div class="menu">
    <button type="button" class="icon" aria-expanded=${String(isOpen)} aria-label=${t("menu")}
      onClick=${() => setOpen(!isOpen)}>
      ${who?.user ? html`<span class="avatar" aria-hidden="true">${[...who.user][0].toUpperCase()}</span>` : "☰"}
    </button>
    ${isOpen && html`<div class="menu-box">${children}</div>`}
  </div>`;
}

/** What is kept here until the server has it, and what the server refused. */
function Outbox({ user }) {
  const { entries, kept } = useSignal(outbox);
  const unsent = waiting(entries);
  const others = unsent.filter((entry) => entry.user !== user);
  const refused = entries.filter((entry) => entry.problem);
  if (!entries.length) return kept ? null : html`<${Notice}>${t("keeps nothing")}<//>`;
  return html`<section class="outbox" aria-label=${t("outbox")}>
    ${
      unsent.length > 0 &&
      html`<${Notice} kind="waiting"><strong>${t(kept ? "kept here" : "not kept", { count: unsent.length })}</strong>
      <ul>${unsent.slice(0, 6).map((entry) => html`<li>${entryInWords(entry)}</li>`)}</ul>
      ${others.length > 0 && html`<p>${t("for others", { user: [...new Set(others.map((entry) => entry.user))].join(", ") })}</p>`}
    <//>`
    }
    ${refused.map(
      (entry) => html`<${Notice} kind="problem">
      <p><strong>${t("refused", { what: entryInWords(entry) })}</strong><br />${entry.problem.detail}</p>
      <button type="button" class="quiet" onClick=${() => again(entry)}>${t("try again")}</button>
      <button type="button" class="quiet" onClick=${() => drop(entry.request)}>${t("seen")}</button>
    <//>`,
    )}
  </section>`;
}

function entryInWords(entry) {
  const value = entry.body.value;
  const shown = value === undefined ? "" : ` ${[value].flat().map(result).join("; ")}`;
  return `${entry.study}, ${t("trial", { number: entry.number })}: ${t(`did ${entry.move}`)}${shown} (${time(entry.at)})`;
}

function SignIn({ problem }) {
  const [link, setLink] = useState("");
  const [found, setFound] = useState(null);
  const shown = found ?? problem;
  const go = async (event) => {
    event.preventDefault();
    setFound(await signIn(link.trim().replace(/^.*#token=/, "")));
  };
  return html`<section class="panel narrow">
    <h1>${t("sign in")}</h1>
    <p>${t("ask for a link")}</p>
    ${shown && html`<${Notice} kind="problem">${shown.status === 401 ? t("link used") : inWords(shown)}<//>`}
    <form onSubmit=${go}>
      <${TextField} label=${t("link")} value=${link} onValue=${setLink} spellcheck="false" autocapitalize="off" />
      <button type="submit" class="main">${t("sign in")}</button>
    </form>
  </section>`;
}

start();
