// The colours of a surface: lightness rises in a straight line with the value, so equal steps of value look like equal steps,
// and the scale can be read in grey and with any colour vision. Made in OKLab, from a few anchors.

const RAMPS = {
  // From poor to good: deep blue over green to a pale sand.
  mean: [
    [0.36, 0.075, 265],
    [0.51, 0.085, 225],
    [0.66, 0.085, 175],
    [0.81, 0.095, 125],
    [0.95, 0.08, 95],
  ],
  // Doubt: from nearly the ground to a dark plum.
  sd: [
    [0.96, 0.012, 330],
    [0.82, 0.05, 335],
    [0.68, 0.085, 340],
    [0.54, 0.1, 345],
    [0.4, 0.1, 350],
  ],
  // Promise: from pale to a strong orange-brown.
  acquisition: [
    [0.96, 0.015, 85],
    [0.83, 0.07, 75],
    [0.7, 0.11, 62],
    [0.57, 0.12, 50],
    [0.44, 0.1, 42],
  ],
};
RAMPS.success = RAMPS.compliance = RAMPS.mean;

function toRgb([light, chroma, hue]) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => {
    const bounded = Math.min(1, Math.max(0, part));
    return Math.round(255 * (bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055));
  });
}

/** Return 256 colours [r, g, b] of a layer, from its lowest value to its highest; `flip` where low is good. */
export function ramp(layer, flip) {
  const anchors = RAMPS[layer] ?? RAMPS.acquisition;
  const found = Array.from({ length: 256 }, (_, at) => {
    const along = (at / 255) * (anchors.length - 1);
    const left = Math.min(anchors.length - 2, Math.floor(along));
    const share = along - left;
    return toRgb(anchors[left].map((part, index) => part + share * (anchors[left + 1][index] - part)));
  });
  return flip ? found.reverse() : found;
}

/** Return the place of a value in a ramp. */
export function shadeOf(value, [low, high]) {
  return high > low ? Math.min(255, Math.max(0, Math.round((255 * (value - low)) / (high - low)))) : 128;
}
