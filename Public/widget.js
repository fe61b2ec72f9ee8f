// A widget in a frame on another site: requests its document after each change. Self-contained, since such a frame may have
// neither storage nor the rest of a page.

/** The minimum interval between documents, in milliseconds, and the maximum wait after failures. */
const SHORTEST = 1_000, LONGEST = 60_000;

/** The wait before the next request. @param {number} failures the number of consecutive failures */
export function pause(failures) {
  return Math.min(SHORTEST * 2 ** Math.min(failures, 10), LONGEST);
}

/** @param {Document} place */
async function follow(place) {
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("weir", { createHTML: (/** @type {string} */ html) => html });
  const away = place.getElementById("away");
  let failures = 0;
  for (;;) {
    const page = place.getElementById("page");
    const after = page?.dataset.after;
    if (!after) return;
    try {
      const response = await fetch(after, { headers: { Accept: "text/html" } });
      if (!response.ok) throw new Error(`The server answered ${response.status}`);
      const html = await response.text();
      const fresh = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html").getElementById("page");
      if (!fresh) throw new Error("The answer is no widget");
      const focused = place.activeElement?.id;
      page.replaceWith(place.adoptNode(fresh));
      if (focused) place.getElementById(focused)?.focus();
      failures = 0;
    } catch (error) {
      console.warn("The widget could not be brought up to date:", error);
      failures += 1;
    }
    if (away) away.hidden = failures < 2;
    await new Promise((resolve) => { setTimeout(resolve, pause(failures)); });
    if (place.hidden) await new Promise((resolve) => { place.addEventListener("visibilitychange", resolve, { once: true }); });
  }
}

if (globalThis.document) void follow(document);
