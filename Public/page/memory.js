// The last input of a form, stored in this browser, except files and secrets.

const KEPT = "weir form ";
const FORGOTTEN = "[type=file], [type=password], [type=hidden]";

/** @param {HTMLFormElement} form */
function fields(form) {
  return /** @type {HTMLInputElement[]} */ ([...form.elements]).filter((field) => field.name && field.matches("input, select, textarea"));
}

/** The key of a field: the checkboxes of several choices have the same name. @param {HTMLInputElement} field */
const keyOf = (field) => (field.type === "checkbox" && field.value !== "true" ? `${field.name} ${field.value}` : field.name);

/** Stores the values of a submitted form, without files and secrets. @param {HTMLFormElement} form */
export function remember(form) {
  const typed = fields(form).filter((field) => !field.matches(FORGOTTEN));
  const values = typed.map((field) => [keyOf(field), field.type === "checkbox" ? field.checked : field.value]);
  try {
    localStorage.setItem(KEPT + form.id, JSON.stringify(values));
  } catch (error) {
    console.warn("This browser keeps nothing; the form is empty next time", error);
  }
  for (const field of fields(form)) if (field.matches("[type=file], [type=password]")) field.value = "";
}

/** Fills a form with the values last submitted. @param {HTMLFormElement} form */
export function recall(form) {
  /** @type {Map<string, string|boolean>} */ let values;
  try {
    values = new Map(JSON.parse(localStorage.getItem(KEPT + form.id) ?? "[]"));
  } catch (error) {
    return console.warn("What was typed last cannot be read", error);
  }
  for (const field of fields(form)) {
    const value = values.get(keyOf(field));
    if (value === undefined || field.matches(FORGOTTEN)) continue;
    if (typeof value === "boolean") field.checked = value;
    else if (!(field instanceof HTMLSelectElement) || [...field.options].some((option) => option.value === value)) field.value = value;
  }
}
