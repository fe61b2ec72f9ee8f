// The command palette, `Ctrl K`: finds every destination by a few letters of its name. Loaded when it is first opened.

/** @typedef {{name: string, about: string, url?: string, element?: HTMLElement}} Place */

const MOST = 12;

/**
 * Scores how well a name matches typed text: prefixes first, then prefixes of words, then letters in order; null without a
 * match.
 * @param {string} name @param {string} typed
 */
export function fit(name, typed) {
  const [whole, wanted] = [plain(name), plain(typed)];
  if (whole.startsWith(wanted)) return 0;
  if (whole.split(/[\s/·-]+/).some((word) => word.startsWith(wanted))) return 1;
  if (whole.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    at = whole.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}

/** The text in lower case, without diacritics. @param {string} text */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** The matching places, best first. @template {{name: string}} T @param {T[]} places @param {string} typed @returns {T[]} */
export function fitting(places, typed) {
  return places.map((place) => ({ place, how: fit(place.name, typed) })).filter(({ how }) => how !== null)
    .sort((one, other) => Number(one.how) - Number(other.how)).slice(0, MOST).map(({ place }) => place);
}

/** @type {HTMLDialogElement|undefined} */ let dialog;
/** @type {Place[]} */ let places = [];
/** Resolves when the remaining destinations are loaded. @type {Promise<void>} */ let whole = Promise.resolve();

/** Opens the palette. */
export function open() {
  dialog ??= make();
  const field = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
  field.value = "";
  places = here();
  dialog.showModal();
  field.dispatchEvent(new Event("input"));
  whole = elsewhere().then((more) => {
    places = [...places, ...more];
    dialog?.dispatchEvent(new Event("more"));
  });
}

/** The destinations on the page itself. @returns {Place[]} */
function here() {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-key], .foot a, .foot [data-zone], .foot [data-opens=keys], main .actions button, main [data-copy], main [data-ask]")]);
  return links.map((element) => ({ name: nameOf(element), about: "", element })).filter(({ name }) => name);
}

/** @param {HTMLElement} element */
function nameOf(element) {
  return (element.getAttribute("aria-label") ?? element.innerText ?? element.textContent ?? "").replace(/\s+/g, " ").trim();
}

/**
 * What the overview and the schedules offer in the reader's language and within the reader's permissions: operations, each with its
 * start, stores, decisions and counts, and the pause or resumption of each schedule. The newest runs follow.
 * @returns {Promise<Place[]>}
 */
async function elsewhere() {
  const base = document.querySelector(".mark")?.getAttribute("href") ?? "/";
  const scheduled = document.querySelector(`.bar nav a[href$="/schedules"]`);
  const [overview, list, schedules] = await Promise.all([
    get(base, "document"), get(`${base}api/v1/runs?limit=20`, "json"), scheduled ? get(`${base}schedules`, "document") : null,
  ]);
  const links = (/** @type {string} */ selector) => /** @type {HTMLAnchorElement[]} */ ([...(overview?.querySelectorAll(selector) ?? [])]);
  const place = (/** @type {HTMLAnchorElement} */ link, about = "") => ({ name: nameOf(link), about, url: link.getAttribute("href") ?? "" });
  const found = links("article > header > h2 > a").map((link) => place(link));
  const titles = new Map(found.map(({ name, url }) => [url, name]));
  const counts = links("#summary a").map((link) => (
    { ...place(link), url: link.closest("#summary-failed") ? `${base}runs?phase=failed` : new URL(link.href, new URL(base, location.href)).href }
  ));
  const decisions = links("#attention [id^=asks-] .told").map((told) => (
    { ...place(/** @type {HTMLAnchorElement} */ (told.querySelector("p > a"))), about: nameOf(/** @type {HTMLElement} */ (told.querySelector("a"))) }
  ));
  const answers = links("#attention [id^=asks-] form button").map((choice) => {
    const [operation, question] = choice.closest("li")?.querySelectorAll(".told a") ?? [];
    return { name: `${nameOf(choice)}: ${question?.textContent}`, about: operation?.textContent ?? "", element: button(choice) };
  });
  const pauses = [.../** @type {Iterable<HTMLElement>} */ (schedules?.querySelectorAll(".schedules form button") ?? [])].map((choice) => (
    { name: `${nameOf(choice)}: ${choice.closest("tr")?.querySelector("a")?.textContent}`, about: nameOf(/** @type {HTMLElement} */ (scheduled)), element: button(choice) }
  ));
  const starts = links("article").flatMap((card) => {
    const control = /** @type {HTMLElement|null} */ (card.querySelector("[id^=begin-] button, a[href$='#start'].primary"));
    const title = card.querySelector("h2 > a");
    if (!control || !title) return [];
    const name = `${nameOf(control).replace("…", "")} ${title.textContent}`;
    return [control.matches("button") ? { name, about: "", element: button(control) } : { name, about: "", url: control.getAttribute("href") ?? "" }];
  });
  const runs = (list?.runs ?? []).map((/** @type {any} */ { id, operation }) => (
    { name: `${titles.get(`${base}operations/${operation}`) ?? operation} ${id.slice(-6)}`, about: "", url: `${base}runs/${id}` }
  ));
  return [...found, ...decisions, ...answers, ...counts, ...starts, ...pauses, ...runs];
}

/** A button of a form of another document, which is sent from this one and leads to its result. @param {HTMLElement} choice */
function button(choice) {
  const form = /** @type {HTMLFormElement} */ (choice.closest("form"));
  const own = document.importNode(form, true);
  own.hidden = true;
  own.removeAttribute("id");
  own.dataset.follow = "";
  return own.querySelectorAll("button")[[...form.querySelectorAll("button")].indexOf(/** @type {HTMLButtonElement} */ (choice))];
}

/** Sends the form of a button that is not part of the page. @param {HTMLElement|undefined} button */
function act(button) {
  const form = button?.closest("form");
  if (!form) return;
  dialog?.after(form);
  form.requestSubmit(/** @type {HTMLButtonElement} */ (button));
}

/**
 * The request itself parses a document, in which nothing runs.
 * @param {string} url @param {"document"|"json"} kind @returns {Promise<any>} null on failure
 */
function get(url, kind) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.responseType = kind;
    request.timeout = 5_000;
    request.onloadend = () => resolve(request.status === 200 ? request.response : null);
    request.open("GET", url);
    request.setRequestHeader("Accept", kind === "json" ? "application/json" : "text/html");
    request.send();
  });
}

/** The dialog: a field, and a list with one selected item. */
function make() {
  const words = document.getElementById("keys")?.dataset ?? {};
  const made = document.createElement("dialog");
  made.className = "palette";
  made.setAttribute("aria-label", words.textPalette ?? "Go to");
  const field = document.createElement("input");
  const list = document.createElement("ul");
  const none = document.createElement("p");
  Object.assign(list, { id: "palette-list", role: "listbox" });
  Object.assign(none, { className: "muted", textContent: words.textNothing ?? "No matches." });
  none.setAttribute("role", "status");
  field.type = "text";
  field.placeholder = words.textPalette ?? "Go to";
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-expanded": "true", "aria-controls": list.id, "aria-autocomplete": "list", "aria-label": field.placeholder, autocomplete: "off", spellcheck: "false",
  })) field.setAttribute(name, value);
  list.setAttribute("aria-label", field.placeholder);
  made.append(field, list, none);
  document.body.append(made);
  /** @type {Place[]} */ let shown = [];
  let chosen = 0;
  let isMoved = false;
  const choose = (/** @type {number} */ index) => {
    chosen = shown.length ? (index + shown.length) % shown.length : 0;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    const item = list.children[chosen];
    if (item) field.setAttribute("aria-activedescendant", item.id);
    else field.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  };
  const go = (/** @type {Place|undefined} */ place) => {
    if (!place) return;
    made.close();
    if (place.url) location.assign(place.url);
    else if (place.element?.isConnected) place.element.click();
    else act(place.element);
  };
  const show = () => {
    const before = isMoved ? shown[chosen] : undefined;
    shown = fitting(places, field.value);
    none.hidden = shown.length > 0;
    list.replaceChildren(...shown.map(({ name, about }, index) => {
      const item = Object.assign(document.createElement("li"), { id: `palette-${index}`, role: "option" });
      const more = Object.assign(document.createElement("span"), { className: "muted", textContent: about });
      item.append(name, more);
      item.onclick = () => go(shown[index]);
      return item;
    }));
    choose(before ? Math.max(0, shown.indexOf(before)) : 0);
  };
  field.addEventListener("input", () => { isMoved = false; show(); });
  made.addEventListener("more", show);
  made.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      isMoved = true;
      choose(chosen + step);
    } else if (event.key === "Enter") {
      // Enter right after typing selects the best of all places, not only of those loaded so far.
      void Promise.resolve(isMoved || whole).then(() => made.open && go(shown[chosen]));
    } else return;
    event.preventDefault();
  });
  made.addEventListener("click", (event) => { if (event.target === made) made.close(); });
  return made;
}
