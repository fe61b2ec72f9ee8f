// Weir in a browser. Without this a page is whole, and refreshes itself; with it the page is live.
// What pages promise to this module is told in Documentation/page-contract.md.

import { goLive } from "./feed/live.js";
import { Page } from "./feed/page.js";
import { checkIds, listenToScrubbers, mirrorTitle } from "./page/document.js";
import { Forms } from "./page/forms.js";
import { listenToKeys } from "./page/keys.js";
import { Times } from "./page/times.js";

const element = document.getElementById("page");
const page = element && new Page(element);

/** How far the server's clock is ahead of ours, where the page tells it and it matters. */
const rendered = Date.parse(element?.dataset.clock ?? "");
const ahead = Math.abs(rendered - Date.now()) > 2_000 ? rendered - Date.now() : 0;
const times = new Times(() => Date.now() + ahead);

document.documentElement.dataset.live = "";
times.refresh();
document.addEventListener("visibilitychange", () => times.refresh());
listenToKeys();
listenToScrubbers();
const unreachable = document.getElementById("live")?.dataset.textUnreachable;
new Forms(page, unreachable ?? "The server could not be reached. Try again.").listen();

if (page) {
  mirrorTitle();
  checkIds(page.element);
  goLive(page, () => {
    mirrorTitle();
    times.refresh();
    checkIds(page.element);
  });
}
