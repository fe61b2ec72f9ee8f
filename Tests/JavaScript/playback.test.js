import assert from "node:assert/strict";
import { test } from "node:test";

import { moment } from "../../Public/page/copy.js";
import { Playback, wait } from "../../Public/page/playback.js";

/** A past of three moments, one and ten seconds apart, on a clock that only waiting moves. */
function past({ fetching = 0 } = {}) {
  const times = { a: 0, b: 1_000, c: 11_000 };
  const world = { time: 0, shown: [], waits: [], here: "" };
  const playback = new Playback({
    next: () => ({ a: "b", b: "c" })[world.here] ?? null,
    read: async (url) => {
      world.time += fetching;
      return { url, region: url, at: times[url] };
    },
    show: ({ url }) => {
      world.here = url;
      world.shown.push(url);
    },
    speed: () => 1,
    now: () => world.time,
    sleep: async (milliseconds) => {
      world.waits.push(milliseconds);
      world.time += milliseconds;
      world.slept?.();
    },
  });
  return { world, playback };
}

test("between two moments it waits as long as they lay apart, a long wait is shortened, and a speed divides both", () => {
  assert.equal(wait(1_000, 1_500, 1), 500);
  assert.equal(wait(1_000, 1_500, 10), 50);
  assert.equal(wait(0, 3_600_000, 1), 2_000);
  assert.equal(wait(0, 3_600_000, 100), 20);
  assert.equal(wait(2_000, 1_000, 1), 0);
  assert.equal(wait(NaN, 1_000, 1), 0);
});

test("every moment is shown in order, up to the last", async () => {
  const { world, playback } = past();
  assert.equal(await playback.play("a"), true);
  assert.deepEqual(world.shown, ["a", "b", "c"]);
  assert.deepEqual(world.waits, [1_000, 2_000]);
  assert.equal(playback.isPlaying, false);
});

test("the time that a moment took to come is part of the wait for it", async () => {
  const { world, playback } = past({ fetching: 300 });
  await playback.play("a");
  assert.deepEqual(world.waits, [700, 1_700]);
});

test("once stopped, nothing more is shown, and it does not count as having come to the end", async () => {
  const { world, playback } = past();
  world.slept = () => playback.stop();
  assert.equal(await playback.play("a"), false);
  assert.deepEqual(world.shown, ["a"]);
});

test("the address of a moment is that of what the page shows now, live or past", () => {
  const place = { origin: "http://weir", pathname: "/runs/r1" };
  assert.equal(moment(place, { sequence: "12" }), "http://weir/runs/r1?at=12");
  assert.equal(moment(place, { paused: "7", sequence: "12" }), "http://weir/runs/r1?at=7");
});
