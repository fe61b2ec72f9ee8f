import assert from "node:assert/strict";
import test from "node:test";
import { Chord } from "../../Public/page/keys.js";
import { durations, relative, rest } from "../../Public/page/times.js";

const now = Date.parse("2026-11-21T12:00:00Z");
const plain = (words) => words.replaceAll("\u00a0", " ");

test("how long ago, and when that changes", () => {
  const english = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const cases = [
    [0, "now", 1_000], [-1_400, "1 second ago", 600], [-59_999, "59 seconds ago", 1], [-60_000, "1 minute ago", 60_000],
    [-3_599_000, "59 minutes ago", 1_000], [-86_400_000, "yesterday", 3_600_000], [-40 * 86_400_000, "last month", 3_600_000],
    [5_500, "in 5 seconds", 501], [-400 * 86_400_000, "last year", 3_600_000],
  ];
  for (const [distance, text, again] of cases) assert.deepEqual(relative(now + distance, now, english), { text, again });
});

test("in the reader's language", () => {
  const portuguese = new Intl.RelativeTimeFormat("pt-BR", { numeric: "auto" });
  assert.equal(relative(now - 300_000, now, portuguese).text, "há 5 minutos");
});

test("a time is right again whenever it says it is", () => {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const distance of [-700, -59_100, -3_599_500, 2_300, 61_000]) {
    const first = relative(now + distance, now, format);
    const before = relative(now + distance, now + first.again - 1, format);
    const after = relative(now + distance, now + first.again, format);
    assert.equal(before.text, first.text, `${distance} before`);
    assert.notEqual(after.text, first.text, `${distance} after`);
  }
});

test("a duration has its two largest units", () => {
  const english = durations("en");
  const cases = [[-5, "0 sec"], [999, "0 sec"], [8_100, "8 sec"], [72_000, "1 min 12 sec"], [60_000, "1 min"], [3_600_000 + 61_000, "1 hr 1 min"],
    [86_400_000, "1 day"], [2 * 86_400_000 + 5 * 3_600_000, "2 days 5 hr"], [3_600_000 + 5_000, "1 hr"]];
  for (const [milliseconds, words] of cases) assert.equal(plain(english(milliseconds)), words);
  assert.equal(plain(durations("pt-BR")(72_000)), "1 min 12 s");
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
