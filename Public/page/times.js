// `<time datetime="…" data-relative>` shows a relative time, `<time … data-since>` counts up, `<time … data-left="…">`
// counts down to a range of moments, `<time … data-zoned>` is a clock time, `<time … data-dated>` a date
// with it, and `<time … data-ticking>` is the time now. The server writes the same words, its clocks in UTC, so that nothing moves when this module starts. Clocks and exact times are in the reader's zone, or in UTC after a
// switch.

import { keep } from "../feed/claims.js";

const SECOND = 1_000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** @type {[number, string][]} */
const UNITS = [[DAY, "d"], [HOUR, "h"], [MINUTE, "min"], [SECOND, "s"]];
const COOKIE = "weir-time=utc";
const ENGLISH = { textNow: "now", textAgo: "{time} ago", textIn: "in {time}" };

/** The time zone to show: UTC, or undefined for the reader's own. */
export function zone() {
  return document.cookie.split("; ").includes(COOKIE) ? "UTC" : undefined;
}

/** Switches between the reader's time zone and UTC. */
export function switchZone() {
  document.cookie = zone() ? "weir-time=; path=/; max-age=0" : `${COOKIE}; path=/; max-age=31536000; samesite=lax`;
}

/**
 * The relative time in the largest unit, and the milliseconds until it changes.
 * @param {number} moment @param {number} now @param {DOMStringMap} [words]
 * @returns {{text: string, again: number}}
 */
export function relative(moment, now, words = {}) {
  const distance = now - moment;
  // Fewer than three hours or days ahead are written in the next unit: what expires in 109 min does not in 2 h.
  const bound = (/** @type {number} */ least) => distance < 0 && least > MINUTE ? 3 * least : least;
  const [size, unit] = UNITS.find(([least]) => Math.abs(distance) >= bound(least)) ?? UNITS[3];
  // The time left is rounded: a link for a day expires in 24 h, not in 23 h.
  const half = distance < 0 && size > SECOND ? size / 2 : 0;
  const count = Math.trunc((Math.abs(distance) + half) / size);
  const past = (Math.abs(distance) + half) % size;
  const form = count === 0 ? "textNow" : distance > 0 ? "textAgo" : "textIn";
  const text = (words[form] ?? ENGLISH[form]).replace("{time}", `${count}\u00a0${unit}`);
  // Below its unit, a time is written in the next one.
  const left = distance <= -bound(size) ? Math.min(past, -distance - bound(size)) : past;
  return { text, again: Math.min(distance < 0 ? left + 1 : size - past, HOUR) };
}

/** A duration in whole seconds, in its two largest units: "8 s", "1 min 12 s", "3 h 0 min". @param {number} milliseconds */
export function duration(milliseconds) {
  const time = Math.max(0, milliseconds);
  const first = Math.max(0, UNITS.findIndex(([size]) => time >= size));
  const least = time < SECOND ? 3 : first;
  return UNITS.slice(least, least + 2).map(([size, unit], index) => {
    const whole = index ? time % UNITS[least][0] : time;
    return `${Math.floor(whole / size)}\u00a0${unit}`;
  }).join(" ");
}

/**
 * The remaining time, between two bounds, in whole seconds, minutes or hours as the server writes it.
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

/** Keeps the times of a document current. */
export class Times {
  /** @type {WeakMap<Element, {datetime: string, due: number}>} */ #known = new WeakMap();
  #words = document.getElementById("live")?.dataset;
  /** @type {Intl.DateTimeFormat} */ #exact;
  /** @type {Intl.DateTimeFormat} */ #clock;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ #timer;

  /** @param {() => number} now the estimated time of the server */
  constructor(now) {
    this.now = now;
    this.forget();
  }

  /** Rewrites everything soon: the clock jumped, or the zone changed. */
  forget() {
    const timeZone = zone();
    this.#known = new WeakMap();
    this.#exact = new Intl.DateTimeFormat(document.documentElement.lang || "en", { dateStyle: "medium", timeStyle: "long", timeZone });
    // As wide as the server's: two digits each, in 24 hours.
    this.#clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone });
    const name = this.#exact.formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? "";
    for (const element of document.querySelectorAll("[data-zone-name]")) {
      element.textContent = name;
      keep(element, "#content");
    }
  }

  /** Writes the times that are due, and schedules the next. */
  refresh() {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    const now = this.now();
    let next = Infinity;
    for (const element of document.querySelectorAll("time:is([data-relative], [data-since], [data-left], [data-zoned], [data-ticking], [data-dated])")) {
      next = Math.min(next, this.#write(/** @type {HTMLTimeElement} */ (element), now));
    }
    if (next !== Infinity) this.#timer = setTimeout(() => this.refresh(), Math.max(250, next - now));
  }

  /** @param {HTMLTimeElement} element @param {number} now */
  #write(element, now) {
    const { dateTime: datetime, dataset } = element;
    const moment = Date.parse(datetime);
    const known = this.#known.get(element);
    if (Number.isNaN(moment)) return Infinity;
    if (known?.datetime === datetime && known.due > now) return known.due;
    const age = now - moment;
    const said = dataset.left ? rest(Date.parse(dataset.left) - now, moment - now, dataset)
      : dataset.since !== undefined ? { text: duration(age), again: 1_000 - (Math.max(0, age) % 1_000) }
      : dataset.ticking !== undefined ? { text: this.#clock.format(now), again: 1_000 - (now % 1_000) }
      : dataset.zoned !== undefined ? { text: this.#clock.format(moment), again: Infinity }
      : dataset.dated !== undefined ? { text: this.#exact.format(moment), again: Infinity }
      : relative(moment, now, this.#words);
    if (element.textContent !== said.text) element.textContent = said.text;
    if (known?.datetime !== datetime) {
      element.title = this.#exact.format(moment);
      keep(element, "#content", "title");
    }
    this.#known.set(element, { datetime, due: now + said.again });
    return now + said.again;
  }
}
