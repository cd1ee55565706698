// The confusion matrix: a cell opens its documents; arrow keys move between cells. And tables that sort.

const LISTED_AT_ONCE = 50;

function startMatrix() {
  const matrix = document.getElementById("matrix");
  const buttons = [...matrix.tBodies[0].rows].map((row) => [...row.querySelectorAll("button")]);
  matrix.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) openCell(matrix, buttons, button);
  });
  for (const link of document.querySelectorAll("button.link")) {
    link.addEventListener("click", () => {
      const [down, across] = [link.dataset.true, link.dataset.predicted];
      const row = [...matrix.tBodies[0].rows].findIndex((candidate) => candidate.dataset.class === down);
      const column = [...matrix.tHead.querySelectorAll("[data-class]")].findIndex((head) => head.dataset.class === across);
      buttons[row]?.[column]?.focus();
      buttons[row]?.[column]?.click();
    });
  }
  matrix.addEventListener("keydown", (event) => moveFocus(event, buttons));
}

function moveFocus(event, buttons) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const down = buttons.findIndex((row) => row.includes(event.target));
  if (down < 0 || event.altKey || event.metaKey) return;
  const across = buttons[down].indexOf(event.target);
  const last = buttons[down].length - 1;
  let target;
  if (steps[event.key]) target = buttons[down + steps[event.key][0]]?.[across + steps[event.key][1]];
  else if (event.key === "Home") target = buttons[event.ctrlKey ? 0 : down][0];
  else if (event.key === "End") target = buttons[event.ctrlKey ? last : down][last];
  else return;
  event.preventDefault();
  if (target) rove(buttons, target).focus();
}

/** One cell is in the tab order, the one that was last looked at. */
function rove(buttons, target) {
  for (const button of buttons.flat()) button.tabIndex = button === target ? 0 : -1;
  return target;
}

function openCell(matrix, buttons, button) {
  rove(buttons, button);
  matrix.querySelector("[aria-current]")?.removeAttribute("aria-current");
  button.setAttribute("aria-current", "true");
  const cell = button.closest("td");
  const trueClass = Number(cell.parentElement.dataset.class);
  const predicted = Number(matrix.tHead.rows[0].cells[cell.cellIndex].dataset.class);
  const found = report.cells.find((entry) => entry[0] === trueClass && entry[1] === predicted);
  const [n, numbers] = found ? found.slice(2) : [0, []];
  const isRight = trueClass === predicted;
  const names = className(trueClass) + (isRight ? " rightly named" : " taken for " + className(predicted));
  const title = document.getElementById("cell-title");
  title.textContent = names + ": " + counted(n, "document");
  const part = numbers.length < n ? "Shown are the " + numbers.length + " of which the model was " : "";
  document.getElementById("cell-about").textContent = part && part + (isRight ? "least sure." : "surest.");
  const list = document.getElementById("cell-list");
  list.replaceChildren();
  list.hidden = !numbers.length;
  listSome(list, numbers, 0);
  title.scrollIntoView({ block: "nearest" });
}

function listSome(list, numbers, from) {
  const until = from + LISTED_AT_ONCE;
  list.append(...numbers.slice(from, until).map((number) => make("li", {}, documentEntry(number))));
  if (until >= numbers.length) return;
  const more = make("button", { type: "button" }, "Show " + Math.min(LISTED_AT_ONCE, numbers.length - until) + " more");
  const entry = make("li", { class: "more" }, more);
  more.addEventListener("click", () => {
    entry.remove();
    listSome(list, numbers, until);
    list.children[until].querySelector("summary").focus();
  });
  list.append(entry);
}

function startSorting(table) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    header.querySelector("button").addEventListener("click", () => sortBy(table, headers, column));
  });
}

/** Names upward first, figures downward first; a second click turns the order round. */
function sortBy(table, headers, column) {
  const body = table.tBodies[0];
  const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const isNumber = body.rows[0].cells[column].dataset.value !== undefined;
  const current = headers[column].getAttribute("aria-sort");
  const first = isNumber && column > 0 ? "descending" : "ascending";
  const order = current === "none" ? first : current === "ascending" ? "descending" : "ascending";
  const sign = order === "ascending" ? 1 : -1;
  const compare = isNumber ? (a, b) => Number(key(a)) - Number(key(b)) : (a, b) => key(a).localeCompare(key(b), "en");
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  headers.forEach((header, n) => header.setAttribute("aria-sort", n === column ? order : "none"));
}
