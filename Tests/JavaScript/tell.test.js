import assert from "node:assert/strict";
import { test } from "node:test";

import { Wishes } from "../../Public/page/tell.js";
import { pause } from "../../Public/widget.js";

/** A tab's storage. */
function storage() {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

test("a wish to be told of a run's end outlives a reload, and is fulfilled once", () => {
  const tab = storage();
  new Wishes(tab).add("run-a");
  new Wishes(tab).add("run-b");
  const wishes = new Wishes(tab);
  assert.deepEqual([...wishes.runs], ["run-a", "run-b"]);
  assert.equal(wishes.delete("run-a"), true);
  assert.equal(wishes.delete("run-a"), false);
  assert.equal(wishes.delete("run-c"), false);
  assert.deepEqual([...new Wishes(tab).runs], ["run-b"]);
  assert.equal(new Wishes(tab).delete("run-b"), true);
  assert.equal(tab.kept.size, 0);
});

test("a widget asks at most once a second, and ever more seldom while the server is away", () => {
  assert.deepEqual([0, 1, 2, 5, 6, 1_000].map(pause), [1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
});
