// Results from a file: what each row would do is shown before anything is written, and exactly that is then done.

import { html, useRef, useState } from "./preact.js";
import { move, post, studyPath } from "./api.js";
import { t } from "./messages.js";
import { amount, cost, placeInWords, readNumber, result } from "./numbers.js";
import { Choice, Doing, Notice, TextField, inWords, say } from "./parts.js";

const SHOWN = 200; // rows of a preview
const USUAL = { decimal: "", delimiter: "", sheet: "", columns: "", ignore: "", tolerance: "" };
const FLAGS = ["prior", "extra", "average", "again"];

export function Import({ name, card, ground, load }) {
  const [text, setText] = useState("");
  const [file, setFile] = useState(null); // {name, data}: the bytes as they are, whatever their encoding
  const [form, setForm] = useState(USUAL);
  const [flags, setFlags] = useState({});
  const [seen, setSeen] = useState(null);
  const [problem, setProblem] = useState(null);
  const chooser = useRef(null);
  const forget = () => (setSeen(null), setProblem(null));
  const change = (key) => (value) => (forget(), setForm({ ...form, [key]: value }));
  const choose = async (event) => {
    const [chosen] = event.target.files;
    forget();
    setText("");
    setFile(chosen ? { name: chosen.name, data: await asBase64(chosen) } : null);
  };
  const type = (typed) => {
    forget();
    setText(typed);
    setFile(null);
    chooser.current.value = "";
  };
  const body = () => ({
    ...(file ? { data: file.data } : { text }),
    ...Object.fromEntries(["decimal", "delimiter", "sheet"].filter((key) => form[key]).map((key) => [key, form[key]])),
    ...(form.columns.trim() ? { columns: asColumns(form.columns) } : {}),
    ...(form.ignore.trim() ? { ignore: parts(form.ignore) } : {}),
    ...(form.tolerance.trim() ? { tolerance: readNumber(form.tolerance).value ?? form.tolerance.trim() } : {}),
    ...Object.fromEntries(FLAGS.filter((key) => flags[key]).map((key) => [key, true])),
  });
  const look = async () => {
    forget();
    try {
      setSeen(await post(studyPath(name, "/import"), { ...body(), dry_run: true }));
    } catch (failed) {
      setProblem(failed);
    }
  };
  const take = async () => {
    setProblem(null);
    try {
      const found = await move(studyPath(name, "/import"), { ...body(), version: seen.version });
      say(found.said || t("imported"));
      type("");
      await load();
    } catch (failed) {
      setSeen(null);
      setProblem(failed);
    }
  };
  return html`<section class="panel"><h2>${t("import")}</h2><p class="muted">${t("about import")}</p>
    <div class="field"><label>${t("file")} <input type="file" ref=${chooser}
      accept=".csv,.tsv,.txt,.xlsx,text/csv" onChange=${choose} /></label></div>
    ${!file && html`<${TextField} label=${t("or paste")} lines=${3} value=${text} onValue=${type} spellcheck="false" />`}
    <details class="more-fields"><summary>${t("how to read")}</summary>
      <div class="fields two">
        <${Choice} label=${t("decimal mark")} value=${form.decimal} onValue=${change("decimal")}
          options=${["", "point", "comma"].map((one) => [one, t(`mark ${one || "auto"}`)])} />
        <${Choice} label=${t("between columns")} value=${form.delimiter} onValue=${change("delimiter")}
          options=${["", "comma", "semicolon", "tab"].map((one) => [one, t(`mark ${one || "auto"}`)])} />
        <${TextField} label=${t("columns")} hint=${t("such as columns")} value=${form.columns}
          onValue=${change("columns")} spellcheck="false" />
        <${TextField} label=${t("leave out")} hint=${t("semicolons between")} value=${form.ignore}
          onValue=${change("ignore")} spellcheck="false" />
        <${TextField} label=${t("how near")} hint=${t("such as near", { unit: card.status.unit })} value=${form.tolerance}
          onValue=${change("tolerance")} spellcheck="false" />
        <${TextField} label=${t("sheet of workbook")} value=${form.sheet} onValue=${change("sheet")} />
      </div>
      ${FLAGS.map(
        (key) => html`<label class="pick"><input type="checkbox" checked=${Boolean(flags[key])}
        onChange=${(event) => (forget(), setFlags({ ...flags, [key]: event.target.checked }))} />${t(`rows ${key}`)}</label>`,
      )}
    </details>
    ${problem && html`<${Notice} kind="problem">${inWords(problem)}<//>`}
    ${seen && html`<${Preview} seen=${seen} axes=${ground.axes} />`}
    <div class="buttons">
      ${
        seen
          ? html`<${Doing} class="main" act=${take}>${t("import it")}<//>
          <button type="button" onClick=${forget}>${t("back")}</button>`
          : html`<${Doing} class="main" act=${look} disabled=${!file && !text.trim()}>${t("look first")}<//>`
      }
    </div>
  </section>`;
}

/** What every row would do. */
function Preview({ seen, axes }) {
  const rows = seen.preview.slice(0, SHOWN);
  const isMoved = rows.some((row) => row.near);
  return html`<div class="price" role="status"><p><strong>${inNumbers(seen)}</strong></p>
    ${seen.notes.map((note) => html`<p>${note}</p>`)}
    ${
      rows.length > 0 &&
      html`<div class="scroll preview" tabindex="0" role="region" aria-label=${t("row by row")}><table>
      <thead><tr><th>${t("row")}</th><th>${t("does")}</th><th>${t("trial head")}</th><th
        class="num">${t("value head")}</th><th>${t("where it was")}</th>${isMoved && html`<th
          class="num">${t("away from trial")}</th>`}</tr></thead>
      <tbody>${rows.map(
        (row) => html`<tr>
        <td>${row.where}</td><td>${t(`use ${row.use}`)}</td><td>${row.number}</td>
        <td class="num">${result(row.value)}${row.count > 1 ? ` (${t("mean of", { count: row.count })})` : ""}</td>
        <td>${placeInWords(
          axes.filter((axis) => axis.name in row.params),
          row.params,
        )}</td>
        ${isMoved && html`<td class="num">${row.near ? cost(row.cost, row.unit) : ""}</td>`}</tr>`,
      )}</tbody></table></div>
      ${seen.rows > rows.length && html`<p class="muted">${t("rows more", { count: seen.rows - rows.length })}</p>`}`
    }</div>`;
}

function inNumbers(seen) {
  const counts = ["told", "failed", "skipped", "visits", "prior", "open", "same"].filter((key) => seen[key] > 0);
  const said = counts.map((key) => `${amount(seen[key])} ${t(`import ${key}`)}`).join(", ");
  return `${t("rows", { count: seen.rows })}: ${said || t("nothing to do")}`;
}

const parts = (text) =>
  text
    .split(/[;\n]/)
    .map((one) => one.trim())
    .filter(Boolean);

/** Return which of our columns is which of the file's: "value=Yield [%]; temp=T reactor". */
function asColumns(text) {
  return Object.fromEntries(parts(text).map((one) => one.split(/=(.*)/s, 2).map((side) => (side ?? "").trim())));
}

function asBase64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}
