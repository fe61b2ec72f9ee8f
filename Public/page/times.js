// `<time datetime="…" data-relative>` tells how long ago, with the exact time on hover; `<time datetime="…" data-since>`
// counts; `<time datetime="…" data-left="…">` counts down, to between two moments. The server's own words stand there until this module runs, and for readers without it.

import { keep } from "../feed/claims.js";

const SECOND = 1_000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** @type {[number, Intl.RelativeTimeFormatUnit][]} */
const UNITS = [[365 * DAY, "year"], [30 * DAY, "month"], [DAY, "day"], [HOUR, "hour"], [MINUTE, "minute"], [SECOND, "second"]];

/**
 * How long ago, or until, and in how many milliseconds that changes.
 * @param {number} moment @param {number} now @param {Intl.RelativeTimeFormat} format
 * @returns {{text: string, again: number}}
 */
export function relative(moment, now, format) {
  const distance = moment - now;
  const [size, unit] = UNITS.find(([least]) => Math.abs(distance) >= least) ?? [SECOND, "second"];
  const count = Math.trunc(distance / size);
  const rest = Math.abs(distance) % size;
  const again = distance > 0 ? rest + 1 : size - rest;
  return { text: format.format(Object.is(count, -0) ? 0 : count, unit), again: Math.min(again, HOUR) };
}

const SIZES = [DAY, HOUR, MINUTE, SECOND];
const NAMES = ["day", "hour", "minute", "second"];

/**
 * Makes a formatter of durations in whole seconds, by the two largest units there are: "8 sec", "1 min 12 sec", "3 hr".
 * @param {string} language
 * @returns {(milliseconds: number) => string}
 */
export function durations(language) {
  const formats = NAMES.map((unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }));
  return (milliseconds) => {
    let rest = Math.max(0, milliseconds);
    const counts = SIZES.map((size) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count;
    });
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return formats[3].format(0);
    const said = [first, first + 1].filter((index) => counts[index] > 0);
    return said.map((index) => formats[index].format(counts[index])).join(" ");
  };
}

/**
 * The time that is left, between two bounds, in whole seconds, minutes or hours as the server says it.
 * @param {number} shortest @param {number} longest in milliseconds
 * @param {DOMStringMap} words
 * @returns {{text: string, again: number}}
 */
export function rest(shortest, longest, words) {
  if (!(longest > 0)) return { text: words.textOver ?? "", again: HOUR };
  const [size, unit] = longest <= 99 * SECOND ? [SECOND, "s"] : longest <= 99 * MINUTE ? [MINUTE, "min"] : [HOUR, "h"];
  const low = Math.floor(Math.max(0, shortest) / size);
  const high = Math.ceil(longest / size);
  const said = low > 0 ? `${low}–${high}\u00a0${unit}` : `${high}\u00a0${unit}`;
  const text = ((low > 0 ? words.textRange : words.textUpTo) ?? "").replace("{time}", said);
  return { text, again: Math.min(longest % SECOND || SECOND, shortest > 0 ? shortest % SECOND + 1 : SECOND) };
}

/** Keeps the times of a document. */
export class Times {
  /** @type {WeakMap<Element, {datetime: string, due: number}>} */ #known = new WeakMap();
  #language = document.documentElement.lang || "en";
  #relative = new Intl.RelativeTimeFormat(this.#language, { numeric: "auto" });
  #exact = new Intl.DateTimeFormat(this.#language, { dateStyle: "medium", timeStyle: "medium" });
  #duration = durations(this.#language);
  /** @type {ReturnType<typeof setTimeout>|undefined} */ #timer;

  /** @param {() => number} now the server's time, as well as we know it */
  constructor(now) {
    this.now = now;
  }

  /** Writes everything anew at the next chance: the time has jumped. */
  forget() {
    this.#known = new WeakMap();
  }

  /** Writes what is due, and comes back when the next is. */
  refresh() {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    const now = this.now();
    let next = Infinity;
    for (const element of document.querySelectorAll("time[data-relative], time[data-since], time[data-left]")) {
      next = Math.min(next, this.#write(/** @type {HTMLTimeElement} */ (element), now));
    }
    if (next !== Infinity) this.#timer = setTimeout(() => this.refresh(), Math.max(250, next - now));
  }

  /** @param {HTMLTimeElement} element @param {number} now */
  #write(element, now) {
    const datetime = element.dateTime;
    const moment = Date.parse(datetime);
    const known = this.#known.get(element);
    if (Number.isNaN(moment)) return Infinity;
    if (known?.datetime === datetime && known.due > now) return known.due;
    const counts = element.hasAttribute("data-since");
    const age = now - moment;
    const left = element.dataset.left;
    const said = left ? rest(Date.parse(left) - now, moment - now, element.dataset)
      : counts ? { text: `${this.#duration(age)}…`, again: 1_000 - (Math.max(0, age) % 1_000) }
      : relative(moment, now, this.#relative);
    if (element.textContent !== said.text) element.textContent = said.text;
    if (known?.datetime !== datetime) {
      element.title = this.#exact.format(moment);
      keep(element, "#content", "title");
    }
    this.#known.set(element, { datetime, due: now + said.again });
    return now + said.again;
  }
}
