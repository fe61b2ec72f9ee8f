// Keeps a filtered list current: after a change, the list is requested again. Loaded at the first change.

/** The minimum interval between requests, in milliseconds. */
const PAUSE = 2_000;
/** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
let asked = -PAUSE;

/**
 * Requests the page's own URL, soon, and shows the result in place.
 * @param {import("../feed/page.js").Page} page @param {() => void} shown called after the list was shown
 */
export function renew(page, shown) {
  timer ??= setTimeout(async () => {
    timer = undefined;
    asked = performance.now();
    // If the request fails, the list is unchanged until the next change.
    const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!response?.ok) return;
    const html = await response.text();
    page.show(html.slice(html.indexOf("<main "), html.lastIndexOf("</main>") + "</main>".length));
    shown();
  }, Math.max(150, asked + PAUSE - performance.now()));
}
