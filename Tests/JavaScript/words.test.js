import assert from "node:assert/strict";
import test from "node:test";
import { Chord } from "../../Public/page/keys.js";
import { duration, relative, rest } from "../../Public/page/times.js";

const now = Date.parse("2026-11-21T12:00:00Z");
const plain = (words) => words.replaceAll("\u00a0", " ");

test("how long ago in the largest unit, and when that changes", () => {
  const cases = [
    [0, "now", 1_000], [-1_400, "1 s ago", 600], [-59_999, "59 s ago", 1], [-60_000, "1 min ago", 60_000],
    [-3_599_000, "59 min ago", 1_000], [-86_400_000, "1 d ago", 3_600_000], [-400 * 86_400_000, "400 d ago", 3_600_000],
    [5_500, "in 5 s", 501], [400, "now", 401], [900, "now", 901], [86_399_000, "in 24 h", 1_799_001], [61_000, "in 1 min", 1_001],
    [6_540_000, "in 109 min", 30_001], [10_800_001, "in 3 h", 2], [172_800_000, "in 48 h", 1_800_001],
  ];
  for (const [distance, text, again] of cases) {
    const said = relative(now + distance, now);
    assert.deepEqual({ ...said, text: plain(said.text) }, { text, again });
  }
});

test("how long ago is said in the words of the page", () => {
  const words = { textNow: "agora", textAgo: "há {time}", textIn: "em {time}" };
  assert.deepEqual([-300_000, 0, 61_000].map((distance) => plain(relative(now + distance, now, words).text)), ["há 5 min", "agora", "em 1 min"]);
});

test("a time is right again whenever it says it is", () => {
  for (const distance of [-700, -59_100, -3_599_500, 2_300, 61_000, 10_800_500]) {
    const first = relative(now + distance, now);
    const before = relative(now + distance, now + first.again - 1);
    const after = relative(now + distance, now + first.again);
    assert.equal(before.text, first.text, `${distance} before`);
    assert.notEqual(after.text, first.text, `${distance} after`);
  }
});

test("a duration has its two largest units, as the server writes it", () => {
  const cases = [[-5, "0 s"], [999, "0 s"], [8_100, "8 s"], [72_000, "1 min 12 s"], [60_000, "1 min 0 s"], [3_600_000 + 61_000, "1 h 1 min"],
    [86_400_000, "1 d 0 h"], [2 * 86_400_000 + 5 * 3_600_000, "2 d 5 h"], [3_600_000 + 5_000, "1 h 0 min"]];
  for (const [milliseconds, words] of cases) assert.equal(plain(duration(milliseconds)), words);
});

test("two keys in time are a chord; too slow, unknown or interrupted they are none", () => {
  const known = new Set(["g o", "g r", "?", "/"]);
  const press = (...typed) => {
    const chord = new Chord();
    return typed.map(([key, at]) => chord.press(key, at, known));
  };
  assert.deepEqual(press(["g", 0], ["o", 1_500]), [null, "g o"]);
  assert.deepEqual(press(["g", 0], ["o", 1_501]), [null, null]);
  assert.deepEqual(press(["g", 0], ["x", 10], ["o", 20]), [null, null, null]);
  assert.deepEqual(press(["g", 0], ["g", 10], ["r", 20]), [null, null, "g r"]);
  assert.deepEqual(press(["?", 0], ["/", 1]), ["?", "/"]);
  assert.deepEqual(press(["g", 0], ["o", 1], ["o", 2]), [null, "g o", null]);
});

test("what is left counts down to the second, as the server says it", () => {
  const words = { textRange: "{time} left", textUpTo: "up to {time} left", textOver: "longer than usual" };
  const said = (low, high) => plain(rest(low, high, words).text);
  assert.equal(said(6_000, 9_000), "6–9 s left");
  assert.equal(said(5_999, 8_999), "5–9 s left");
  assert.equal(said(500, 3_500), "up to 4 s left");
  assert.equal(said(-2_000, 1), "up to 1 s left");
  assert.equal(said(-2_000, 0), "longer than usual");
  assert.equal(said(60_000, 130_000), "1–3 min left");
  assert.equal(rest(5_250, 8_500, words).again, 251);
  assert.equal(rest(-1, 8_500, words).again, 500);
});
