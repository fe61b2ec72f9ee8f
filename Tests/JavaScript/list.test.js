import assert from "node:assert/strict";
import { test } from "node:test";

/** A clock whose timers run when it is told to. */
function clock() {
  const due = [];
  let now = 10_000;
  globalThis.setTimeout = (run, wait) => { due.push([now + wait, run]); return due.length; };
  globalThis.performance = { now: () => now };
  return {
    get waiting() { return due.length; },
    async run() {
      const [at, run] = due.shift();
      now = Math.max(now, at);
      await run();
      return at;
    },
  };
}

test("a list that a filter makes is asked for again, once for many changes and not more often than every two seconds", async () => {
  const time = clock();
  globalThis.location = { href: "http://x/runs?text=a" };
  const asked = [], shown = [];
  let ok = true;
  globalThis.fetch = async (url) => { asked.push(url); return { ok, text: async () => "<html><main id=\"page\">a</main></html>" }; };
  const { renew } = await import("../../Public/page/list.js");
  const page = { show: (html) => shown.push(html) };
  let painted = 0;
  for (let change = 0; change < 5; change += 1) renew(page, () => { painted += 1; });
  assert.equal(time.waiting, 1);
  const first = await time.run();
  assert.deepEqual(asked, ["http://x/runs?text=a"]);
  assert.deepEqual(shown, ["<main id=\"page\">a</main>"]);
  assert.equal(painted, 1);
  ok = false;
  renew(page, () => { painted += 1; });
  assert.equal(await time.run() - first, 2_000);
  assert.equal(asked.length, 2);
  assert.equal(painted, 1, "an error leaves the list as it is");
  globalThis.fetch = async () => { throw new Error("away"); };
  renew(page, () => { painted += 1; });
  await time.run();
  renew(page, () => {});
  assert.equal(time.waiting, 1, "the next change asks again");
});
