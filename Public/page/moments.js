// The moments of a filter in the reader's time: the server knows only UTC. Loaded where a page has an `input[data-zoned]`.

import { keep } from "../feed/claims.js";
import { zone } from "./times.js";

/** A moment as such a field holds it. @param {number} moment @param {string} [timeZone] */
export function local(moment, timeZone) {
  const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone });
  return format.format(moment).replace(" ", "T");
}

/** The moment that a field of the reader's time zone holds, as the server reads it. @param {string} value */
export function universal(value) {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString().slice(0, 19);
}

export function listenToMoments() {
  const fields = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-zoned]")]);
  /** In which zone the fields are. */
  let shown = "UTC";
  const show = (isFirst = false) => {
    for (const field of fields) {
      // What somebody has typed before this module came is in their time already.
      if (isFirst && field.value !== field.defaultValue) continue;
      const moment = Date.parse(shown === "UTC" ? `${field.value}Z` : field.value);
      if (!Number.isNaN(moment)) field.value = local(moment, zone());
    }
    shown = zone() ?? "";
    // Today begins at the reader's midnight.
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-today]"))) {
      const url = new URL(link.href);
      const midnight = `${local(Date.now(), zone()).slice(0, 10)}T00:00:00`;
      url.searchParams.set("from", shown === "UTC" ? midnight : universal(midnight));
      link.setAttribute("href", url.pathname + url.search);
      keep(link, "href");
    }
  };
  show(true);
  document.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("[data-zone]")) show();
  });
  for (const form of new Set(fields.map(({ form }) => form))) {
    form?.addEventListener("formdata", ({ formData }) => {
      for (const field of fields) if (shown !== "UTC" && field.value) formData.set(field.name, universal(field.value));
    });
  }
}
