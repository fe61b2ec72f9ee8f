// A list that a filter makes follows changes: when one happens, the list is asked for again. Loaded at the first change.

/** Milliseconds between two questions. */
const PAUSE = 2_000;
/** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
let asked = -PAUSE;

/**
 * Asks for the page's own address, soon, and shows it in place.
 * @param {import("../feed/page.js").Page} page @param {() => void} shown called after the list was shown
 */
export function renew(page, shown) {
  timer ??= setTimeout(async () => {
    timer = undefined;
    asked = performance.now();
    // Without an answer the list stays as it is, until the next change.
    const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!response?.ok) return;
    const html = await response.text();
    page.show(html.slice(html.indexOf("<main "), html.lastIndexOf("</main>") + "</main>".length));
    shown();
  }, Math.max(150, asked + PAUSE - performance.now()));
}
