// Search in an output: the server searches all lines and says how many match; this module goes from one to the next, and
// highlights what is on the page. Loaded at the first search.

/** How long typing pauses before a search, and how long a growing output is left before it is searched again. */
const PAUSE = 250, AGAIN = 3_000;

export class Find {
  /** The numbers of consecutive matches, and the number of matches before them. @type {number[]} */ #numbers = [];
  #preceding = 0;
  #count = 0;
  /** The index of the current match among all, or -1. */
  #here = -1;
  #searches = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ #later;
  /** Whether the current match stays after the search that comes later. */
  #again = false;

  /**
   * @param {HTMLElement} part the part of the page with the output
   * @param {{show: (number: number) => Promise<boolean>, say: (text: string) => void, ask: (query: string) => Promise<any>}} on goes to a line;
   *   receives the sentence about the result; requests matches
   */
  constructor(part, on) {
    const get = (/** @type {string} */ selector) => /** @type {any} */ (part.querySelector(selector));
    this.part = part;
    this.on = on;
    this.list = get("#output-lines");
    this.field = get("[data-find]");
    this.errors = get("[name=errors]");
    this.tools = get("#output-matches");
    this.found = get("[data-found]");
    this.field.addEventListener("input", () => this.#soon(PAUSE));
    this.errors.addEventListener("change", () => this.#soon(0));
    get("[data-find-next]").onclick = () => void this.go(1);
    get("[data-find-previous]").onclick = () => void this.go(-1);
    if (this.#query) this.#soon(0);
  }

  /** The search as a query, or nothing. */
  get #query() {
    const { field, errors } = this;
    if (!field.value && !errors.checked) return "";
    return `search=${encodeURIComponent(field.value)}${errors.checked ? "&errors=true" : ""}`;
  }

  /** Searches again later, because the output has grown. */
  grown() {
    this.mark();
    if (this.#query && !this.#later) this.#soon(AGAIN, true);
  }

  /** @param {number} time @param {boolean} [again] whether the current match stays */
  #soon(time, again = false) {
    clearTimeout(this.#later);
    this.#again = again;
    this.#later = setTimeout(() => void this.#search(again), time);
  }

  /** @param {boolean} again */
  async #search(again) {
    this.#later = undefined;
    const start = again && this.#numbers.length ? `&after=${this.#numbers[0] - 1}` : "";
    if (!again) this.#here = -1;
    if (this.#query) return this.#fetch(start);
    this.#searches += 1;
    [this.#numbers, this.#count] = [[], 0];
    this.on.say("");
    this.#tell();
    return false;
  }

  /** Requests the numbers of a part of the matches. @param {string} part @returns {Promise<boolean>} whether they came */
  async #fetch(part) {
    const search = this.#searches += 1;
    try {
      const answer = await this.on.ask(this.#query + part);
      if (search !== this.#searches) return false;
      [this.#numbers, this.#preceding, this.#count] = [answer.numbers, answer.preceding, answer.count];
      this.on.say(answer.text);
    } catch {
      if (search === this.#searches) this.on.say(this.part.querySelector("[data-text-failed]")?.getAttribute("data-text-failed") ?? "");
      return false;
    }
    this.#tell();
    return true;
  }

  /** Goes to the next or previous match, also from the last to the first. @param {1|-1} step */
  async go(step) {
    if (this.#later && !await this.#searchNow() || !this.#count) return;
    const index = this.#here < 0 ? (step > 0 ? 0 : this.#count - 1) : (this.#here + step + this.#count) % this.#count;
    const numbers = this.#numbers;
    if (index < this.#preceding || index >= this.#preceding + numbers.length) {
      const part = index === 0 ? "" : index === this.#count - 1 ? `&before=${Number.MAX_SAFE_INTEGER}`
        : step > 0 ? `&after=${numbers.at(-1)}` : `&before=${numbers[0]}`;
      if (!await this.#fetch(part)) return;
    }
    const number = this.#numbers[index - this.#preceding];
    if (number === undefined) return;
    this.#here = index;
    if (await this.on.show(number)) this.#tell();
  }

  #searchNow() {
    clearTimeout(this.#later);
    return this.#search(this.#again);
  }

  #tell() {
    this.tools.hidden = !this.#query;
    const digits = (/** @type {number} */ number) => number.toLocaleString(document.documentElement.lang);
    this.found.textContent = `${this.#here < 0 ? "" : `${digits(this.#here + 1)} / `}${digits(this.#count)}`;
    this.mark();
  }

  /** Highlights the matches on the page. */
  mark() {
    const highlights = /** @type {any} */ (CSS).highlights;
    if (!highlights) return;
    const Highlight = /** @type {any} */ (globalThis).Highlight;
    const text = this.field.value;
    const ranges = text ? [...this.list.children].flatMap((line) => rangesOf(line, text)) : [];
    const line = this.list.querySelector("[aria-current]");
    highlights.set("found", new Highlight(...ranges));
    highlights.set("here", new Highlight(...(text && line && this.#here >= 0 ? rangesOf(line, text) : [])));
  }
}

/**
 * A text in lower case and with accents apart from their letters, as the server searches it, and the place of each of its
 * units in the original text.
 * @param {string} text @returns {{text: string, places: number[]|null}} no places: they are the same
 */
export function fold(text) {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return { text: text.toLowerCase(), places: null };
  /** @type {number[]} */ const places = [];
  let [folded, place] = ["", 0];
  for (const letter of text) {
    const own = letter.toLowerCase().normalize("NFD").replace(/ς/g, "σ");
    for (let unit = 0; unit < own.length; unit += 1) places.push(place);
    folded += own;
    place += letter.length;
  }
  return { text: folded, places };
}

/** The places of a text in another one, as pairs of start and end. @param {string} line @param {string} wanted @returns {[number, number][]} */
export function occurrences(line, wanted) {
  const [{ text, places }, needle] = [fold(line), fold(wanted).text];
  /** @type {[number, number][]} */ const found = [];
  if (!needle) return found;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    const end = at + needle.length;
    // A letter with a further accent is another letter.
    if (/^[\u0300-\u036f]/.test(text.slice(end, end + 1))) continue;
    found.push([places ? places[at] : at, places ? places[end] ?? line.length : end]);
  }
  return found;
}

/** The ranges of a text in a line, whose pieces can have several colours. @param {Element} line @param {string} text @returns {Range[]} */
function rangesOf(line, text) {
  if (line.matches(".piece")) return [];
  /** @type {Text[]} */ const nodes = [];
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(/** @type {Text} */ (node));
  const place = (/** @type {number} */ offset) => {
    for (const node of nodes) {
      if (offset <= node.length) return /** @type {[Text, number]} */ ([node, offset]);
      offset -= node.length;
    }
    return null;
  };
  return occurrences(nodes.map((node) => node.data).join(""), text).flatMap(([from, to]) => {
    const [start, end] = [place(from), place(to)];
    if (!start || !end) return [];
    const range = new Range();
    range.setStart(...start);
    range.setEnd(...end);
    return [range];
  });
}
