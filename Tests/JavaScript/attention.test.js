import assert from "node:assert/strict";
import test from "node:test";
import { Attention } from "../../Public/feed/attention.js";

const watched = (from, to) => {
  const attention = new Attention(30_000);
  for (let now = from; now <= to; now += 1_000) assert.equal(attention.tick(now), null);
  return attention;
};

test("a page hidden for 30 s lets go; seen again it wakes", () => {
  const attention = watched(0, 5_000);
  attention.hidden(5_000);
  for (let now = 6_000; now < 35_000; now += 1_000) assert.equal(attention.tick(now), null);
  assert.equal(attention.tick(35_000), "sleep");
  assert.equal(attention.tick(36_000), null);
  assert.equal(attention.visible(), "wake");
  assert.equal(attention.tick(60_000), null);
});

test("a page hidden for less goes on as if nothing had been", () => {
  const attention = watched(0, 5_000);
  attention.hidden(5_000);
  attention.tick(20_000);
  assert.equal(attention.visible(), null);
  assert.equal(attention.tick(36_000), null);
});

test("a clock that jumps by more than 5 s means the machine slept", () => {
  assert.equal(watched(0, 5_000).tick(11_000), null);
  assert.equal(watched(0, 5_000).tick(11_001), "wake");
  assert.equal(watched(0, 5_000).tick(-60_000), "wake");
});

test("a hidden page's slow timers are no jump", () => {
  const attention = watched(0, 5_000);
  attention.hidden(5_000);
  assert.equal(attention.tick(20_000), null);
});

test("a frozen page lets go at once, and once", () => {
  const attention = watched(0, 5_000);
  assert.equal(attention.frozen(), "sleep");
  assert.equal(attention.frozen(), null);
  assert.equal(attention.tick(90_000), null);
  assert.equal(attention.visible(), "wake");
});

test("a page that is asked for its connection gives it only when hidden", () => {
  const attention = watched(0, 5_000);
  assert.equal(attention.asked(), null);
  attention.hidden(5_000);
  assert.equal(attention.asked(), "sleep");
});
