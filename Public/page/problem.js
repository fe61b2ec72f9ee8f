// Shows errors beside their fields. Without JavaScript the server writes the same elements:
// `id="{form}-{field}-error"` beside a field, `id="{form}-error"` for the form as a whole.

import { keep, release } from "../feed/claims.js";

/** @typedef {{title?: string, detail?: string, errors?: {field: string, detail: string}[]}} Problem RFC 9457 */

/**
 * Shows the errors beside their fields, and focuses the first. Typed text is kept.
 * @param {HTMLFormElement} form @param {Problem} problem
 */
export function tell(form, problem) {
  /** @type {HTMLElement|undefined} */ let first;
  const elsewhere = [];
  for (const { field, detail } of problem.errors ?? []) {
    const control = named(form, field);
    if (!control) {
      elsewhere.push(detail);
      continue;
    }
    const message = say(form, `${form.id}-${field}-error`, detail, (added) => {
      const group = control.closest("fieldset.choices");
      if (group) group.append(added);
      else (control.closest("label") ?? control).after(added);
    });
    const described = new Set((control.getAttribute("aria-describedby") ?? "").split(/\s+/).filter(Boolean));
    control.setAttribute("aria-describedby", [...described.add(message.id)].join(" "));
    control.setAttribute("aria-invalid", "true");
    keep(control, "aria-describedby", "aria-invalid");
    first ??= control;
  }
  const whole = elsewhere.join(" ") || (first ? "" : problem.detail || problem.title || "");
  if (whole) say(form, `${form.id}-error`, whole, (added) => form.append(added));
  first?.focus();
}

/**
 * Removes the errors of a form, or of one of its fields.
 * @param {HTMLFormElement} form @param {Element} [only]
 */
export function takeBack(form, only) {
  for (const control of /** @type {Iterable<HTMLInputElement>} */ (only ? [named(form, /** @type {HTMLInputElement} */ (only).name) ?? only] : form.elements)) {
    if (!control.hasAttribute("aria-invalid")) continue;
    control.removeAttribute("aria-invalid");
    release(control, "aria-describedby", "aria-invalid");
    silence(document.getElementById(`${form.id}-${control.name.replace("input.", "")}-error`));
  }
  if (!only) silence(document.getElementById(`${form.id}-error`));
}

/**
 * The control of a field. A field whose name is also one of a form's own properties has a control with the prefix `input.`.
 * @param {HTMLFormElement} form @param {string} field @returns {HTMLInputElement|null}
 */
export function named(form, field) {
  const found = form.elements.namedItem(field) ?? form.elements.namedItem("input." + field);
  return /** @type {HTMLInputElement|null} */ (found instanceof RadioNodeList ? found[0] : found);
}

/** @param {HTMLFormElement} form @param {string} id @param {string} words @param {(added: Element) => void} add */
function say(form, id, words, add) {
  let message = document.getElementById(id);
  if (!message) {
    message = document.createElement("p");
    message.id = id;
    message.className = "error";
    message.setAttribute("role", "alert");
    add(message);
  }
  message.hidden = false;
  message.textContent = words;
  keep(message, "#self", "#content", "hidden");
  return message;
}

/** @param {HTMLElement|null} message */
function silence(message) {
  if (!message) return;
  message.hidden = true;
  message.textContent = "";
  release(message, "#self", "#content", "hidden");
}
