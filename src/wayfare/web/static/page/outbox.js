// Outcomes on their way to the server.
//
// What was typed is written to IndexedDB before it is sent, under the id of its request, and stays there until the server has
// acknowledged it. So a dead network, a closed page or a killed server loses nothing, and the id keeps it from counting twice.
// Outcomes are sent in the order they were made, and only in the name of the user who made them.

import { postSoon } from "./api.js";
import { Signal } from "./signal.js";

const STORE = "outcomes";
const LONGEST_PAUSE = 20_000;

/** {entries, kept}: the outcomes that wait or were refused; `kept` is false if this browser keeps nothing. */
export const outbox = new Signal({ entries: [], kept: true });

let user = null;
let sending = false;
let pause = 0;
let timer = 0;
let onSent = () => {};

function open() {
  return new Promise((done, failed) => {
    const asked = indexedDB.open("wayfare", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "request" });
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
    asked.onblocked = () => failed(new Error("blocked"));
  });
}

/** Do one thing with the stored outcomes; resolved when it is on disk. */
async function stored(mode, act) {
  const base = await open();
  try {
    return await new Promise((done, failed) => {
      const change = base.transaction(STORE, mode, mode === "readwrite" ? { durability: "strict" } : undefined);
      const asked = act(change.objectStore(STORE));
      change.oncomplete = () => done(asked.result);
      change.onerror = change.onabort = () => failed(change.error);
    });
  } finally {
    base.close();
  }
}

const inOrder = (entries) => entries.sort((one, other) => one.at - other.at);

async function keep(entry) {
  const { entries } = outbox.value;
  const kept = await stored("readwrite", (store) => store.put(entry)).then(
    () => true,
    () => false,
  );
  outbox.set({ entries: inOrder([...entries.filter((one) => one.request !== entry.request), entry]), kept });
}

/** Forget an outcome: it is acknowledged, or the user discards it. */
export async function drop(request) {
  await stored("readwrite", (store) => store.delete(request)).catch(() => {});
  outbox.set({ ...outbox.value, entries: outbox.value.entries.filter((one) => one.request !== request) });
}

/** Take up what an earlier page left, and send it in the name of `name`. */
export async function begin(name, whenSent) {
  user = name;
  onSent = whenSent;
  try {
    const found = await stored("readonly", (store) => store.getAll());
    const newer = outbox.value.entries.filter((one) => !found.some((other) => other.request === one.request));
    outbox.set({ entries: inOrder([...found, ...newer]), kept: true });
  } catch {
    outbox.set({ ...outbox.value, kept: false });
  }
  flush();
}

/** Keep an outcome and send it. Resolved once it is kept. Their order holds whatever the clock of the device does. */
export async function put(entry) {
  const last = Math.max(0, ...outbox.value.entries.map((one) => one.at + 1));
  await keep({ ...entry, at: Math.max(Date.now(), last), user, problem: null });
  pause = 0;
  flush();
}

/** Send an outcome again that was refused: a role may have been given since, or a study got its name back. */
export async function again(entry) {
  await keep({ ...entry, problem: null });
  pause = 0;
  flush();
}

/** The outcomes that are still to be sent. */
export function waiting(entries) {
  return entries.filter((entry) => !entry.problem);
}

/** Send what waits, oldest first; after a failure again later. */
export async function flush() {
  if (sending) return;
  sending = true;
  clearTimeout(timer);
  try {
    for (;;) {
      const entry = waiting(outbox.value.entries).find((one) => one.user === user);
      if (!entry || user === null) break;
      if (!(await sent(entry))) {
        pause = Math.min(LONGEST_PAUSE, pause * 2 || 1000);
        timer = setTimeout(flush, pause);
        break;
      }
      pause = 0;
    }
  } finally {
    sending = false;
  }
}

/** Send one outcome; false if it has to be sent again. */
async function sent(entry) {
  try {
    const made = await postSoon(entry.path, { ...entry.body, request: entry.request });
    await drop(entry.request);
    onSent(entry, made);
    return true;
  } catch (problem) {
    if (problem.mayPass || problem.status === 401) return false;
    // Refused: it stays, with the reason, until the user has seen it.
    await keep({ ...entry, problem: { status: problem.status, detail: problem.message } });
    onSent(entry, null, problem);
    return true;
  }
}

addEventListener("online", () => {
  pause = 0;
  flush();
});
document.addEventListener("visibilitychange", () => document.hidden || flush());
