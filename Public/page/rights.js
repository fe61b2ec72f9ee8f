// Notices on every page that the viewer's rights have changed or that the session has ended, also on pages that follow no feed.

/** The time between two checks of a visible page, in milliseconds. */
const EVERY = 15_000;

/**
 * Checks the viewer's rights while the page is visible, and at once when it becomes visible.
 * @param {HTMLElement} account the element with the URL of the account and the label of the rights that the page was made for
 * @param {() => void} lost called once, when the viewer may no longer see the page
 * @param {{fetch: typeof fetch, hidden: () => boolean, href: () => string}} world
 */
export function watchRights(account, lost, world) {
  let { rights = "", audience = "" } = account.dataset;
  let busy = false, over = false;
  return async () => {
    if (busy || over || world.hidden()) return;
    busy = true;
    try {
      const response = await world.fetch(rights, { cache: "no-store", headers: { Accept: "application/json" } });
      // Another error says nothing about the rights.
      if (!response.ok && response.status !== 401 && response.status !== 403) return;
      const now = response.ok ? (await response.json()).audience : "";
      if (now === audience) return;
      const page = await world.fetch(world.href(), { cache: "no-store", redirect: "manual", headers: { Accept: "text/html" } });
      if (page.ok) audience = now;
      else if (page.status < 500) {
        over = true;
        lost();
      }
    } catch {
      // The server cannot be reached; the next check repeats the request.
    } finally {
      busy = false;
    }
  };
}

/** Starts the checks. @param {HTMLElement} account @param {() => void} lost */
export function listenToRights(account, lost) {
  const check = watchRights(account, lost, { fetch: (...request) => fetch(...request), hidden: () => document.hidden, href: () => location.href });
  setInterval(check, EVERY);
  document.addEventListener("visibilitychange", check);
  addEventListener("pageshow", check);
  // Another tab signed out.
  new BroadcastChannel("weir account").onmessage = check;
  document.getElementById("sign-out")?.addEventListener("submit", () => {
    // After the server has ended the session.
    addEventListener("pagehide", () => new BroadcastChannel("weir account").postMessage(""));
  });
}
