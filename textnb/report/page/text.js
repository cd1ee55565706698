// Text from documents, made visible: it enters the page as text only, and what acts or hides is shown as an escape.

const BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"; // count as printable, yet show nothing
const MARKS_SHOWN = 4; // combining marks on one character
const NAME_WIDTH = 60;
const TERM_WIDTH = 40;
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

/** Cut in the middle: names that share a beginning tend to differ at the end. */
function shorten(text, width) {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const tail = Math.floor((width - 1) / 2);
  return characters.slice(0, width - 1 - tail).join("") + "…" + characters.slice(-tail).join("");
}

const className = (number) => shorten(printable(report.classes[number]), NAME_WIDTH) || '""';

/** A word of the model: long ones cut, those with a blank at an end in quotation marks. */
function termOf(word) {
  const shown = shorten(printable(word), TERM_WIDTH);
  return shown === "" || /^ | $/.test(word) ? '"' + shown + '"' : shown;
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
