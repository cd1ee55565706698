// A document opened: its text with what mattered underlined, the decision, what adds up to it, and what would flip it.

const SNIPPET = 140; // characters of a text that are shown before it is opened
const FLIPPING = 12; // words that are named

/** A line for a document that opens, as in the lists that come with the page. */
function documentEntry(number) {
  const shown = report.documents[number];
  const called = shown.title || shown.text;
  const summary = make(
    "summary",
    {},
    make("span", { class: "headline" }, make("span", { class: "figure" }, probability(shown.probability))),
    make("span", { class: "where" }, printable(shown.where)),
    called ? make("span", { class: shown.title ? "snippet title" : "snippet" }, snippet(called)) : null,
  );
  return make("details", { class: "document", "data-document": number }, summary);
}

function snippet(text) {
  const begun = Array.from(text.slice(0, 4 * SNIPPET).trim().replace(/\s+/g, " "));
  return printable(begun.length > SNIPPET ? begun.slice(0, SNIPPET - 1).join("") + "…" : begun.join(""));
}

/** Fill in a document when it is first opened. */
function openDocument(details) {
  if (details.querySelector(".body")) return;
  const shown = report.documents[Number(details.dataset.document)];
  const reading = make("div", { class: "reading" }, decision(shown), textOf(shown), legend(shown));
  const adding = make("div", { class: "adding" }, rowsTable(shown), flip(shown));
  details.append(make("div", { class: "body" }, reading, adding));
}

/** One sentence: the class named and how surely, the true one, the log-odds, and how long the text is. */
function decision(shown) {
  const parts = ["Named ", bold(shown.predicted), " with probability ", probability(shown.probability)];
  if (shown.true === shown.predicted) parts.push(", rightly");
  else parts.push(", in truth ", bold(shown.true));
  if (shown.true !== shown.predicted && shown.true_probability !== null) {
    parts.push(" (" + probability(shown.true_probability) + ")");
  }
  if (shown.against !== null) {
    const odds = make("span", { class: "figure" }, signed(shown.log_odds));
    parts.push("; log-odds ", odds, " for ", className(shown.label), " against ", className(shown.against));
  }
  if (shown.n_words) parts.push("; ", counted(shown.n_words, "word"));
  if (shown.n_words && shown.unknown_share !== null) parts.push(", " + percent(shown.unknown_share, 0) + " unknown");
  return make("p", { class: "decision" }, ...parts, ".");
}

const bold = (number) => make("b", {}, className(number));

/** The text made readable, for what a character looks like depends on its neighbours, then cut at the marks. */
function textOf(shown) {
  if (shown.text === null) {
    const why = report.texts ? "There is no text to show." : "The text is left out of this report.";
    return make("p", { class: "note" }, why);
  }
  const text = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text", dir: "auto" });
  const characters = readable(shown.text);
  const strongest = Math.max(...shown.marks.map(([, , share]) => Math.abs(share ?? 0)), 1e-12);
  let position = 0;
  for (const [start, end, share] of shown.marks) {
    text.append(...nodes(characters.slice(position, start)));
    text.append(markOf(characters.slice(start, end), share, share === null ? 1 : Math.abs(share) / strongest));
    position = end;
  }
  text.append(...nodes(characters.slice(position)));
  if (shown.is_cut) text.append(make("span", { class: "cut" }, " … (the text goes on)"));
  return text;
}

function markOf(characters, share, strength) {
  const mark = make("mark", { class: share < 0 ? "against" : "for", title: signed(share) }, ...nodes(characters));
  mark.style.setProperty("--strength", strength.toFixed(2));
  return mark;
}

/** Text nodes of readable characters, and escapes as elements of their own. */
function nodes(characters) {
  const pieces = [];
  for (const [shown, escaped] of characters) {
    const last = pieces.at(-1);
    if (last && last[1] === escaped) last[0] += shown;
    else pieces.push([shown, escaped]);
  }
  return pieces.map(([shown, escaped]) => (escaped ? make("span", { class: "escape" }, shown) : shown));
}

function legend(shown) {
  if (!shown.marks.length) return null;
  const against = shown.against === null ? "against it" : "for " + className(shown.against);
  const first = make("span", { class: "sample for" }, "for " + className(shown.label));
  return make("p", { class: "legend" }, first, " ", make("span", { class: "sample against" }, against));
}

/** The largest rows, all others together, and their sum. */
function rowsTable(shown) {
  const [nOthers, others] = shown.rest;
  if (!shown.rows.length && !nOthers) {
    return report.texts ? null : make("p", { class: "note" }, "What each word adds is left out of this report.");
  }
  const widest = Math.max(...shown.rows.map((row) => Math.abs(row[2] ?? 0)), 1e-12);
  const rows = shown.rows.map(([term, count, adds, kind]) => {
    const bar = make("span", { class: "adds " + (adds < 0 ? "against" : "for") });
    bar.style.setProperty("--width", (adds === null ? 1 : Math.abs(adds) / widest).toFixed(3));
    const isPlain = kind === "term" || kind === "value";
    return tableRow(isPlain ? termOf(term) : "[" + termOf(term) + "]", count ?? "", adds, bar);
  });
  if (nOthers) rows.push(tableRow("(" + counted(nOthers, "other") + ")", "", others, ""));
  const sum = tableRow("sum", "", shown.log_odds, "");
  sum.className = "sum";
  const titles = [["term", null], ["count", "number"], ["adds", "number"]];
  const heads = titles.map(([title, kind]) => make("th", { scope: "col", class: kind }, title));
  const head = make("thead", {}, make("tr", {}, ...heads, make("td")));
  const caption = make("caption", {}, "What adds up to the log-odds");
  return make("table", { class: "rows" }, caption, head, make("tbody", {}, ...rows, sum));
}

function tableRow(term, count, adds, bar) {
  const figures = [String(count), signed(adds)].map((figure) => make("td", { class: "number" }, figure));
  return make("tr", {}, make("th", { scope: "row", class: "term" }, term), ...figures, make("td", { class: "bar-cell" }, bar));
}

/** Nothing where it was not sought. */
function flip(shown) {
  if (shown.flip === undefined || !report.texts) return null;
  if (shown.flip === null) {
    return make("p", { class: "flip" }, "No words were found whose removal would change the class.");
  }
  const { words, label } = shown.flip;
  const named = words.slice(0, FLIPPING).flatMap((word, n) => [n ? ", " : "", make("em", { class: "term" }, termOf(word))]);
  const more = words.length > FLIPPING ? " and " + counted(words.length - FLIPPING, "more word") : "";
  return make("p", { class: "flip" }, "Without ", ...named, more, " it would be ", bold(label), ".");
}
