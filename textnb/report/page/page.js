// Start: decompress what came with the page, then bring its lists, matrix, tables and sliders to life.

let report = null;

async function unpack() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot decompress them (it lacks DecompressionStream); a newer one can");
  }
  const bytes = Uint8Array.from(atob(document.getElementById("payload").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function complain(error) {
  const message = document.getElementById("message");
  message.textContent = "Documents and thresholds cannot be shown: " + error.message + ".";
  message.hidden = false;
  document.documentElement.classList.add("without-data");
}

function start() {
  // The event of a details element does not bubble; it is caught on its way down.
  const opened = (event) => event.target.matches?.("details.document[open]") && openDocument(event.target);
  document.addEventListener("toggle", opened, true);
  document.querySelectorAll("details.document[open]").forEach(openDocument);
  startMatrix();
  startThresholds();
  document.querySelectorAll("table.sortable").forEach(startSorting);
  document.documentElement.classList.add("ready");
}

try {
  report = await unpack();
} catch (error) {
  complain(error);
}
if (report !== null) start();
