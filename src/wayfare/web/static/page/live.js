// News from the server, as server-sent events.
//
// EventSource connects again by itself and says which event it saw last, so none is missed. It gives up when the server
// answers with an error, and cannot see that a phone went out of reach, or to another network. So a stream that is silent for
// long is opened again from here; it goes on where it was.

import { Signal } from "./signal.js";

/** "live", "lost" or "off". */
export const connection = new Signal("off");

const SILENCE = 45_000; // milliseconds
const OPENING = 8_000;
const UNSEEN = 20_000; // a browser has six connections to a server: a page that is not seen gives its own back

/**
 * Open a stream, and keep it open.
 *
 * Args:
 *   path: returns where to, with the version seen last.
 *   hear: gets the type and the data of every event.
 *
 * Returns a function that closes it.
 */
export function listen(path, hear) {
  let source = null;
  let timer = 0;
  let pause = 1000;
  let heard = Date.now();
  let isOver = false;

  const open = () => {
    clearTimeout(timer);
    source?.close();
    if (isOver) return;
    source = new EventSource(path());
    heard = Date.now();
    const mine = source;
    setTimeout(() => mine === source && mine.readyState === EventSource.CONNECTING && connection.set("lost"), OPENING);
    source.onopen = () => {
      pause = 1000;
      heard = Date.now();
      connection.set("live");
      hear("open", null);
    };
    source.onerror = () => {
      connection.set("lost");
      if (source.readyState === EventSource.CLOSED) {
        timer = setTimeout(open, pause);
        pause = Math.min(15_000, pause * 2);
      }
    };
    for (const type of ["message", "studies", "gone", "signout", "beat"]) {
      source.addEventListener(type, (event) => {
        heard = Date.now();
        if (connection.value !== "live") connection.set("live");
        if (type !== "beat") hear(type, JSON.parse(event.data || "null"));
      });
    }
  };

  let asleep = 0;
  const look = () => {
    clearTimeout(asleep);
    if (document.hidden) asleep = setTimeout(() => source?.close(), UNSEEN);
    else if (source?.readyState === EventSource.CLOSED) open();
  };
  const watch = setInterval(() => {
    if (source?.readyState === EventSource.OPEN && Date.now() - heard > SILENCE) open();
  }, 5000);
  const lose = () => connection.set("lost");
  const hide = () => source?.close(); // a hidden page must not hold one of the few connections
  addEventListener("online", open);
  addEventListener("offline", lose);
  addEventListener("pagehide", hide);
  addEventListener("pageshow", again);
  document.addEventListener("visibilitychange", look);
  function again(event) {
    if (event.persisted) open();
  }
  open();
  return () => {
    isOver = true;
    clearInterval(watch);
    clearTimeout(timer);
    clearTimeout(asleep);
    source?.close();
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", open);
    removeEventListener("offline", lose);
    removeEventListener("pagehide", hide);
    removeEventListener("pageshow", again);
    connection.set("off");
  };
}
