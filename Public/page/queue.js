// Files for an operation, also several and whole folders: dropped on the form or chosen, and sent one after the other, each
// to its own run. Loaded when a page has a form that takes a file.

import { keep } from "../feed/claims.js";

/** @typedef {import("./forms.js").Reply} Reply */
/** @typedef {{file: File, row: HTMLElement, stop: AbortController, state: string}} Item */

/** The URL of resumable uploads, or null if the form's input cannot be stored on the server's disk. @param {HTMLFormElement} form @param {string} url */
export function uploadsOf(form, url) {
  const uploads = url.replace(/(\/operations\/[^/]+)\/runs$/, "$1/uploads");
  return uploads === url || !form.querySelector("[data-queue]") || form.querySelector("[type=password]") ? null : uploads;
}

/** Lets forms take several files, and dropped folders. */
export function prepare() {
  for (const list of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-queue]:not([data-ready])"))) {
    const form = /** @type {HTMLFormElement} */ (list.closest("form"));
    const input = /** @type {HTMLInputElement} */ (form.querySelector("[type=file]"));
    const url = uploadsOf(form, new URL(form.getAttribute("action") ?? "", document.baseURI).href);
    list.dataset.ready = "";
    keep(list, "#content", "data-ready", "hidden");
    if (!url) continue;
    input.multiple = true;
    keep(input, "multiple");
    keep(form, "data-over");
    const hint = /** @type {HTMLElement|null} */ (form.querySelector("[data-drop]"));
    if (hint) {
      hint.hidden = false;
      keep(hint, "hidden");
    }
    input.addEventListener("change", () => {
      if (form.getAttribute("aria-busy") !== "true") void show(list, input, url);
    });
    form.addEventListener("dragover", (event) => over(event, true));
    form.addEventListener("dragleave", (event) => over(event, false));
    form.addEventListener("drop", async (event) => {
      over(event, false);
      if (form.getAttribute("aria-busy") === "true" || !event.dataTransfer) return;
      const files = await dropped(event.dataTransfer);
      if (!files.length) return;
      choose(input, files);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      void show(list, input, url);
    });
    void show(list, input, url);
  }
}

/** @param {DragEvent} event @param {boolean} isOver */
function over(event, isOver) {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  /** @type {HTMLElement} */ (event.currentTarget).toggleAttribute("data-over", isOver);
}

/** @param {HTMLInputElement} input @param {File[]} files */
function choose(input, files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  input.files = chosen.files;
}

/** The dropped files, including those in folders. @param {DataTransfer} transfer */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  if (!entries.some(Boolean)) return [...transfer.files];
  return (await Promise.all(entries.map((entry) => (entry ? within(entry) : [])))).flat();
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function within(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject))];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const files = [];
  for (;;) {
    const some = await new Promise((/** @type {(entries: FileSystemEntry[]) => void} */ resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return files;
    for (const each of some) files.push(...await within(each));
  }
}

/** Shows the chosen files, and the uploads begun on an earlier visit. @param {HTMLElement} list @param {HTMLInputElement} input @param {string} url */
async function show(list, input, url) {
  const { unfinished, forget } = await import("./resume.js");
  const files = [...(input.files ?? [])];
  list.replaceChildren();
  if (files.length > 1) for (const file of files) row(list, file.name, "waiting");
  for (const [name, { at, name: filename, size }] of unfinished(url)) {
    if (files.some((file) => file.name === filename && file.size === size)) continue;
    const line = row(list, filename, "again");
    button(list, line, filename).onclick = () => {
      void forget(name, at);
      line.remove();
      list.hidden = !list.children.length;
    };
  }
  list.hidden = !list.children.length;
}

/** @param {HTMLElement} list @param {string} name @param {string} state */
function row(list, name, state) {
  const line = document.createElement("li");
  const title = document.createElement("span");
  title.textContent = name;
  line.append(title, document.createElement("span"));
  list.append(line);
  mark(list, line, state);
  return line;
}

/** @param {HTMLElement} list @param {HTMLElement} line @param {string} state */
function mark(list, line, state) {
  line.className = state;
  line.children[1].textContent = list.dataset[state] ?? state;
}

/** @param {HTMLElement} list @param {HTMLElement} line @param {string} name */
function button(list, line, name) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = list.dataset.stop ?? "";
  made.setAttribute("aria-label", `${made.textContent}: ${name}`);
  line.append(made);
  return made;
}

/**
 * Sends the files of a form one after the other.
 * @param {HTMLFormElement} form @param {string} url @param {FormData} data @param {Record<string, string>} headers
 * @param {AbortSignal} signal stops them all
 * @param {{sent: (sent: number, total: number) => void, waiting: () => void}} progress
 * @returns {Promise<Reply|null>} the last one, or that of a failed file; null if stopped
 */
export async function sendAll(form, url, data, headers, signal, progress) {
  const { resume } = await import("./resume.js");
  const list = /** @type {HTMLElement} */ (form.querySelector("[data-queue]"));
  const input = /** @type {HTMLInputElement} */ (form.querySelector("[type=file]"));
  const files = /** @type {File[]} */ (data.getAll(input.name));
  list.replaceChildren();
  list.hidden = files.length < 2;
  const items = files.map((file) => {
    const line = row(list, file.name, "waiting");
    /** @type {Item} */ const item = { file, row: line, stop: new AbortController(), state: "waiting" };
    button(list, line, file.name).onclick = () => stop(item);
    return item;
  });
  signal.addEventListener("abort", () => items.forEach(stop));
  if (signal.aborted) items.forEach(stop);
  /** @type {Reply|null} */ let last = null;
  /** @type {Reply|null} */ let failed = null;
  for (const [index, item] of items.entries()) {
    if (item.state !== "waiting") continue;
    become(item, "sending");
    const { file } = item;
    data.set(input.name, file);
    const own = { ...headers, "Idempotency-Key": `${headers["Idempotency-Key"]}-${index}` };
    const reply = await resume(url, data, file, own, item.stop.signal, {
      sent: (count) => progress.sent(count, file.size), waiting: progress.waiting,
    });
    const isSent = reply && reply.status >= 200 && reply.status < 300;
    become(item, isSent ? "sent" : reply ? "failed" : "stopped");
    if (reply?.url === "gone") reply.body = { title: list.dataset.gone };
    if (isSent) last = reply;
    else failed = reply ?? failed;
  }
  const left = items.filter(({ state }) => state !== "sent").map(({ file }) => file);
  if (left.length && left.length < files.length) choose(input, left);
  return failed ?? (left.length ? null : last);

  /** @param {Item} item */
  function stop(item) {
    if (item.state === "waiting") become(item, "stopped");
    else if (item.state === "sending") item.stop.abort();
  }

  /** @param {Item} item @param {string} state */
  function become(item, state) {
    item.state = state;
    mark(list, item.row, state);
    if (state !== "waiting" && state !== "sending") item.row.querySelector("button")?.remove();
  }
}
