import assert from "node:assert/strict";
import { test } from "node:test";

import { grown } from "../../Public/page/lanes.js";
import { Journey, regionOf, stepFor } from "../../Public/page/scrubber.js";

test("on the scrubber every key of a slider steps, elsewhere only the sideways arrows", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => stepFor(key, true)),
    ["previous", "next", "next", "previous", "first", "last"]);
  assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => stepFor(key, false)),
    ["previous", "next", null, null, null, null]);
  assert.equal(stepFor("PageUp", true), null);
  assert.equal(stepFor("a", true), null);
});

test("moments are visited one at a time, and of those asked for meanwhile only the last", async () => {
  const visited = [];
  let release = () => {};
  const journey = new Journey((url) => {
    visited.push(url);
    return new Promise((resolve) => { release = () => resolve(undefined); });
  });
  const whole = journey.go("1");
  for (const url of ["2", "3", "4"]) void journey.go(url);
  assert.deepEqual(visited, ["1"]);
  release();
  await new Promise((resolve) => { setImmediate(resolve); });
  assert.deepEqual(visited, ["1", "4"]);
  release();
  await whole;
  void journey.go("5");
  assert.deepEqual(visited, ["1", "4", "5"]);
});

test("a page's own element is found in its document, and nothing in one that has none", () => {
  assert.equal(regionOf("<html><body><main id=\"page\"><p>a</p></main></body></html>"), "<main id=\"page\"><p>a</p></main>");
  assert.equal(regionOf("<html><body></body></html>"), null);
});

test("a lane that goes on grows with time, and takes its axis along when it becomes too short", () => {
  assert.deepEqual(grown(1_000, 5_000, 8_000, 10_000), { width: 3_000, length: 10_000 });
  assert.deepEqual(grown(1_000, 5_000, 25_000, 10_000), { width: 20_000, length: 21_000 });
  assert.deepEqual(grown(1_000, 5_000, 4_000, 10_000), { width: 0, length: 10_000 });
});
