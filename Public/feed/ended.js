// Checks that a run that has ended, and whose page therefore follows nothing, still exists and may be seen.

/** The statuses of a run that was deleted or removed, or that the viewer may no longer see. */
const GONE = [401, 403, 404, 410];

/**
 * The status that says that a run is gone; 0 if it is there, or if the server cannot be reached.
 * @param {string} url the URL of the feed's next answer
 * @param {typeof fetch} [request]
 */
export async function goneAs(url, request = (...args) => fetch(...args)) {
  try {
    const { status } = await request(url, { cache: "no-store", redirect: "error", headers: { Accept: "application/json" } });
    return GONE.includes(status) ? status : 0;
  } catch {
    return 0;
  }
}
