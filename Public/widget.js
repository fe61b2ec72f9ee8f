// A widget in a frame on another site: asks for its document after the next change, again and again. It stands alone, since
// such a frame may have neither storage nor the rest of a page.

/** At most one document in this time, in milliseconds, and after as many failures at least one in that. */
const SHORTEST = 1_000, LONGEST = 60_000;

/** How long to wait before the next request. @param {number} failures how many there were one after the other */
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
