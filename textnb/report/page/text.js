// Text from documents, made visible: it enters the page as text only, and what acts or hides is shown as an escape.

const BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"; // count as printable, yet show nothing
const SELECTOR = /^[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
const JOINER = /^[\u200c\u200d]$/;
// Where joiners and variation selectors are seen, as in Persian and Indic words and in emoji; `report/safe.py` says why.
const SHAPING = /(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca])[\u200c\u200d]|(?<=[\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff])\u200c(?=[\u0620\u0622-\u063f\u0641-\u064a\u066e\u066f\u0671-\u0673\u0675-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff])|(?<=\u09b0)\u200d(?=\u09cd)|(?<=[\u2194\u2195\u2600-\u27bf\u2b1b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f900}-\u{1f9ff}])\u200d(?=[\u2194\u2195\u2600-\u27bf\u2b1b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f900}-\u{1f9ff}])|(?<=[\u2194\u2195\u2600-\u27bf\u2b1b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f900}-\u{1f9ff}]\ufe0f)\u200d(?=[\u2194\u2195\u2600-\u27bf\u2b1b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f900}-\u{1f9ff}])|(?<=[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u25a0-\u25ff\u3030\u303d\u2194\u2195\u2600-\u27bf\u2b1b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f900}-\u{1f9ff}])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)|(?<=[\u1820-\u1878])[\u180b-\u180d\u180f]/gu;
const MARKS_SHOWN = 4; // combining marks on one character
const NAME_WIDTH = 60;
const TERM_WIDTH = 40;
const HIDDEN = /^[\p{C}\p{Z}]$/u;
const BLANK = /^\p{Zs}$/u;
const MARK = /^[\p{Mn}\p{Me}]$/u;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** [text, whether it is an escape] of each character of a text. */
function shownCharacters(text) {
  const shaping = new Set(Array.from(text.matchAll(SHAPING), (found) => found.index));
  let marks = MARKS_SHOWN; // a leading mark would land on whatever stands before the text
  let position = 0;
  return Array.from(text, (character) => {
    const isJoiner = JOINER.test(character);
    if (!isJoiner) marks = MARK.test(character) ? marks + 1 : 0;
    const visible =
      isJoiner || SELECTOR.test(character)
        ? shaping.has(position)
        : character === " " || !(HIDDEN.test(character) || BLANKS.includes(character));
    position += character.length;
    return visible && marks <= MARKS_SHOWN ? [character, false] : [escapeOf(character), true];
  });
}

/** The characters of a text that is read: line breaks and tabs stay, and every kind of blank is a plain one. */
function readable(text) {
  const characters = Array.from(text);
  return shownCharacters(text).map((shown, n) => {
    const character = characters[n];
    if (character === "\r" && characters[n + 1] === "\n") return ["", false];
    if (character === "\n" || character === "\t") return [character, false];
    return BLANK.test(character) ? [" ", false] : shown;
  });
}

function escapeOf(character) {
  if (SHORT[character]) return SHORT[character];
  const code = character.codePointAt(0);
  if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
  return code < 0x10000 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
}

/** A name or a word on one line. */
function printable(text) {
  return shownCharacters(String(text)).map(([shown]) => shown).join("");
}

/** Cut in the middle: names that share a beginning tend to differ at the end. */
function shorten(text, width) {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const tail = Math.floor((width - 1) / 2);
  const [head, end] = [characters.slice(0, width - 1 - tail).join(""), characters.slice(-tail).join("")];
  return head.replace(/[\u200c\u200d]+$/, "") + "…" + end.replace(/^[\u200c\u200d\ufe0e\ufe0f]+/, "");
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
