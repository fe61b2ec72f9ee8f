// Going from one match of a search to the next, while the output grows.
import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { Find } from "../../Public/page/find.js";
import { settle } from "./support/clock.js";

/** A part of a page whose output has these matches, and the lines that were gone to. */
function searching(matches) {
  const element = (rest = {}) => ({ addEventListener: () => {}, ...rest });
  const elements = {
    "[data-find]": element({ value: "" }), "[name=errors]": element({ checked: false }), "#output-lines": element({ children: [] }),
  };
  const part = { dataset: {}, querySelector: (selector) => (elements[selector] ??= element()) };
  const ask = async (query) => {
    const after = Number(new URLSearchParams(query).get("after") ?? 0);
    const numbers = matches.filter((number) => number > after);
    return { numbers, preceding: matches.length - numbers.length, count: matches.length, text: "" };
  };
  const shown = [];
  const find = new Find(part, { show: async (number) => { shown.push(number); return true; }, say: () => {}, ask });
  elements["[data-find]"].value = "x";
  return { find, shown };
}

test("next goes on from the current match while the output grows", async (context) => {
  globalThis.document = { documentElement: { lang: "en" } };
  globalThis.CSS = {};
  mock.timers.enable({ apis: ["setTimeout"] });
  context.after(() => mock.timers.reset());
  const matches = [3, 5, 8];
  const { find, shown } = searching(matches);
  find.grown();
  mock.timers.tick(3_000);
  await settle();
  await find.go(1);
  await find.go(1);
  matches.push(13);
  find.grown();
  await find.go(1);
  await find.go(1);
  assert.deepEqual(shown, [3, 5, 8, 13]);
});
