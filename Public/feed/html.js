// The one place where text becomes markup: a Trusted Types policy named `weir`, and a template, in which nothing runs.

/** @type {{createHTML: (html: string) => any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("weir", { createHTML: (/** @type {string} */ html) => html })
  ?? { createHTML: (html) => html };

/** An answer whose markup is not what the protocol promises. */
export class Malformed extends Error {}

/**
 * Parses markup that has one root element and nothing that could run or load another page.
 * @param {string} html
 * @returns {Element}
 */
export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  const { content } = template;
  const root = content.firstElementChild;
  if (!root || content.childElementCount !== 1) throw new Malformed("A fragment has to have one root element");
  if (content.querySelector("script, iframe, object, embed, base")) throw new Malformed("A fragment may not have active content");
  return root;
}
