import assert from "node:assert/strict";
import test from "node:test";
import { backoff, Rate } from "../../Public/feed/session.js";

test("the longest wait doubles from 1 s to 32 s and no further", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 20].map((failures) => backoff(failures, () => 1));
  assert.deepEqual(longest, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
});

test("the wait is spread over all of it", () => {
  assert.equal(backoff(4, () => 0), 0);
  assert.equal(backoff(4, () => 0.5), 4_000);
});

test("Retry-After in seconds is waited out, and spread", () => {
  assert.equal(backoff(1, () => 0, "7"), 7_000);
  assert.equal(backoff(1, () => 0.5, "7"), 7_500);
  assert.equal(backoff(6, () => 1, "7"), 32_000);
});

test("Retry-After may be a date; one that is past, or nonsense, changes nothing", () => {
  const now = Date.parse("Sat, 21 Nov 2026 12:00:00 GMT");
  assert.equal(backoff(1, () => 0, "Sat, 21 Nov 2026 12:00:09 GMT", now), 9_000);
  assert.equal(backoff(1, () => 0.5, "Sat, 21 Nov 2026 11:00:00 GMT", now), 500);
  assert.equal(backoff(1, () => 0.5, "soon", now), 500);
});

test("a rate is exceeded by one more than its limit within its span", () => {
  const rate = new Rate(2, 1_000);
  assert.deepEqual([0, 400, 800].map((time) => rate.exceeded(time)), [false, false, true]);
  assert.equal(rate.exceeded(1_500), false);
  rate.clear();
  assert.deepEqual([2_000, 2_001].map((time) => rate.exceeded(time)), [false, false]);
});
