// Talking to the server: one function for JSON, one for numbers in bulk, and ids for requests.
//
// Errors are a `Problem` with the server's own sentence. Status 0 means that there was no answer: the same request may be sent again.

const PATIENCE = 30_000; // milliseconds
const LONG = 120_000; // a route that is being planned, or a report that fits the model to thousands of results
const SHORT = 15_000;

export class Problem extends Error {
  constructor(status, detail, more = {}) {
    super(detail);
    this.status = status;
    this.more = more;
  }

  /** Whether the same request may be sent again. */
  get mayPass() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Return a path of the API, all parts of a study below its name. */
export function studyPath(name, rest = "") {
  return `/api/v1/studies/${encodeURIComponent(name)}${rest}`;
}

/** Return 128 random bits as text; crypto.randomUUID is not there on plain http. */
export function requestId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let onSignedOut = () => {};

/** Say what to do once the server no longer knows who is there. */
export function whenSignedOut(act) {
  onSignedOut = act;
}

/** Fetch, and again a few times while the server says that it is busy: after an event many pages look at once. */
async function look(path, patience = PATIENCE) {
  for (let left = 4; ; left -= 1) {
    try {
      return await send("GET", path, undefined, patience);
    } catch (problem) {
      if (![429, 503].includes(problem.status) || left === 0) throw problem;
      await new Promise((done) => setTimeout(done, 600 + 1400 * Math.random()));
    }
  }
}

async function send(method, path, body, patience) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    const answer = await fetch(path, {
      method,
      signal: stop.signal,
      cache: "no-store",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (answer.ok) return answer;
    const more = await answer.json().catch(() => ({}));
    if (answer.status === 401 && !path.endsWith("/session")) onSignedOut();
    throw new Problem(answer.status, more.detail || more.title || answer.statusText, more);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(0, "no answer");
  } finally {
    clearTimeout(timer);
  }
}

async function json(answer) {
  try {
    return answer.status === 204 ? null : await answer.json();
  } catch {
    throw new Problem(0, "no answer"); // cut off in the middle
  }
}

export async function get(path) {
  return json(await look(path));
}

/** Return a report, for which the model may have to be fitted first. */
export async function report(path) {
  return json(await look(path, LONG));
}

export async function post(path, body, patience = PATIENCE) {
  return json(await send("POST", path, body, patience));
}

/** Send an outcome; without an answer soon it is sent again, under the same id. */
export async function postSoon(path, body) {
  return post(path, body, SHORT);
}

/** Ask for a move that may plan a route. Sent up to three times under one id, so it happens once. */
export async function move(path, body) {
  const request = requestId();
  for (let left = 2; ; left -= 1) {
    try {
      return await post(path, { ...body, request }, LONG);
    } catch (problem) {
      if (!problem.mayPass || left === 0) throw problem;
      await new Promise((done) => setTimeout(done, 1500));
    }
  }
}

/** Return a file of the server, and the name it gives it. */
export async function file(path) {
  const answer = await look(path, LONG);
  const name = answer.headers.get("content-disposition")?.match(/filename\*=UTF-8''(.+)$/)?.[1] ?? "wayfare";
  return { content: await answer.blob(), name: decodeURIComponent(name) };
}

export async function remove(path) {
  return json(await send("DELETE", path, undefined, PATIENCE));
}

/** Return {head, data} of a binary answer: a length, a JSON head, and little-endian floats. */
export async function numbers(path) {
  const answer = await look(path, LONG);
  const bytes = await answer.arrayBuffer().catch(() => {
    throw new Problem(0, "no answer");
  });
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const data = head.dtype === "float32" ? new Float32Array(bytes, 4 + length) : new Float64Array(bytes, 4 + length);
  return { head, data };
}
