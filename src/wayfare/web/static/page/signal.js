// A value that parts of the page watch: who is signed in, what waits to be sent, whether news arrive.

import { useEffect, useState } from "./preact.js";

export class Signal {
  constructor(value) {
    this.value = value;
    this.watchers = new Set();
  }

  set(value) {
    this.value = value;
    for (const watcher of [...this.watchers]) watcher(value);
  }
}

/** Return the value of a signal, and draw again whenever it changes. */
export function useSignal(signal) {
  const [, draw] = useState(0);
  useEffect(() => {
    const again = () => draw((count) => count + 1);
    signal.watchers.add(again);
    again(); // it may have changed since it was drawn
    return () => signal.watchers.delete(again);
  }, [signal]);
  return signal.value;
}
