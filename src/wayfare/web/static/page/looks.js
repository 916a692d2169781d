// Light or dark, as the system says or as chosen here; and what this browser remembers of such choices.

import { Signal } from "./signal.js";

/** "light" or "dark", for what is drawn by hand. */
export const shade = new Signal("light");
/** "auto", "light" or "dark": what was chosen. */
export const theme = new Signal(remembered("theme") || "auto");

const system = matchMedia("(prefers-color-scheme: dark)");

export function remembered(key) {
  try {
    return localStorage.getItem(`wayfare-${key}`);
  } catch {
    return null; // a browser may keep nothing
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`wayfare-${key}`, value);
  } catch {
    // then it is asked again next time
  }
}

export function choose(one) {
  remember("theme", one);
  theme.set(one);
  dress();
}

export function dress() {
  const dark = theme.value === "dark" || (theme.value === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.querySelector("meta[name=theme-color]").content = dark ? "#10161a" : "#f4f6f5";
  shade.set(dark ? "dark" : "light");
}

system.addEventListener("change", dress);

/** Return a colour of the style sheet, for what is drawn on a canvas. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
