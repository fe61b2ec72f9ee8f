// Converts the moments of a filter to the reader's time zone: the server knows only UTC. Loaded on pages with an
// `input[data-zoned]`.

import { keep } from "../feed/claims.js";
import { zone } from "./times.js";

/** A moment in the format of such a field. @param {number} moment @param {string} [timeZone] */
export function local(moment, timeZone) {
  const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone });
  return format.format(moment).replace(" ", "T");
}

/** The moment of a field in the reader's time zone, in the server's format and as precise. @param {string} value */
export function universal(value) {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString().slice(0, value.length < 19 ? 16 : 19);
}

export function listenToMoments() {
  const fields = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-zoned]")]);
  /** Shows the time zone of the fields. */
  let shown = "UTC";
  const show = (isFirst = false) => {
    for (const field of fields) {
      // Text typed before this module loaded is already in the reader's time zone.
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
