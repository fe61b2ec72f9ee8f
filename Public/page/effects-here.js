// Shows the effects listed by the page in this tab. Loaded on a store's page, and on the target of a navigation effect.

import { advance, Effects, read } from "./effects.js";
import { Toasts } from "./toasts.js";

/**
 * @param {HTMLElement} region where toasts appear @param {HTMLElement|null} page @param {() => number} now the server's time
 * @returns {() => void} checks for effects that this browser has not shown
 */
export function observe(region, page, now) {
  const toasts = new Toasts(region);
  const effects = new Effects({
    advance, now, visible: () => document.visibilityState === "visible", origin: location.origin,
    perform: (deed, effect) => perform(toasts, deed, effect),
  });
  const look = () => {
    const list = document.getElementById("effects");
    const { epoch } = page?.dataset ?? {};
    if (!list || !epoch) return;
    void effects.look(`${epoch} ${list.dataset.store}`, region.dataset.name ?? "", () => read(list));
  };
  toasts.recall();
  look();
  return look;
}

/** @param {Toasts} toasts @param {import("./effects.js").Deed} deed @param {import("./effects.js").Effect} effect */
function perform(toasts, deed, { text, path, name }) {
  if (deed === "go") {
    toasts.keep();
    location.assign(path);
  } else if (deed === "save") {
    const link = Object.assign(document.createElement("a"), { href: path, download: name });
    link.click();
  } else {
    toasts.show(deed === "link" ? { text, path, name } : { text });
  }
}
