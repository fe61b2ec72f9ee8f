import assert from "node:assert/strict";
import test from "node:test";
import { FULL, Painter, ROOMY } from "../../Public/feed/live.js";

function stage({ cost = 0, fail } = {}) {
  const it = { painted: [], failures: [], frames: [], hidden: false, time: 0 };
  it.painter = new Painter(
    { frame: (paint) => { it.frames.push(paint); }, now: () => it.time, hidden: () => it.hidden },
    (item) => {
      if (item === fail) throw new Error("no such element");
      it.time += cost;
      it.painted.push(item);
    },
    (error) => it.failures.push(error.message),
  );
  it.frame = (seen = true) => {
    it.time += 16;
    for (const paint of it.frames.splice(0)) paint(seen);
  };
  return it;
}
const numbers = (count, first = 1) => Array.from({ length: count }, (_, index) => first + index);

test("one change is painted in one frame, in order", () => {
  const it = stage();
  it.painter.add(numbers(3));
  assert.deepEqual(it.painted, []);
  for (const seen of [[1], [1, 2], [1, 2, 3]]) {
    it.frame();
    assert.deepEqual(it.painted, seen);
  }
  assert.equal(it.frames.length, 0);
});

test("a long backlog is painted in slices of 8 ms, in order, until it is short again", () => {
  const it = stage({ cost: 1 });
  it.painter.add(numbers(ROOMY + 20));
  it.frame();
  assert.equal(it.painted.length, 8);
  while (it.painter.backlog > ROOMY) it.frame();
  const before = it.painted.length;
  it.frame();
  assert.equal(it.painted.length, before + 1);
  while (it.painter.backlog > 0) it.frame();
  assert.deepEqual(it.painted, numbers(ROOMY + 20));
});

test("a page nobody sees needs no frames", () => {
  const it = stage();
  it.hidden = true;
  it.painter.add(numbers(500));
  assert.deepEqual(it.painted, numbers(500));
  assert.equal(it.frames.length, 0);
});

test("a window that is not painted needs no frames either", () => {
  const it = stage();
  it.painter.add(numbers(50));
  it.frame(false);
  assert.deepEqual(it.painted, numbers(50));
});

test("what waits when the page is hidden is painted at once by a flush, and no frame repeats it", () => {
  const it = stage();
  it.painter.add(numbers(5));
  it.painter.flush();
  it.frame();
  assert.deepEqual(it.painted, numbers(5));
});

test("a change that cannot be painted forgets those after it, and is told", () => {
  const it = stage({ fail: 2 });
  it.painter.add(numbers(4));
  for (let frame = 0; frame < 4; frame += 1) it.frame();
  assert.deepEqual(it.painted, [1]);
  assert.deepEqual(it.failures, ["no such element"]);
  assert.equal(it.painter.backlog, 0);
});

test("no more is asked for while too much waits", async () => {
  const it = stage();
  it.painter.add(numbers(FULL));
  let room = false;
  const waiting = it.painter.room().then(() => { room = true; });
  await Promise.resolve();
  assert.equal(room, false);
  it.frame();
  await waiting;
  assert.equal(room, true);
  await it.painter.room();
});
