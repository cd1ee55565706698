// One class against the rest: a threshold, a band of unsure below it, costs, and the figures that follow.

const COSTS = ["false-alarm", "miss", "unsure"];
const TABLE_ROWS = 20;

const chosen = { entry: null, upper: 0, lower: 0 };

function startThresholds() {
  const select = document.getElementById("chosen-class");
  if (!select) return;
  select.addEventListener("change", () => chooseClass(report.thresholds[Number(select.value)]));
  slider("threshold").addEventListener("input", () => setUpper(Number(slider("threshold").value)));
  slider("lower").addEventListener("input", () => setBand(chosen.upper, Number(slider("lower").value)));
  for (const name of COSTS) costField(name).addEventListener("input", showDecision);
  document.getElementById("cheapest").addEventListener("click", () => setBand(...cheapest()));
  document.getElementById("reset").addEventListener("click", () => setBand(middle(), middle()));
  chooseClass(report.thresholds[Number(select.value)]);
}

const slider = (name) => document.getElementById(name);
const threshold = (index) => chosen.entry.points[index][0];

function chooseClass(entry) {
  chosen.entry = entry;
  document.getElementById("curve-class").textContent = className(entry.class);
  drawCurve(entry);
  fillTable(entry);
  setBand(middle(), middle());
}

/** The step whose threshold is nearest to one half. */
function middle() {
  const away = chosen.entry.points.map(([at]) => Math.abs(at - 0.5));
  return away.indexOf(Math.min(...away));
}

/** Without a band the two thresholds move together; with one, the lower stays where it was put. */
function setUpper(upper) {
  setBand(upper, chosen.lower === chosen.upper ? upper : Math.min(chosen.lower, upper));
}

function setBand(upper, lower) {
  chosen.upper = upper;
  chosen.lower = Math.min(lower, upper);
  const isBand = chosen.lower < chosen.upper;
  placeSlider("threshold", chosen.upper, chosen.entry.points.length - 1, writtenThreshold(chosen.upper));
  placeSlider("lower", chosen.lower, chosen.upper, isBand ? writtenThreshold(chosen.lower) : "none");
  slider("lower").classList.toggle("idle", !isBand);
  showDecision();
}

const writtenThreshold = (index) => threshold(index).toPrecision(3);

function placeSlider(name, value, max, written) {
  slider(name).max = max;
  slider(name).value = value;
  slider(name).setAttribute("aria-valuetext", written);
  document.getElementById(name + "-value").textContent = written;
}

/** Counts at an upper and a lower threshold: reaching the upper is named, below the lower is not, between is unsure. */
function outcomes(entry, upper, lower) {
  const [, tp, fp] = entry.points[upper];
  const [, tpLower, fpLower] = entry.points[lower];
  const counts = { tp, fp, fn: entry.n_positive - tpLower, tn: entry.n_negative - fpLower };
  return { ...counts, "unsure-positive": tpLower - tp, "unsure-negative": fpLower - fp };
}

/** The three costs; NaN for what is no number of 0 or more. */
function costs() {
  return COSTS.map((name) => costField(name).valueAsNumber).map((cost) => (cost >= 0 ? cost : NaN));
}

const costField = (name) => document.getElementById("cost-" + name);

/** Costs that are refused are marked, and nothing is computed from them. */
function markCosts(paid) {
  const isValid = paid.every(Number.isFinite);
  paid.forEach((cost, n) => costField(COSTS[n]).setAttribute("aria-invalid", String(!Number.isFinite(cost))));
  document.getElementById("cost-problem").hidden = isValid;
  document.getElementById("cheapest").disabled = !isValid;
}

function totalCost(found, [falseAlarm, miss, unsure]) {
  return falseAlarm * found.fp + miss * found.fn + unsure * unsureOf(found);
}

const unsureOf = (found) => found["unsure-positive"] + found["unsure-negative"];

/** The cheapest pair of thresholds; of equal ones the narrowest band, then the one nearest to one half. */
function cheapest() {
  const paid = costs();
  const half = middle();
  let best = null;
  for (let upper = 0; upper < chosen.entry.points.length; upper++) {
    for (let lower = 0; lower <= upper; lower++) {
      const found = outcomes(chosen.entry, upper, lower);
      const rank = [totalCost(found, paid), unsureOf(found), Math.abs(upper - half), upper - lower];
      if (best === null || isBefore(rank, best.rank)) best = { rank, upper, lower };
    }
  }
  return [best.upper, best.lower];
}

function isBefore(first, second) {
  const n = first.findIndex((value, position) => Math.abs(value - second[position]) > 1e-9);
  return n >= 0 && first[n] < second[n];
}

function showDecision() {
  const entry = chosen.entry;
  const found = outcomes(entry, chosen.upper, chosen.lower);
  const n = entry.n_positive + entry.n_negative;
  for (const [name, count] of Object.entries(found)) write(name, count.toLocaleString("en"));
  write("precision", decimal(found.tp / (found.tp + found.fp), 4));
  write("recall", decimal(found.tp / entry.n_positive, 4));
  write("false-positive-rate", decimal(found.fp / entry.n_negative, 4));
  write("unsure-share", decimal(unsureOf(found) / n, 4));
  const paid = costs();
  markCosts(paid);
  write("mean-cost", decimal(totalCost(found, paid) / n, 4));
  const [from, to] = [writtenThreshold(chosen.lower), writtenThreshold(chosen.upper)];
  const band = chosen.lower < chosen.upper ? " From " + from + " to " + to + " it is unsure." : "";
  write("decision-sentence", "Named " + className(entry.class) + " from a probability of " + to + " on." + band);
  const [place] = curvePoints(entry, [entry.points[chosen.upper]]);
  document.querySelector("#curve .dots").setAttribute("d", place ? "M" + place + "h0" : "");
}

function write(name, text) {
  document.getElementById(name).textContent = text;
}

/** Recall and precision of points where both exist. */
function curvePoints(entry, points) {
  const defined = points.filter(([, tp, fp]) => tp + fp && entry.n_positive);
  return defined.map(([, tp, fp]) => (tp / entry.n_positive).toFixed(5) + "," + (tp / (tp + fp)).toFixed(5));
}

function drawCurve(entry) {
  document.querySelector("#curve .line").setAttribute("points", curvePoints(entry, entry.points).join(" "));
}

function fillTable(entry) {
  const step = Math.max(1, Math.floor(entry.points.length / TABLE_ROWS));
  const rows = entry.points.filter((_, n) => n % step === 0).map(([at, tp, fp]) => {
    const shares = [decimal(tp / (tp + fp)), decimal(tp / entry.n_positive)];
    const cells = [tp.toLocaleString("en"), fp.toLocaleString("en"), ...shares].map((figure) => make("td", { class: "number" }, figure));
    return make("tr", {}, make("th", { scope: "row", class: "number" }, at.toPrecision(4)), ...cells);
  });
  document.querySelector("#curve-table tbody").replaceChildren(...rows);
}
