// How a form's content gets to the server, and what came back. A form with files goes by XMLHttpRequest, which is the
// only thing that tells how far an upload is.

/** @typedef {{status: number, url: string, redirected: boolean, body: any}} Reply `status` 0: there was no answer */

/** @type {Reply} */
const NOTHING = { status: 0, url: "", redirected: false, body: null };

/**
 * Posts fields.
 * @param {string} url @param {FormData} data @param {Record<string, string>} headers
 * @returns {Promise<Reply>}
 */
export async function post(url, data, headers) {
  const body = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === "string") body.append(name, value);
  try {
    const response = await fetch(url, { method: "POST", body, headers });
    return { status: response.status, url: response.url, redirected: response.redirected, body: json(await response.text()) };
  } catch (error) {
    console.warn("The form could not be sent", error);
    return NOTHING;
  }
}

/**
 * Posts fields and files.
 * @param {string} url @param {FormData} data @param {Record<string, string>} headers
 * @param {(sent: number, total: number) => void} progress
 * @param {AbortSignal} signal
 * @returns {Promise<Reply|null>} null when it was aborted
 */
export function upload(url, data, headers, progress, signal) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => progress(event.loaded, event.total);
    request.onload = () => resolve({
      status: request.status, url: request.responseURL, redirected: request.responseURL !== url, body: json(request.responseText),
    });
    request.onerror = request.ontimeout = () => resolve(NOTHING);
    request.onabort = () => resolve(null);
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(data);
  });
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
