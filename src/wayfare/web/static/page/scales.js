// From the values of an axis to points of the screen and back: linear, logarithmic, or side by side for a choice.
//
// A scale knows the part of the axis that is in sight (`from`, `to`, in its own straight coordinate), so zooming is a new scale.

import { plainSetting, ticks } from "./numbers.js";

const BELOW = 0.06; // of a logarithmic axis: where a place at zero is drawn

/** Return the straight coordinate of an axis' value: its logarithm, the position of a choice, or itself. */
export function straight(axis, value) {
  if (axis.kind === "choice") return axis.values.indexOf(value);
  if (!axis.log) return value;
  return value > 0 ? Math.log(value) : Math.log(axis.low) - BELOW * Math.log(axis.high / axis.low);
}

/** Return the value at a straight coordinate, in the steps of the axis. */
export function valueAt(axis, at) {
  if (axis.kind === "choice") return axis.values[Math.min(axis.values.length - 1, Math.max(0, Math.round(at)))];
  const number = Math.min(axis.high, Math.max(axis.low, axis.log ? Math.exp(at) : at));
  if (!axis.step) return Number(number.toPrecision(axis.degrees ? 9 : 6));
  const stepped = axis.low + axis.step * Math.round((number - axis.low) / axis.step);
  return Number((stepped > axis.high ? stepped - axis.step : stepped).toPrecision(12));
}

/** Return the ends of an axis as it is drawn: half a step around values that stand apart, a margin around places of a table. */
export function span(axis, isTable) {
  if (axis.kind === "choice") return [-0.5, axis.values.length - 0.5];
  const [low, high] = [straight(axis, axis.low), straight(axis, axis.high)];
  if (low === high) return [low - 0.5, high + 0.5];
  const half = isTable ? 0.04 * (high - low) : axis.kind === "integer" && !axis.log ? (axis.step ?? 1) / 2 : 0;
  return [low - half, high + half];
}

/** An axis on the screen: `from` and `to` are what is in sight, `begin` and `end` where on the screen. */
export function makeScale(axis, from, to, begin, end) {
  const rate = (end - begin) / (to - from);
  return {
    axis,
    from,
    to,
    begin,
    end,
    rate,
    point: (value) => begin + (straight(axis, value) - from) * rate,
    pointAt: (at) => begin + (at - from) * rate,
    back: (point) => from + (point - begin) / rate,
    ticks: () => marks(axis, from, to, Math.abs(end - begin)),
  };
}

/** Return [[straight coordinate, text]] of the marks along an axis. */
function marks(axis, from, to, room) {
  if (axis.kind === "choice") {
    return axis.values.map((value, at) => [at, String(value)]).filter(([at]) => at >= from && at <= to);
  }
  const about = Math.max(2, Math.round(room / 80));
  const show = (value) => plainSetting({ ...axis, decimals: null, low: null }, value);
  if (!axis.log) {
    const found = ticks(from, to, about).map((value) => [value, show(value)]);
    return axis.kind === "integer" ? found.filter(([value]) => Number.isInteger(value)) : found;
  }
  const [low, high] = [Math.exp(from), Math.exp(to)];
  if (high / low < 8)
    return ticks(low, high, about)
      .filter((value) => value > 0)
      .map((value) => [Math.log(value), show(value)]);
  const found = [];
  const few = high / low < 1e3 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const one of few) {
      const value = one * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001)
        found.push([Math.log(value), show(Number(value.toPrecision(6)))]);
    }
  }
  return found;
}
