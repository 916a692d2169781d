// Numbers as people type and read them.
//
// A decimal comma is understood. Where a text could be two numbers ("1,234" is 1.234 or 1234) the page asks back and
// never guesses: the server gets numbers only. Shown are the digits that an axis resolves, four of a cost, three of an
// estimate, as on the command line.

import { language } from "./messages.js";

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Return {value} of a typed number, {either: [a, b]} if it could be two, or {wrong: true}. */
export function readNumber(text) {
  const typed = text
    .trim()
    .replace(/[\u2212\u2013]/g, "-")
    .replace(/[\u00a0\u202f' ]/g, "");
  const grouped = typed.match(/^([+-]?[1-9]\d{0,2})([.,])(\d{3})$/);
  if (grouped && (grouped[2] === "," || language() === "de")) {
    const [, whole, , rest] = grouped;
    return { either: [Number(`${whole}.${rest}`), Number(whole + rest)] };
  }
  return found(typed);
}

function found(typed) {
  let plain = typed;
  if (/^[+-]?\d{1,3}(,\d{3}){2,}(\.\d+)?$/.test(typed) || /^[+-]?\d{1,3}(,\d{3})+\.\d+$/.test(typed)) {
    plain = typed.replace(/,/g, ""); // 1,234,567.8
  } else if (/^[+-]?\d{1,3}(\.\d{3}){2,}(,\d+)?$/.test(typed) || /^[+-]?\d{1,3}(\.\d{3})+,\d+$/.test(typed)) {
    plain = typed.replace(/\./g, "").replace(",", "."); // 1.234.567,8
  } else if (/^[^,.]*,[^,.]*$/.test(typed)) {
    plain = typed.replace(",", "."); // 0,5
  }
  const value = PLAIN.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(value) ? { value } : { wrong: true };
}

/** Return {values} of numbers with spaces or semicolons between them; or what is wrong, as readNumber does. */
export function readNumbers(text) {
  const values = [];
  for (const one of text.trim().split(/[\s;]+/)) {
    const read = readNumber(one);
    if (read.value === undefined) return { ...read, text: one };
    values.push(read.value);
  }
  return { values };
}

/** Return the text of a number that readNumber takes for nothing else: 1,2340 instead of 1,234. */
export function typed(value) {
  const text = local(String(value));
  return readNumber(text).either ? `${text}0` : text;
}

/** Return a whole number typed, or NaN. */
export function readWhole(text) {
  const { value } = readNumber(text);
  return Number.isInteger(value) ? value : NaN;
}

function local(text) {
  return language() === "de" ? text.replace(".", ",") : text;
}

/** Return a number with so many significant digits, without trailing zeros. */
export function digits(value, count) {
  return local(
    String(Number(value.toPrecision(count)))
      .replace("-", "\u2212")
      .replace("e\u2212", "e-"),
  );
}

/** Return a cost: four digits, or as many as it has before the point. */
export function amount(cost) {
  if (cost === null || cost === undefined) return "\u2013";
  return Math.abs(cost) >= 1e3 && Math.abs(cost) < 1e15 ? digits(Math.round(cost), 15) : digits(cost, 4);
}

/** Return a cost with its unit. */
export function cost(value, unit) {
  return `${amount(value)}\u00a0${unit}`.trim();
}

/** Return a cost in all its currencies. */
export function costs(value, unit, also = []) {
  return [cost(value, unit), ...also.map((one) => cost(one.leg ?? one.detour, one.unit))].join(" · ");
}

/** Return an estimate. */
export function rough(value) {
  return value === null || value === undefined ? "\u2013" : digits(value, 3);
}

/** Return a result as it was told. */
export function result(value) {
  return value === null || value === undefined ? "\u2013" : digits(value, 7);
}

/** Return a share in percent. */
export function percent(share) {
  return `${digits(100 * share, 2)}${language() === "de" ? "\u00a0" : ""}%`;
}

/** Return the value of an axis without its unit, with the digits that the axis resolves. */
export function plainSetting(axis, value) {
  if (typeof value !== "number" || axis.kind === "choice") return String(value);
  if (axis.decimals !== null && Number(value.toFixed(axis.decimals)) === value) return digits(value, 15);
  if (axis.degrees) return digits(Number(value.toFixed(6)), 15);
  if (axis.decimals !== null || axis.low === null) return digits(value, 6); // between two steps, as it was told
  return axis.log ? digits(value, 4) : digits(Number(value.toFixed(decimalsOf(axis.high - axis.low))), 15);
}

/** Return how many decimals tell a thousandth of a span. */
function decimalsOf(span) {
  return Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(span || 1))));
}

/** Return the value of an axis with its unit. */
export function setting(axis, value) {
  return `${plainSetting(axis, value)}\u00a0${axis.unit}`.trim();
}

/** Return a place in words: temp 72.5 °C, catalyst Pd. */
export function placeInWords(axes, place) {
  return axes.map((axis) => `${axis.name}\u00a0${setting(axis, place[axis.name])}`).join(", ");
}

/** Return round numbers between two, about so many. */
export function ticks(low, high, about = 5) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / about));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => span / one <= about + 1) ?? 10 * power;
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * span; at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}
