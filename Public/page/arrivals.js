// Counts new items at the head of a list that is being read further down, on a button that leads there. Loaded on first
// use.

/** @type {Map<Element, {count: number, button: HTMLButtonElement}>} */
const waiting = new Map();

/** @type {IntersectionObserver|undefined} */ let heads;

/** @param {HTMLElement} list @param {string} [words] with `{n}` */
export function arrived(list, words = "{n} new") {
  const known = waiting.get(list);
  const button = known?.button ?? make(list);
  const count = (known?.count ?? 0) + 1;
  waiting.set(list, { count, button });
  button.textContent = `\u2191 ${words.replace("{n}", String(count))}`;
  heads ??= new IntersectionObserver(seen);
  heads.disconnect();
  for (const each of waiting.keys()) if (each.firstElementChild) heads.observe(each.firstElementChild);
}

/** A list whose head is visible needs no button. @param {IntersectionObserverEntry[]} entries */
function seen(entries) {
  for (const { target, isIntersecting } of entries) {
    const list = target.parentElement;
    if (isIntersecting && list) settle(list);
  }
}

/** @param {HTMLElement} list */
function make(list) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "arrivals";
  button.onclick = () => {
    const first = list.firstElementChild;
    settle(list);
    first?.scrollIntoView({ block: "center" });
    /** @type {HTMLElement|null|undefined} */ (first?.querySelector("a[href]"))?.focus({ preventScroll: true });
  };
  document.body.append(button);
  return button;
}

/** @param {Element} list */
function settle(list) {
  waiting.get(list)?.button.remove();
  waiting.delete(list);
}
