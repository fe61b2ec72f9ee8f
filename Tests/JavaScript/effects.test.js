import assert from "node:assert/strict";
import test from "node:test";
import { deed, due, Effects, isAfter, newest } from "../../Public/page/effects.js";

const ORIGIN = "http://weir.test";
const toast = (place, more = {}) => ({ place, kind: "toast", at: 0, audience: null, text: `t${place}`, path: "", name: "", ...more });
const places = (effects) => effects.map(({ place }) => place);

/** A browser, whose tabs share what it has seen. */
class Browser {
  seen = new Map();

  tab({ visible = true, now = 0 } = {}) {
    const shown = [];
    const tab = { shown, visible };
    tab.effects = new Effects({
      advance: async (key, place) => {
        const before = this.seen.get(key) ?? null;
        if (!before || isAfter(place, before)) this.seen.set(key, place);
        return before;
      },
      now: () => now, visible: () => tab.visible, origin: ORIGIN,
      perform: (what, effect) => shown.push([what, effect.place]),
    });
    tab.look = (list, name = "Ana", key = "e door") => tab.effects.look(key, name, () => list);
    return tab;
  }
}

test("places are ordered as numbers, first by change, then within it", () => {
  assert.ok(isAfter("10.0", "9.9"));
  assert.ok(isAfter("9.10", "9.9"));
  assert.ok(!isAfter("9.9", "9.9"));
  assert.equal(newest([toast("9.1"), toast("12.0"), toast("9.4")]), "12.0");
  assert.equal(newest([]), "0.0");
});

test("at the first visit nothing old is shown, and what follows is", async () => {
  const tab = new Browser().tab();
  await tab.look([toast("4.0"), toast("3.0")]);
  assert.deepEqual(tab.shown, []);
  await tab.look([toast("5.1"), toast("5.0"), toast("4.0")]);
  assert.deepEqual(tab.shown, [["toast", "5.0"], ["toast", "5.1"]]);
});

test("an effect that comes after an empty first visit is shown", async () => {
  const tab = new Browser().tab();
  await tab.look([]);
  await tab.look([toast("1.0")]);
  assert.deepEqual(tab.shown, [["toast", "1.0"]]);
});

test("an effect is shown once: not at the next change, and not after a reload", async () => {
  const browser = new Browser();
  const tab = browser.tab();
  await tab.look([]);
  await tab.look([toast("5.0")]);
  await tab.look([toast("5.0")]);
  const again = browser.tab();
  await again.look([toast("5.0")]);
  assert.deepEqual([tab.shown.length, again.shown.length], [1, 0]);
});

test("of several tabs exactly one shows it", async () => {
  const browser = new Browser();
  const tabs = [browser.tab(), browser.tab(), browser.tab()];
  for (const tab of tabs) await tab.look([toast("1.0")]);
  await Promise.all(tabs.map((tab) => tab.look([toast("2.0"), toast("1.0")])));
  assert.equal(tabs.flatMap(({ shown }) => shown).length, 1);
});

test("a hidden tab leaves an effect to a tab that is seen, or shows it once it is", async () => {
  const tab = new Browser().tab();
  await tab.look([]);
  tab.visible = false;
  await tab.look([toast("5.0")]);
  assert.deepEqual(tab.shown, []);
  tab.visible = true;
  await tab.look([toast("5.0")]);
  assert.deepEqual(tab.shown, [["toast", "5.0"]]);
});

test("what was missed is told afterwards, of very much the newest", () => {
  const all = Array.from({ length: 30 }, (_, index) => toast(`${index + 1}.0`));
  assert.deepEqual(places(due(all, "10.0", "Ana")), ["26.0", "27.0", "28.0", "29.0", "30.0"]);
});

test("an effect for some is for them alone", () => {
  const list = [toast("1.0", { audience: ["Ana"] }), toast("2.0", { audience: [] }), toast("3.0")];
  assert.deepEqual(places(due(list, "0.0", "Ana")), ["1.0", "3.0"]);
  assert.deepEqual(places(due(list, "0.0", "Rui")), ["3.0"]);
});

test("another store, or another history, is another matter", async () => {
  const tab = new Browser().tab();
  await tab.look([]);
  await tab.look([toast("9.0")]);
  await tab.look([toast("2.0")], "Ana", "f door");
  await tab.look([toast("3.0"), toast("2.0")], "Ana", "f door");
  assert.deepEqual(tab.shown, [["toast", "9.0"], ["toast", "3.0"]]);
});

test("nobody is led to another site", () => {
  const go = (path) => deed({ ...toast("1.0"), kind: "navigation", path }, 0, ORIGIN);
  assert.equal(go("/runs?x=1#y"), "go");
  for (const path of ["//evil.test/", "/\\evil.test", "\\\\evil.test", "https://evil.test/", "javascript:alert(1)", "runs", "", "/\t/evil.test"]) {
    assert.equal(go(path), null, path);
  }
});

test("whoever is led away is shown the rest first, and is led to the last place", async () => {
  const tab = new Browser().tab();
  await tab.look([]);
  await tab.look([toast("3.0"), toast("2.1", { kind: "navigation", path: "/b" }), toast("2.0", { kind: "navigation", path: "/a" })]);
  assert.deepEqual(tab.shown, [["toast", "3.0"], ["go", "2.1"]]);
});

test("whoever comes late is offered what would have happened", () => {
  const late = (kind) => deed({ ...toast("1.0"), kind, path: "/x" }, 61_000, ORIGIN);
  assert.deepEqual([late("navigation"), late("download"), late("toast"), late("other")], ["link", "link", "toast", null]);
  const soon = (kind) => deed({ ...toast("1.0"), kind, path: "/x" }, 59_000, ORIGIN);
  assert.deepEqual([soon("navigation"), soon("download")], ["go", "save"]);
});
