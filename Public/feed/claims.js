// Protects from patches what belongs to the reader: typed text, opened and chosen elements, and what this client wrote.

/** @typedef {import("./morph.js").Held} Held */

/** @type {WeakMap<Node, Set<string>>} */
const kept = new WeakMap();

/**
 * Marks a part of an element as the client's own, so that no patch changes it: an attribute name, "#content", or "#self"
 * for an element that no patch removes.
 * @param {Element} element @param {...string} names
 */
export function keep(element, ...names) {
  kept.set(element, new Set([...(kept.get(element) ?? []), ...names]));
}

/** Releases these claims. @param {Element} element @param {...string} names */
export function release(element, ...names) {
  for (const name of names) kept.get(element)?.delete(name);
}

const FIELDS = new Set(["input", "textarea", "select"]);

/**
 * Does not use `isContentEditable`, which computes styles for every element of a patch. A scrubber's slider is not a field:
 * it shows the position of the page.
 * @param {Element} element
 */
function isEditable(element) {
  return (FIELDS.has(element.localName) && !element.hasAttribute("data-scrub")) || element.hasAttribute("contenteditable");
}

/** Whether a field contains input that the server has not received. @param {Element} element */
export function isDirty(element) {
  const field = /** @type {any} */ (element);
  switch (element.localName) {
    case "textarea": return field.value !== field.defaultValue;
    case "select": return isChosen(field);
    case "input":
      if (field.type === "file") return field.files.length > 0;
      if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
      return field.value !== field.defaultValue;
    default: return false;
  }
}

/** @param {HTMLSelectElement} select */
function isChosen(select) {
  const options = [...select.options];
  const marked = options.some((option) => option.defaultSelected);
  if (marked || select.multiple) return options.some((option) => option.selected !== option.defaultSelected);
  return select.selectedIndex > options.findIndex((option) => !option.disabled);
}

const VALUES = new Set(["value", "checked"]);

/** The claims of a page's reader; forms in flight are left alone. */
export class Claims {
  /**
   * @param {(form: Element, fresh: Element) => boolean} defers receives the new content of a busy form
   * @param {(element: Element) => boolean} isForeign whether an element follows another feed
   */
  constructor(defers = () => false, isForeign = () => false) {
    this.defers = defers;
    this.isForeign = isForeign;
  }

  /** @param {Element} old @param {Element} fresh @returns {Held|"all"|null} */
  before(old, fresh) {
    if (this.isForeign(old)) return "all";
    if (old.localName === "form" && this.defers(old, fresh)) return "all";
    const own = kept.get(old);
    const field = isEditable(old);
    const theirs = field && (old === old.ownerDocument.activeElement || old.contains(old.ownerDocument.activeElement) || isDirty(old));
    const opens = old.localName === "details" || old.localName === "dialog";
    if (!own?.size && !field && !opens) return null;
    return {
      attribute: (name) => own?.has(name) || (opens && name === "open") || (theirs && VALUES.has(name)),
      content: theirs || own?.has("#content") || false,
    };
  }

  /** @param {Element} old @param {Held|null} held */
  after(old, held) {
    if (!held || held.content) return;
    const field = /** @type {any} */ (old);
    switch (old.localName) {
      case "textarea":
        if (field.value !== field.defaultValue) field.value = field.defaultValue;
        break;
      case "select":
        for (const option of field.options) {
          if (option.selected !== option.defaultSelected && (field.multiple || option.defaultSelected)) option.selected = option.defaultSelected;
        }
        break;
      case "input":
        if (field.type === "checkbox" || field.type === "radio") field.checked = field.defaultChecked;
        else if (field.type !== "file" && field.value !== field.defaultValue) field.value = field.defaultValue;
        break;
    }
  }

  /** @param {Node} node */
  keeps(node) {
    return kept.get(node)?.has("#self") ?? false;
  }
}
