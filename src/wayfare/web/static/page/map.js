// The map, or any axes: which are drawn, what is shown of the belief, the values of the other axes, and a place that was tapped.

import { html, useEffect, useState } from "./preact.js";
import { numbers, report, studyPath } from "./api.js";
import { Band } from "./band.js";
import { t } from "./messages.js";
import { amount, placeInWords, setting } from "./numbers.js";
import { Choice, Notice, inWords, useLoaded } from "./parts.js";
import { Plane } from "./plane.js";
import { straight, valueAt } from "./scales.js";
import { studyLink } from "./studies.js";

const WIDE = 1.959964;

const hasResults = (card) => card.status.told + card.status.prior > 0;

/** Return the visits out of their columns of numbers, in which choices stand by position. */
function asVisits(ground, { head, data }) {
  const width = head.columns.length;
  return Array.from({ length: head.shape[0] }, (_, row) => {
    const one = data.subarray(row * width, (row + 1) * width);
    const at = (name) => {
      const number = one[head.columns.indexOf(name, 4)];
      return ground.axis[name].values?.[number] ?? number;
    };
    return { number: one[0], state: head.states[one[1]], value: one[2], at };
  });
}

export function Map(all) {
  const { name, card, ground } = all;
  const movable = ground.axes.filter((axis) =>
    axis.kind === "choice" ? axis.values.length > 1 : axis.high > axis.low,
  );
  const first = ground.view.length ? ground.view : movable.slice(0, 2).map((axis) => axis.name);
  const [pair, setPair] = useState([first[0] ?? ground.axes[0].name, first[1] ?? ""]);
  const [at, setAt] = useState({}); // what the sliders say; the best place otherwise
  const [layer, setLayer] = useState("mean");
  const [picked, setPicked] = useState(null);
  const [x, y] = pair;
  const { version } = card;
  const isTable = ground.places !== null;
  const others = isTable ? [] : movable.filter((axis) => !pair.includes(axis.name));
  const asked = JSON.stringify(
    Object.fromEntries(others.filter((axis) => axis.name in at).map((axis) => [axis.name, at[axis.name]])),
  );
  const slow = useSlow(asked, 160);
  const query = `x=${encodeURIComponent(x)}${y ? `&y=${encodeURIComponent(y)}` : ""}&at=${encodeURIComponent(slow)}`;
  const surface = useLoaded(
    () => (hasResults(card) ? numbers(studyPath(name, `/surface?${query}`)) : Promise.resolve(null)),
    [name, query, version],
  );
  const visits = useLoaded(
    () => numbers(studyPath(name, "/visits")).then((found) => asVisits(ground, found)),
    [name, version],
  );
  const obstacles = useLoaded(
    () => Promise.all(ground.obstacles.map((one, index) => numbers(studyPath(name, `/obstacles?map=${index}`)))),
    [name, ground],
  );
  const believed = isOf(surface.value, pair) ? surface.value : null; // never that of the axes before
  const layers = believed?.head.layers ?? ["mean"];
  const shown = layers.includes(layer) ? layer : "mean";
  const names = movable.map((axis) => [axis.name, axis.unit ? `${axis.name} [${axis.unit}]` : axis.name]);
  const setX = (axis) => setPair(axis === y ? [y, x] : [axis, y]);
  const setY = (axis) => setPair(axis === x ? [y || first[1], x] : [x, axis]);
  const through = { ...(believed?.head.at ?? card.status.position ?? {}), ...at };
  const parts = {
    ...all,
    x: ground.axis[x],
    y: ground.axis[y],
    believed,
    layer: shown,
    visits: visits.value ?? [],
    obstacles: obstacles.value ?? [],
    through,
    isTable,
    picked,
    setPicked,
  };
  return html`<section class="panel map" aria-label=${t("tab map")}>
    <div class="map-tools">
      <${Choice} label=${t("across")} value=${x} onValue=${setX} options=${names} />
      <${Choice} label=${t("up")} value=${y} onValue=${setY} options=${[...names, ["", t("one axis")]]} />
      ${
        y &&
        html`<div class="segments" role="group" aria-label=${t("shown")}>
        ${layers.map((one) => html`<button type="button" aria-pressed=${String(one === shown)}
          onClick=${() => setLayer(one)}>${t(`layer ${one}`)}</button>`)}
      </div>`
      }
    </div>
    ${surface.problem && surface.problem.status !== 409 && html`<${Notice}
      kind="problem">${inWords(surface.problem)}<//>`}
    ${y ? html`<${Plane} key=${`${x} ${y}`} ...${parts} />` : html`<${Band} ...${parts} />`}
    ${
      others.length > 0 &&
      html`<div class="sliders">
      ${others.map(
        (axis) => html`<${Slider} key=${axis.name} axis=${axis} value=${through[axis.name]} isSet=${axis.name in at}
        onValue=${(value) => setAt({ ...at, [axis.name]: value })} />`,
      )}
      ${Object.keys(at).length > 0 && html`<button type="button" class="quiet"
        onClick=${() => setAt({})}>${t("through the best")}</button>`}
    </div>`
    }
    ${picked && html`<${Picked} ...${parts} />`}
  </section>`;
}

/** Return whether a belief is that of these axes; a table has one for all. */
function isOf(found, [x, y]) {
  if (!found) return false;
  const { head } = found;
  return head.x === null || (head.x.axis === x && (head.y?.axis ?? "") === y);
}

/** Return a value once it has not changed for a while. */
function useSlow(value, pause) {
  const [slow, setSlow] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return slow;
}

/** The value of an axis that is not drawn. */
function Slider({ axis, value, isSet, onValue }) {
  if (axis.kind === "choice") {
    return html`<div class="slider"><span class="slider-name">${axis.name}</span>
      <div class="segments" role="group" aria-label=${axis.name}>${axis.values.map(
        (one) => html`
        <button type="button" aria-pressed=${String(one === value)}
          onClick=${() => onValue(one)}>${String(one)}</button>`,
      )}</div></div>`;
  }
  const [low, high] = [straight(axis, axis.low), straight(axis, axis.high)];
  const step = axis.step && !axis.log ? axis.step : (high - low) / 200;
  return html`<label class="slider"><span class="slider-name">${axis.name}</span>
    <input type="range" min=${low} max=${high} step=${step}
      value=${value === undefined ? (low + high) / 2 : straight(axis, value)}
      onInput=${(event) => onValue(valueAt(axis, Number(event.target.value)))} />
    <output class=${isSet ? "" : "muted"}>${value === undefined ? "" : setting(axis, value)}</output></label>`;
}

/** A place that was tapped: what is believed there, and what may be done. */
function Picked({ name, card, ground, picked, setPicked, canMove }) {
  const query = encodeURIComponent(JSON.stringify(picked));
  const { value, problem } = useLoaded(() => report(studyPath(name, `/predict?place=${query}`)), [query, card.version]);
  const keep = () => sessionStorage.setItem("wayfare-place", JSON.stringify(picked));
  return html`<div class="picked" role="status">
    <button type="button" class="icon" aria-label=${t("close")} onClick=${() => setPicked(null)}>✕</button>
    <p><strong>${placeInWords(ground.axes, picked)}</strong></p>
    ${value && html`<p>${t("believed", { mean: amount(value.mean), sd: amount(value.sd), low: amount(value.mean - WIDE * value.sd), high: amount(value.mean + WIDE * value.sd) })}</p>`}
    ${problem && problem.status !== 409 && html`<p class="muted">${inWords(problem)}</p>`}
    ${canMove && html`<p class="picked-links"><a class="button" href=${studyLink(name, "tools")}
      onClick=${keep}>${t("go or stand")}</a></p>`}
  </div>`;
}
