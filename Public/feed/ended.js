// Checks that a run that has ended, and whose page therefore follows nothing, still exists and may be seen.

/** The time between two checks of a visible page, in milliseconds. */
export const EVERY = 60_000;

/** The statuses of a run that was deleted or removed, or that the viewer may no longer see. */
const GONE = [401, 403, 404, 410];

/**
 * @param {() => string} url the URL of the feed's next answer
 * @param {(status: number) => void} gone called once
 * @param {{fetch: typeof fetch, hidden: () => boolean}} world
 * @returns {() => Promise<void>} makes one check, unless the page is hidden
 */
export function watchEnded(url, gone, world) {
  let busy = false, over = false;
  return async () => {
    if (busy || over || world.hidden()) return;
    busy = true;
    try {
      const { status } = await world.fetch(url(), { cache: "no-store", redirect: "error", headers: { Accept: "application/json" } });
      over = GONE.includes(status);
      if (over) gone(status);
    } catch {
      // The server cannot be reached; the next check repeats the request.
    } finally {
      busy = false;
    }
  };
}
