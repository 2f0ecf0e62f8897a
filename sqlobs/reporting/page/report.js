"use strict";
(() => {
  const FIELDS = "id question sql bucket difficulty db mistake close codes f1 ms invented categories side".split(" ");
  const PAGE = 50;
  const FINDINGS = 6;
  const ENDINGS = {
    ok: "Results match", mismatch: "Results differ", skipped: "Not compared", non_select: "Not a query",
    gold_fail: "Reference fails", pred_fail: "Prediction fails", timeout: "Timeout", other_error: "Undecided",
  };
  const ORDERS = {
    run: "In the run's order", worst: "Worst first", f1: "By F1", ms: "Slowest first", id: "By id",
    difficulty: "By difficulty", question: "By question", ending: "By outcome",
  };
  const SEVERITY = Object.keys(ENDINGS);
  const WORST = ["pred_fail", "non_select", "timeout", "mismatch", "other_error", "skipped", "gold_fail", "ok"];
  const state = { search: "", bucket: "", difficulty: "", db: "", code: "", mistake: "", sort: "run", down: false, page: 0 };
  const initial = { ...state };
  const unpacked = new Map();
  let cases = [];
  let shown = [];

  const $ = (id) => document.getElementById(id);

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  function chunk(number) {
    if (!unpacked.has(number)) unpacked.set(number, unpack(document.querySelectorAll("script.chunk")[number].textContent));
    return unpacked.get(number);
  }

  function read(index) {
    const word = (place) => (place < 0 ? "" : index.words[place]);
    return index.cases.map((values, place) => {
      const found = Object.fromEntries(FIELDS.map((name, at) => [name, values[at]]));
      for (const name of ["difficulty", "db", "mistake"]) found[name] = word(found[name]);
      found.codes = found.codes.map(word);
      found.place = place;
      found.text = [found.id, found.question, found.sql, found.db, found.categories, ...found.codes].join("\n").toLowerCase();
      return found;
    });
  }

  const filters = {
    search: (found, wanted) => wanted.toLowerCase().split(/\s+/).every((part) => found.text.includes(part)),
    bucket: (found, wanted) => (wanted === "failing" ? found.bucket !== "ok" : wanted === "close" ? found.close : wanted === "invented" ? found.invented : found.bucket === wanted || found.side === wanted),
    difficulty: (found, wanted) => found.difficulty === wanted,
    db: (found, wanted) => found.db === wanted,
    code: (found, wanted) => found.codes.includes(wanted),
    mistake: (found, wanted) => found.mistake === wanted,
  };
  const text = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const last = (value) => (value === null ? Infinity : value);
  const orders = {
    run: (a, b) => a.place - b.place,
    worst: (a, b) => WORST.indexOf(a.bucket) - WORST.indexOf(b.bucket) || last(a.f1) - last(b.f1),
    f1: (a, b) => last(a.f1) - last(b.f1),
    ms: (a, b) => (b.ms ?? -1) - (a.ms ?? -1),
    id: (a, b) => text(a.id, b.id),
    difficulty: (a, b) => text(a.difficulty, b.difficulty),
    question: (a, b) => text(a.question, b.question),
    ending: (a, b) => SEVERITY.indexOf(a.bucket) - SEVERITY.indexOf(b.bucket),
  };

  function select() {
    const active = Object.keys(filters).filter((name) => state[name].trim());
    shown = cases.filter((found) => active.every((name) => filters[name](found, state[name].trim())));
    const order = orders[state.sort] || orders.run;
    const sign = state.down ? -1 : 1;
    shown.sort((a, b) => sign * order(a, b) || a.place - b.place);
  }

  function update({ keepPage = false } = {}) {
    if (!keepPage) state.page = 0;
    select();
    state.page = Math.max(0, Math.min(state.page, Math.ceil(shown.length / PAGE) - 1));
    controls();
    list();
    remember();
  }

  function controls() {
    for (const name of ["search", "bucket", "difficulty", "db", "code", "mistake", "sort"]) {
      const control = $(name);
      if (control.value !== state[name]) control.value = state[name];
      if (name !== "search" && name !== "sort") control.classList.toggle("set", state[name] !== "");
    }
    const all = cases.length.toLocaleString("en");
    const some = shown.length.toLocaleString("en");
    $("count").value = shown.length === cases.length ? `${all} ${cases.length === 1 ? "case" : "cases"}` : `${some} of ${all} cases`;
    $("clear").hidden = !Object.keys(filters).some((name) => state[name]);
  }

  function options(id, label, entries) {
    const control = $(id);
    control.hidden = entries.length === 0;
    if (label) control.append(new Option(label, ""));
    for (const [value, title] of entries) control.append(new Option(title, value));
    control.addEventListener("change", () => { state[id] = control.value; state.down = false; update(); });
  }

  function tally(values) {
    const counts = new Map();
    for (const value of values) if (value) counts.set(value, (counts.get(value) || 0) + 1);
    return counts;
  }

  function fill() {
    const titled = (counts, title) => [...counts].map(([value, count]) => [value, `${title(value)} (${count.toLocaleString("en")})`]);
    const endings = tally(cases.map((found) => found.bucket));
    const special = [
      ["failing", "Everything that failed", cases.filter((found) => found.bucket !== "ok").length],
      ["close", "Near misses", cases.filter((found) => found.close).length],
      ["invented", "Invented names", cases.filter((found) => found.invented).length],
      ["false_positive", "Equal results, judged incorrect", cases.filter((found) => found.side === "false_positive").length],
      ["false_negative", "Different results, judged correct", cases.filter((found) => found.side === "false_negative").length],
    ].filter(([, , count]) => count).map(([value, title, count]) => [value, `${title} (${count.toLocaleString("en")})`]);
    const inOrder = new Map(SEVERITY.filter((name) => endings.has(name)).map((name) => [name, endings.get(name)]));
    const byName = (counts) => new Map([...counts].sort((a, b) => text(a[0], b[0])));
    options("bucket", "Any outcome", [...special, ...titled(inOrder, (name) => ENDINGS[name])]);
    options("difficulty", "Any difficulty", titled(byName(tally(cases.map((found) => found.difficulty))), (name) => name));
    options("db", "Any database", titled(byName(tally(cases.map((found) => found.db))), (name) => name));
    options("code", "Any failure code", titled(byName(tally(cases.flatMap((found) => found.codes))), (name) => name));
    options("mistake", "Any diagnosis", titled(tally(cases.map((found) => found.mistake)), (name) => name.replaceAll("_", " ")));
    options("sort", "", Object.entries(ORDERS));
  }

  function list() {
    const page = shown.slice(state.page * PAGE, (state.page + 1) * PAGE);
    const rows = page.map(row);
    $("list").replaceChildren(...(rows.length ? [head(), ...rows] : [make("p", "empty", "No matching cases.")]));
    pages();
  }

  function head() {
    const line = make("div", "head", make("span"));
    for (const [name, title, side] of [["id", "Case", ""], ["question", "Question", ""], ["difficulty", "Kind", ""], ["f1", "F1", "right"], ["ms", "Time", "right"]]) {
      const button = make("button", side, title);
      button.type = "button";
      if (state.sort === name) button.setAttribute("aria-sort", state.down !== (name === "ms") ? "descending" : "ascending");
      button.addEventListener("click", () => {
        state.down = state.sort === name && !state.down;
        state.sort = name;
        update();
      });
      line.append(button);
    }
    return line;
  }

  function row(found) {
    const article = make("article", "case");
    const button = make("button", "row");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    const mark = make("i", found.bucket);
    mark.title = ENDINGS[found.bucket];
    const question = make("span", found.question ? "q" : "q code", found.question || found.sql);
    question.dir = "auto";
    const words = [found.difficulty, found.bucket === "ok" ? "" : ENDINGS[found.bucket].toLowerCase(), found.close ? "near miss" : "",
      found.side === "false_positive" ? "judged incorrect" : found.side === "false_negative" ? "judged correct" : ""];
    const tags = make("span", "tags", words.filter(Boolean).join(" · "));
    const code = found.codes.find((name) => name !== "result.mismatch");
    if (code) tags.append(make("span", "code", code));
    const id = make("span", "id", found.id);
    id.title = found.id;
    button.append(
      mark, id, question, tags,
      make("span", "f1", found.f1 === null ? "" : found.f1.toFixed(2)),
      make("span", "ms", found.ms === null ? "" : `${found.ms.toLocaleString("en", { maximumFractionDigits: 1 })} ms`),
    );
    button.addEventListener("click", () => toggle(article, button, found));
    article.append(button);
    return article;
  }

  async function toggle(article, button, found) {
    const open = article.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    if (!open) { article.querySelector(".body")?.remove(); return; }
    const body = make("div", "body");
    article.append(body);
    try {
      const documents = await chunk(Math.floor(found.place / CHUNK_SIZE));
      fillCase(body, documents[found.place % CHUNK_SIZE]);
    } catch (error) {
      body.replaceChildren(make("p", "said", `This case cannot be shown: ${error.message}`));
    }
  }

  function fillCase(body, found) {
    const [first, ...rest] = found.verdict;
    body.append(make("p", "said", make("strong", "", first), rest.length ? ` ${rest.join(" ")}` : ""));
    if (found.findings) body.append(findings(found.findings));
    body.append(make("div", "pair",
      statement("Reference", "reference", found.reference, found.ran[0], found.copy?.[0], found.missing?.[0]),
      statement("Prediction", "predicted", found.predicted, found.ran[1], found.copy?.[1], found.missing?.[1])));
    if (found.alternatives) {
      const count = found.alternatives.length;
      body.append(folded(count === 1 ? "Another correct statement" : `${count} more correct statements`,
        ...found.alternatives.map((shown, place) => statement(`Alternative ${place + 1}`, "alternative", shown, "", null))));
    }
    if (found.difference) {
      body.append(...difference(found.difference));
      body.querySelectorAll(".results > div").forEach(scrollToChange);
    }
    for (const verdict of found.judges || []) body.append(judge(verdict));
    if (found.feedback) body.append(feedback(found.feedback));
    if (found.scores) body.append(scores(found.scores));
    body.append(make("p", "facts", ...found.facts.map((fact) => make("span", "", fact))));
  }

  function findings(entries) {
    const items = entries.map(([severity, code, note, count]) =>
      make("li", severity, make("span", "code", code), note, count > 1 ? ` (${count} times)` : ""));
    const more = items.splice(FINDINGS);
    return make("div", "", make("ul", "findings", ...items),
      more.length ? folded(`${more.length} more`, make("ul", "findings", ...more)) : "");
  }

  function feedback(entries) {
    const items = entries.map(([at, what, words, sql, standing]) => make("li", "info",
      make("strong", "", what), ` ${at}`, words ? ` “${words}”` : "",
      sql ? make("pre", "", sql) : "", standing ? `Proposed SQL, no reference: ${standing}` : ""));
    return make("div", "", make("p", "said", make("strong", "", "Feedback")), make("ul", "findings", ...items));
  }

  function statement(title, className, shown, ran, raw, missing) {
    const caption = make("figcaption", "", make("strong", "", title), make("span", "", ran));
    if (raw && navigator.clipboard) caption.append(copyButton(raw));
    const code = make("pre", "", ...(shown && shown[1] ? spans(shown) : [make("span", "none", shown ? "empty" : missing || "None: the question is unanswerable")]));
    code.tabIndex = 0;
    return make("figure", className, caption, code);
  }

  function spans([texts, letters, notes]) {
    const found = [];
    texts.split("\x1f").forEach((text, place) => {
      const [letter, note] = [letters[place] || "p", notes[place] || ""];
      const before = found.at(-1);
      if (before && before.letter === letter && before.note === note) before.text += text;
      else found.push({ text, letter, note });
    });
    return found.map(({ text, letter, note }) => {
      const style = letter.toLowerCase();
      const classes = [style === "p" ? "" : style, letter === style ? "" : "d", note ? "u" : ""].filter(Boolean).join(" ");
      if (!classes) return text;
      const span = make("span", classes, text);
      if (note) span.title = note;
      return span;
    });
  }

  function copyButton(raw) {
    const button = make("button", "copy", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(raw); button.textContent = "Copied"; } catch { button.textContent = "Copying is not allowed"; }
    });
    return button;
  }

  function difference(found) {
    const [left, right] = found.columns;
    const said = [];
    if (found.firstAt !== null) said.push(`The order differs starting at row ${found.firstAt + 1}.`);
    const same = left.length === right.length && left.every((name, place) => name === right[place]);
    const counts = (side, words) => {
      const rows = found.rows.filter((entry) => entry[0] === side).length;
      const total = found[side];
      if (!total) return "";
      return rows < total ? `${rows} of ${total.toLocaleString("en")} rows ${words}` : `${total.toLocaleString("en")} ${total === 1 ? "row" : "rows"} ${words}`;
    };
    const missing = counts("missing", "only in the reference (−)");
    const extra = counts("extra", "only in the prediction (+)");
    const wrap = (title, columns, rows) => make("div", "results", make("p", "", title), make("div", "", resultTable(columns, rows)));
    const tables = same || !left.length || !right.length
      ? [wrap([missing, extra].filter(Boolean).join(", "), left.length ? left : right, found.rows)]
      : [[missing, left, "missing"], [extra, right, "extra"]].filter(([title]) => title)
        .map(([title, columns, side]) => wrap(title, columns, found.rows.filter((entry) => entry[0] === side)));
    return [...said.map((sentence) => make("p", "said", sentence)), ...(found.rows.length ? [make("div", "tables", ...tables)] : [])];
  }

  function scrollToChange(frame) {
    const cell = frame.querySelector("td.d");
    if (cell && cell.offsetLeft + cell.offsetWidth > frame.clientWidth) frame.scrollLeft = cell.offsetLeft - cell.parentNode.firstChild.offsetWidth;
  }

  function resultTable(columns, rows) {
    const table = make("table", "");
    const top = make("tr", "", make("th"));
    const isNumeric = (place) => rows.some(([, cells]) => cells[place]?.[1] === "num") && rows.every(([, cells]) => Array.isArray(cells[place]));
    columns.forEach((name, place) => top.append(make("th", isNumeric(place) ? "num" : "", name || "(no name)")));
    table.append(make("thead", "", top));
    const lines = rows.map(([side, cells, changed]) => {
      const line = make("tr", side, make("td", "", side === "missing" ? "−" : "+"));
      cells.forEach((cell, place) => {
        const [words, kind] = Array.isArray(cell) ? cell : [cell, ""];
        const field = make("td", `${kind}${changed.includes(place) ? " d" : ""}`, words);
        field.dir = "auto";
        line.append(field);
      });
      return line;
    });
    table.append(make("tbody", "", ...lines));
    return table;
  }

  function judge(found) {
    const heading = `${found.by}: ${found.verdict}${found.score === null ? "" : ` (${found.score})`}`;
    const categories = found.categories.length ? `\n${found.categories.join("\n")}` : "";
    return make("div", "judge", make("strong", "", heading), found.text, categories);
  }

  function scores(entries) {
    const shown = (some) => make("dl", "scores", ...some.map(([title, value]) => make("div", "", make("dt", "", title), make("dd", "", value))));
    const main = entries.filter((entry) => entry[2]);
    const others = entries.filter((entry) => !entry[2]);
    return make("div", "", main.length ? shown(main) : "", others.length ? folded(`${others.length} scores of other evaluators`, shown(others)) : "");
  }

  function folded(title, ...children) {
    return make("details", "more", make("summary", "", title), ...children);
  }

  function pages() {
    const count = Math.ceil(shown.length / PAGE);
    const nav = $("pages");
    nav.hidden = count < 2;
    if (nav.hidden) return;
    const step = (title, by) => {
      const button = make("button", "", title);
      button.type = "button";
      button.disabled = state.page + by < 0 || state.page + by >= count;
      button.addEventListener("click", () => {
        state.page += by;
        update({ keepPage: true });
        $("cases").scrollIntoView();
      });
      return button;
    };
    const from = state.page * PAGE + 1;
    const to = Math.min(shown.length, from + PAGE - 1);
    const place = make("span", "", `${from.toLocaleString("en")}–${to.toLocaleString("en")} of ${shown.length.toLocaleString("en")}`);
    nav.replaceChildren(step("← Before", -1), place, step("Next →", 1));
  }

  function remember() {
    const changed = Object.entries(state).filter(([name, value]) => value !== initial[name]);
    const hash = new URLSearchParams(changed.map(([name, value]) => [name, String(value)])).toString();
    try { history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search); } catch { /* the address is a convenience */ }
  }

  function recall() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(initial)) {
      if (!given.has(name)) continue;
      const value = given.get(name);
      state[name] = name === "page" ? Number(value) || 0 : name === "down" ? value === "true" : value;
    }
  }

  function jump(event) {
    const button = event.target.closest("button[data-field]");
    if (!button) return;
    Object.assign(state, initial, { [button.dataset.field]: button.dataset.value });
    update();
    $("cases").scrollIntoView();
  }

  function theme() {
    const button = $("theme");
    const root = document.documentElement;
    const themes = ["", "light", "dark"];
    const apply = (name) => (name ? root.setAttribute("data-theme", name) : root.removeAttribute("data-theme"));
    const keep = (name) => { try { localStorage.setItem("sqlobs-theme", name); } catch { /* not kept */ } };
    let now = "";
    try { now = localStorage.getItem("sqlobs-theme") || ""; } catch { /* the system's */ }
    apply(now);
    button.hidden = false;
    button.addEventListener("click", () => {
      now = themes[(themes.indexOf(now) + 1) % themes.length];
      apply(now);
      keep(now);
    });
  }

  async function start() {
    theme();
    try {
      cases = read(await unpack($("index").textContent));
    } catch (error) {
      $("list").append(make("p", "empty", `This browser cannot decompress the cases: ${error.message}`));
      return;
    }
    document.querySelector(".tools").hidden = false;
    fill();
    recall();
    $("search").addEventListener("input", () => { state.search = $("search").value; update(); });
    $("clear").addEventListener("click", () => { Object.assign(state, initial, { sort: state.sort, down: state.down }); update(); });
    document.addEventListener("click", jump);
    window.addEventListener("hashchange", () => { if (location.hash.includes("=")) { Object.assign(state, initial); recall(); update({ keepPage: true }); } });
    update({ keepPage: true });
  }

  start();
})();
