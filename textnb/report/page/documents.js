// A document opened: its text with what mattered underlined, the decision, what adds up to it, and what would flip it.

const SNIPPET = 140;

/** A line for a document that opens, as in the lists that come with the page. */
function documentEntry(number) {
  const shown = report.documents[number];
  const summary = make(
    "summary",
    {},
    make("span", { class: "headline" }, make("span", { class: "figure" }, probability(shown.probability))),
    make("span", { class: "where" }, printable(shown.where)),
    shown.text ? make("span", { class: "snippet" }, snippet(shown.text)) : null,
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
  const body = make("div", { class: "body" }, make("div", { class: "reading" }, decision(shown), textOf(shown), legend(shown)));
  body.append(make("div", { class: "adding" }, rowsTable(shown), flip(shown)));
  details.append(body);
}

function decision(shown) {
  const named = make("b", {}, className(shown.predicted));
  const truth = shown.true === shown.predicted ? [", rightly"] : [", in truth ", make("b", {}, className(shown.true))];
  const sure = [" with probability ", probability(shown.probability)];
  if (shown.true_probability !== null && shown.true !== shown.predicted) {
    truth.push(" (" + probability(shown.true_probability) + ")");
  }
  const odds =
    shown.against === null
      ? []
      : ["; log-odds ", make("span", { class: "figure" }, signed(shown.log_odds)), " for ", className(shown.label)]
          .concat([" against ", className(shown.against)]);
  const unknown = shown.unknown_share === null ? "" : ", " + percent(shown.unknown_share, 0) + " unknown";
  const words = "; " + counted(shown.n_words, "word") + unknown;
  return make("p", { class: "decision" }, "Named ", named, ...sure, ...truth, ...odds, words, ".");
}

function textOf(shown) {
  if (shown.text === null) return make("p", { class: "note" }, "The text is left out of this report.");
  const text = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text", dir: "auto" });
  const characters = Array.from(shown.text);
  const strongest = Math.max(...shown.marks.map(([, , share]) => Math.abs(share ?? Infinity)), 1e-12);
  let position = 0;
  for (const [start, end, share] of shown.marks) {
    text.append(...nodes(characters.slice(position, start)));
    const strength = Math.abs(share ?? Infinity) === strongest ? 1 : Math.abs(share) / strongest;
    const mark = make("mark", { class: share < 0 ? "against" : "for", title: signed(share) }, ...nodes(characters.slice(start, end)));
    mark.style.setProperty("--strength", strength.toFixed(2));
    text.append(mark);
    position = end;
  }
  text.append(...nodes(characters.slice(position)));
  if (shown.is_cut) text.append(make("span", { class: "cut" }, " … (the text goes on)"));
  return text;
}

/** Text nodes, and escapes as elements of their own; line breaks and tabs stay. */
function nodes(characters) {
  const kept = characters.filter((character, n) => !(character === "\r" && characters[n + 1] === "\n"));
  return visiblePieces(kept, "\n\t").map(([shown, escaped]) => (escaped ? make("span", { class: "escape" }, shown) : shown));
}

function legend(shown) {
  if (!shown.marks.length) return "";
  const label = className(shown.label);
  const against = shown.against === null ? "against it" : "for " + className(shown.against);
  const samples = [make("span", { class: "sample for" }, "for " + label), " ", make("span", { class: "sample against" }, against)];
  return make("p", { class: "legend" }, ...samples);
}

function rowsTable(shown) {
  const [nOthers, others] = shown.rest;
  const widest = Math.max(...shown.rows.map((row) => Math.abs(row[2] ?? 0)), Math.abs(others ?? 0), 1e-12);
  const rows = shown.rows.map(([term, count, adds, kind]) => row(kind === "term" ? printable(term) : "[" + printable(term) + "]", count, adds, widest));
  if (nOthers) rows.push(row(report.texts ? "(" + counted(nOthers, "other") + ")" : "(" + counted(nOthers, "row") + ")", null, others, widest));
  const sum = make("tr", { class: "sum" }, make("th", { scope: "row" }, "sum"), make("td"), make("td", { class: "number" }, signed(shown.log_odds)), make("td"));
  const titles = ["term", "count", "adds"].map((title, n) => make("th", { scope: "col", class: n ? "number" : null }, title));
  const head = make("thead", {}, make("tr", {}, ...titles, make("td")));
  return make("table", { class: "rows" }, make("caption", {}, "What adds up to the log-odds"), head, make("tbody", {}, ...rows, sum));
}

function row(term, count, adds, widest) {
  const bar = make("span", { class: "adds " + (adds < 0 ? "against" : "for") });
  bar.style.setProperty("--width", Math.min(Math.abs(adds ?? widest) / widest, 1).toFixed(3));
  return make("tr", {}, make("th", { scope: "row" }, term), make("td", { class: "number" }, count === null ? "" : String(count)), make("td", { class: "number" }, signed(adds)), make("td", { class: "bar-cell" }, bar));
}

function flip(shown) {
  if (!report.texts) return "";
  if (shown.flip === null) return make("p", { class: "flip" }, "There are no words whose removal would change this decision.");
  const words = shown.flip.words.slice(0, 12).flatMap((word, n) => [n ? ", " : "", make("em", {}, printable(word))]);
  const more = shown.flip.words.length > 12 ? " and " + counted(shown.flip.words.length - 12, "more word") : "";
  return make("p", { class: "flip" }, "Without ", ...words, more, " it would be ", make("b", {}, className(shown.flip.label)), ".");
}
