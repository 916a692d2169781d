// What lies under the journey: the surface of the belief, land that cannot be passed, and what is forbidden.

import { ramp, shadeOf } from "./colours.js";
import { straight } from "./scales.js";

/** Fill the plane with a layer of the belief: between its points if the axes are continuous, else a cell for each. */
export function drawSurface(ink, scales, believed, layer, minimize) {
  const { head, data } = believed;
  const [, rows, columns] = head.shape;
  const at = head.layers.indexOf(layer);
  const values = data.subarray(at * rows * columns, (at + 1) * rows * columns);
  const colours = ramp(layer, minimize && layer === "mean");
  const across = lookUp(scales.x, head.x);
  const up = lookUp(scales.y, head.y);
  const image = new ImageData(across.length, up.length);
  for (let py = 0; py < up.length; py += 1) {
    for (let px = 0; px < across.length; px += 1) {
      const value = between(values, columns, across[px], up[py]);
      if (Number.isNaN(value)) continue;
      const [red, green, blue] = colours[shadeOf(value, head.range[at])];
      image.data.set([red, green, blue, 255], 4 * (py * across.length + px));
    }
  }
  const copy = new OffscreenCanvas(across.length, up.length);
  copy.getContext("2d").putImageData(image, 0, 0);
  ink.drawImage(copy, scales.x.begin, scales.y.end);
}

/** Return for every pixel along an axis [left point, right point, share of the right one]; null beyond the ends. */
function lookUp(scale, { ticks }) {
  const [begin, end] = [Math.min(scale.begin, scale.end), Math.max(scale.begin, scale.end)];
  const { axis } = scale;
  const places = axis.kind === "choice" ? ticks : Array.from(ticks, (tick) => straight(axis, tick));
  const isSmooth = axis.kind === "real" && ticks.length > 20;
  const last = places.length - 1;
  const half = last > 0 ? (places[last] - places[0]) / last / 2 : 0.5;
  const edge = isSmooth ? 1e-9 * Math.abs(places[last] - places[0]) : half;
  return Array.from({ length: Math.max(1, Math.round(end - begin)) }, (_, pixel) => {
    const value = scale.back(begin + pixel + 0.5);
    if (value < places[0] - edge || value > places[last] + edge) return null;
    let [left, right] = [0, last];
    while (right - left > 1) {
      const middle = (left + right) >> 1;
      if (places[middle] <= value) left = middle;
      else right = middle;
    }
    const share = last > 0 ? Math.min(1, Math.max(0, (value - places[left]) / (places[right] - places[left]))) : 0;
    return [left, right, isSmooth ? share : Math.round(share)];
  });
}

function between(values, columns, across, up) {
  if (!across || !up) return NaN;
  const [left, right, beside] = across;
  const [low, high, above] = up;
  const below = values[low * columns + left] * (1 - beside) + values[low * columns + right] * beside;
  const over = values[high * columns + left] * (1 - beside) + values[high * columns + right] * beside;
  return below * (1 - above) + over * above;
}

const MOST_NAMES = 60; // places that are drawn with their names

/** Draw the places of a table, which lie apart, in their colours; rings where nothing is believed yet. */
export function drawPlaces(ink, scales, ground, believed, layer, minimize, line) {
  const at = believed ? believed.head.layers.indexOf(layer) : -1;
  const count = believed ? believed.head.shape.at(-1) : 0;
  const colours = ramp(layer, minimize && layer === "mean");
  const [column, row] = [scales.x, scales.y].map((scale) => ground.axes.findIndex((axis) => axis.name === scale.axis.name));
  const names = namesOf(ground);
  ink.strokeStyle = line;
  ink.font = "12px system-ui, sans-serif";
  ground.table.forEach((values, index) => {
    const [px, py] = [scales.x.point(values[column]), scales.y.point(values[row])];
    ink.fillStyle = line;
    if (names >= 0) ink.fillText(String(values[names]), px + 11, py - 9);
    ink.beginPath();
    ink.arc(px, py, ground.table.length > 400 ? 4 : 6, 0, 7);
    if (index < count) {
      ink.fillStyle = `rgb(${colours[shadeOf(believed.data[at * count + index], believed.head.range[at])].join()})`;
      ink.fill();
    }
    ink.stroke();
  });
}

/** Return the column of a table that names its places, each by another word; -1 if none does, or they are too many. */
function namesOf({ axes, table }) {
  if (table.length > MOST_NAMES) return -1;
  return axes.findIndex((axis, at) => axis.kind === "choice" && new Set(table.map((row) => row[at])).size === table.length);
}

/** Return the map whose cells the places of a table are; undefined if they are none. */
export function gridOf(ground, x, y) {
  return ground.obstacles.find((one) => [x.name, y.name].includes(one.x) && [x.name, y.name].includes(one.y));
}

/** Fill the cell of every place of a table with its colour. */
export function drawCells(ink, scales, ground, believed, layer, grid, minimize) {
  const at = believed.head.layers.indexOf(layer);
  const count = believed.head.shape.at(-1);
  const colours = ramp(layer, minimize && layer === "mean");
  const [column, row] = [grid.x, grid.y].map((name) => ground.axes.findIndex((axis) => axis.name === name));
  const half = { [grid.x]: stepOf(grid.columns, grid.shape[1]) / 2, [grid.y]: stepOf(grid.rows, grid.shape[0]) / 2 };
  ground.table.slice(0, count).forEach((values, index) => {
    ink.fillStyle = `rgb(${colours[shadeOf(believed.data[at * count + index], believed.head.range[at])].join()})`;
    const [left, right, low, high] = [scales.x, scales.y].flatMap((scale) => {
      const middle = values[scale.axis.name === grid.x ? column : row];
      const ends = [-1, 1].map((side) => scale.pointAt(middle + side * half[scale.axis.name]));
      return [Math.min(...ends), Math.max(...ends)];
    });
    ink.fillRect(left - 0.3, low - 0.3, right - left + 0.6, high - low + 0.6);
  });
}

function stepOf([first, last], count) {
  return Math.abs(last - first) / Math.max(1, count - 1);
}

/** Draw the cells of a map that cannot be passed. */
export function drawGround(ink, scales, obstacles, land) {
  const axes = [scales.x.axis.name, scales.y.axis.name];
  for (const { head, data } of obstacles) {
    if ([head.x, head.y].every((axis) => axes.includes(axis))) drawLand(ink, scales, head, data, land);
  }
}

function drawLand(ink, scales, head, data, land) {
  const [rows, columns] = head.shape;
  const isTurned = head.x !== scales.x.axis.name;
  const [across, up] = isTurned ? [scales.y, scales.x] : [scales.x, scales.y];
  drawAround(ink, scales, head, land);
  const east = (head.columns[1] - head.columns[0]) / Math.max(1, columns - 1);
  const north = (head.rows[1] - head.rows[0]) / Math.max(1, rows - 1);
  ink.fillStyle = land;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (data[row * columns + column] > 0) continue;
      let last = column; // blocked cells side by side are one rectangle
      while (last + 1 < columns && !(data[row * columns + last + 1] > 0)) last += 1;
      const a = across.pointAt(head.columns[0] + (column - 0.5) * east);
      const b = across.pointAt(head.columns[0] + (last + 0.5) * east);
      const c = up.pointAt(head.rows[0] + (row - 0.5) * north);
      const d = up.pointAt(head.rows[0] + (row + 0.5) * north);
      const [left, right, low, high] = [Math.min(a, b), Math.max(a, b), Math.min(c, d), Math.max(c, d)];
      if (isTurned) ink.fillRect(low - 0.3, left - 0.3, high - low + 0.6, right - left + 0.6);
      else ink.fillRect(left - 0.3, low - 0.3, right - left + 0.6, high - low + 0.6);
      column = last;
    }
  }
}

/** Fill what lies beyond the edges of a map. */
function drawAround(ink, scales, head, land) {
  const [left, right, top, bottom] = [scales.x.begin, scales.x.end, scales.y.end, scales.y.begin];
  const edges = [scales.x, scales.y].map((scale) => {
    const [ends, count] = scale.axis.name === head.x ? [head.columns, head.shape[1]] : [head.rows, head.shape[0]];
    const half = stepOf(ends, count) / 2;
    const points = [Math.min(...ends) - half, Math.max(...ends) + half].map((at) => scale.pointAt(at));
    return [Math.min(...points), Math.max(...points)];
  });
  ink.beginPath();
  ink.rect(left, top, right - left, bottom - top);
  ink.rect(edges[0][0], edges[1][0], edges[0][1] - edges[0][0], edges[1][1] - edges[1][0]);
  ink.fillStyle = land;
  ink.fill("evenodd");
}

/** Hatch the forbidden regions, as far as the slice that is drawn cuts them. */
export function drawForbidden(ink, scales, ground, through, { line, fill }) {
  for (const region of ground.forbidden) {
    const drawn = [scales.x.axis.name, scales.y.axis.name];
    const isCut = region.sides.every((side) => drawn.includes(side.axis) || covers(side, through[side.axis]));
    if (!isCut) continue;
    const [across, up] = [scales.x, scales.y].map((scale) =>
      pieces(
        scale,
        region.sides.find((side) => side.axis === scale.axis.name),
      ),
    );
    for (const [left, right] of across) {
      for (const [low, high] of up)
        hatch(
          ink,
          Math.min(left, right),
          Math.min(low, high),
          Math.abs(right - left),
          Math.abs(high - low),
          line,
          fill,
        );
    }
  }
}

function covers(side, value) {
  if (value === undefined) return false;
  if (side.values) return side.values.includes(value);
  return (side.low === null || value >= side.low) && (side.high === null || value <= side.high);
}

function pieces(scale, side) {
  const whole = [scale.pointAt(scale.from), scale.pointAt(scale.to)];
  if (!side) return [whole];
  if (side.values)
    return side.values
      .map((value) => scale.axis.values.indexOf(value))
      .map((at) => [scale.pointAt(at - 0.5), scale.pointAt(at + 0.5)]);
  const isStepped = scale.axis.kind === "integer" && !scale.axis.log;
  const half = isStepped ? (scale.axis.step ?? 1) / 2 : 0;
  const [low, high] = [side.low, side.high].map((value, at) =>
    value === null ? null : straight(scale.axis, value) + (at ? half : -half),
  );
  return [[low === null ? whole[0] : scale.pointAt(low), high === null ? whole[1] : scale.pointAt(high)]];
}

function hatch(ink, left, top, width, height, line, fill) {
  ink.save();
  ink.beginPath();
  ink.rect(left, top, width, height);
  ink.clip();
  ink.fillStyle = fill;
  ink.fillRect(left, top, width, height);
  ink.strokeStyle = line;
  ink.lineWidth = 1;
  ink.beginPath();
  for (let at = Math.floor((left + top) / 8) * 8; at < left + width + top + height; at += 8) {
    ink.moveTo(at - top, top);
    ink.lineTo(at - top - height, top + height);
  }
  ink.stroke();
  ink.restore();
}
