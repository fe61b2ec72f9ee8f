// The output of a run: earlier and later lines, line links, wrapping and following. Loaded on pages with output; the search is
// loaded when it is first used.

import { keep } from "../feed/claims.js";
import { parse } from "../feed/page.js";
import { ask, Lines } from "./lines.js";
import { Tail } from "./tail.js";

const WRAP = "weir wrap";

/** @param {HTMLElement} part @returns {(unfinished?: string) => void} called after lines were added, or with those that have not ended */
export function showOutput(part) {
  const get = (/** @type {string} */ name) => /** @type {any} */ (part.querySelector(`[data-${name}]`));
  const [box, list, follow, wrap] = [get("tail"), get("window"), get("follows"), get("wrap")];
  if (box && wrap) wrapLines(box, wrap);
  // A page of matches has no tools.
  if (!box || !list) return () => {};
  const result = /** @type {HTMLElement} */ (part.querySelector("#output-result"));
  for (const [element, name] of [[follow, "aria-pressed"], [result, "#content"], [part.querySelector("#output-matches"), "hidden"], [get("found"), "#content"]]) {
    keep(element, name);
  }
  const say = (/** @type {string} */ text) => { if (result.textContent !== text) result.textContent = text; };
  const lines = new Lines(part, box, list, {
    say: (text) => { if (text) say(text); },
    changed: () => {
      find?.mark();
      showUnfinished();
    },
  });
  // The lines that have not ended follow the last line of the output only.
  const unfinished = /** @type {HTMLElement|null} */ (part.querySelector("#output-unfinished"));
  if (unfinished) keep(unfinished, "hidden");
  const showUnfinished = () => { unfinished?.toggleAttribute("hidden", !lines.isAtHead); };
  const linked = () => Number(/^#line-(\d+)$/.exec(location.hash)?.[1] ?? 0);
  const failure = linked() ? 0 : Number(part.dataset.failure ?? 0);
  const tail = new Tail(part, (atEnd) => {
    follow?.setAttribute("aria-pressed", String(atEnd));
    lines.hold(!atEnd);
    if (atEnd && !lines.isAtHead) void lines.toEnd().then((isReached) => { if (isReached) tail.grown(); });
  }, !linked() && !failure && lines.isAtHead, () => lines.isAtHead);
  const show = async (/** @type {number} */ number) => {
    tail.follow(false);
    const isReached = await lines.show(number);
    tail.grown();
    return isReached;
  };
  /** @type {import("./find.js").Find|undefined} */ let find;
  /** @type {Promise<import("./find.js").Find|undefined>|undefined} */ let finding;
  const search = () => finding ??= import("./find.js").then(({ Find }) => find = new Find(part, {
    say,
    ask: (query) => ask(part, query),
    show: async (number) => {
      if (!await show(number)) return false;
      history.replaceState(null, "", `#line-${number}`);
      return true;
    },
  }), () => {
    finding = undefined;
    say(result.dataset.textFailed ?? "");
    return undefined;
  });
  const field = get("find");
  const tools = field.form;
  for (const kind of ["focusin", "change"]) tools.addEventListener(kind, search);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    void search().then((found) => found?.go(event.shiftKey ? -1 : 1));
  });
  if (field.value || tools.errors.checked) void search();
  if (follow) follow.onclick = () => tail.follow(follow.getAttribute("aria-pressed") !== "true");
  // A click on the number of a line makes the line's link the page's URL.
  box.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (event.target !== list) return;
    const line = [...list.children].find((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return top <= event.clientY && event.clientY < bottom;
    });
    if (line) location.replace(`#${line.id}`);
  });
  const follows = () => { if (linked()) void show(linked()); };
  addEventListener("hashchange", follows);
  follows();
  if (failure) void lines.show(failure, false);
  showUnfinished();
  lines.look();
  return (html) => {
    if (unfinished && html !== undefined && unfinished.innerHTML !== html) unfinished.replaceChildren(...(html ? [parse(html)] : []));
    showUnfinished();
    tail.grown();
    lines.look();
    find?.grown();
  };
}

/** Lines wrap, or the box scrolls sideways; the browser keeps the choice. @param {HTMLElement} box @param {HTMLElement} wrap */
function wrapLines(box, wrap) {
  keep(wrap, "aria-pressed");
  keep(box, "class");
  const show = (/** @type {boolean} */ wraps) => {
    box.classList.toggle("long", !wraps);
    wrap.setAttribute("aria-pressed", String(wraps));
  };
  wrap.onclick = () => {
    const wraps = wrap.getAttribute("aria-pressed") !== "true";
    localStorage.setItem(WRAP, wraps ? "on" : "off");
    show(wraps);
  };
  show(localStorage.getItem(WRAP) !== "off");
}
