// Checks that a run that has ended, and whose page therefore follows nothing, still exists and may be seen.

/** The statuses of a run that was deleted or removed, or that the viewer may no longer see. */
const GONE = [401, 403, 404, 410];

/**
 * Whether the server says that a run is gone; false if it cannot be reached. The page of such a run says why when it is loaded.
 * @param {string} url the URL of the feed's next answer
 * @param {typeof fetch} [request]
 */
export async function isGone(url, request = (...args) => fetch(...args)) {
  try {
    const { status } = await request(url, { cache: "no-store", redirect: "error", headers: { Accept: "application/json" } });
    return GONE.includes(status);
  } catch {
    return false;
  }
}
