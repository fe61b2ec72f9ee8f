// Small things a page does beside following its feed.

/** Mirrors `#page-title` to `document.title` and to `link#favicon`, whose `data-icon-…` attributes name the icons. */
export function mirrorTitle() {
  const said = document.getElementById("page-title")?.dataset;
  if (!said) return;
  if (said.title && document.title !== said.title) document.title = said.title;
  const link = /** @type {HTMLLinkElement|null} */ (document.getElementById("favicon"));
  const icon = link?.getAttribute(`data-icon-${said.icon ?? "idle"}`);
  if (link && icon && link.getAttribute("href") !== icon) link.setAttribute("href", icon);
}

/** A scrubber is sent when it rests for this long. */
const REST = 250;

/** Sends the form of a `[data-scrub]` range soon after it changed. */
export function listenToScrubbers() {
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  document.addEventListener("change", (event) => {
    const range = /** @type {HTMLInputElement} */ (event.target);
    if (!range.matches("input[type=range][data-scrub]")) return;
    clearTimeout(timer);
    timer = setTimeout(() => range.form?.requestSubmit(), REST);
  });
}

/** In development, complains about ids that occur twice: patches find elements by them. @param {HTMLElement} page */
export function checkIds(page) {
  if (!page.hasAttribute("data-development") || !/^(localhost|127\.|\[::1\])/.test(location.hostname)) return;
  const seen = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (seen.has(id)) console.error(`The id ${id} is used twice; patches will miss one of them`);
    seen.add(id);
  }
}
