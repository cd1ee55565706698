// Text from documents, made visible: it enters the page as text only, and what acts or hides is shown as an escape.

const BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"; // count as printable, yet show nothing
const MARKS_SHOWN = 4; // combining marks on one character
const HIDDEN = /^[\p{C}\p{Z}]$/u;
const MARK = /^[\p{Mn}\p{Me}]$/u;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Pieces of [text, whether it is an escape], of the characters of a text; `kept` are left as they are. */
function visiblePieces(characters, kept = "") {
  const pieces = [];
  let marks = MARKS_SHOWN; // a leading mark would land on whatever stands before the text
  for (const character of characters) {
    marks = MARK.test(character) ? marks + 1 : 0;
    const hidden = character !== " " && (HIDDEN.test(character) || BLANKS.includes(character) || marks > MARKS_SHOWN);
    const escaped = hidden && !kept.includes(character);
    const shown = escaped ? escapeOf(character) : character;
    const last = pieces.at(-1);
    if (last && last[1] === escaped) last[0] += shown;
    else pieces.push([shown, escaped]);
  }
  return pieces;
}

function escapeOf(character) {
  if (SHORT[character]) return SHORT[character];
  const code = character.codePointAt(0);
  if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
  return code < 0x10000 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
}

/** A name or a word on one line. */
function printable(text) {
  return visiblePieces(Array.from(String(text))).map(([shown]) => shown).join("");
}

function className(number) {
  const shown = printable(report.classes[number]);
  return shown.length > 60 ? shown.slice(0, 30) + "…" + shown.slice(-29) : shown || '""';
}

/** An element; children are elements or strings, which become text. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const decimal = (value, digits = 3) => (Number.isFinite(value) ? value.toFixed(digits) : "–");
const percent = (value, digits = 1) => (Number.isFinite(value) ? (100 * value).toFixed(digits) + " %" : "–");
const counted = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");

function signed(value) {
  if (value === null) return "∞";
  return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

function probability(value) {
  if (value === null) return "–";
  if (value >= 0.99995) return "> 0.9999";
  return value < 0.00005 ? "< 0.0001" : value.toFixed(4);
}
