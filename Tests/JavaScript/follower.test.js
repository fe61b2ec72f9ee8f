import assert from "node:assert/strict";
import test from "node:test";
import { Follower, Refusal } from "../../Public/feed/follower.js";
import { Session } from "../../Public/feed/session.js";
import { batch, drain, E, empty, end, reset, snap, start } from "./support/answers.js";
import { Clock, settle } from "./support/clock.js";

/** A follower on a server that answers when the test says so. */
function follow({ n = 10, mayHold = () => true, hold = async () => () => {}, stubborn = false } = {}) {
  const clock = new Clock();
  const it = { clock, asked: [], applied: [], told: [], holds: 0, mayHold };
  const session = new Session({ e: E, n }, start(n), { random: () => 0.5, reloaded: false });
  const open = [];
  it.follower = new Follower(session, {
    now: clock.now,
    sleep: clock.sleep,
    ask: (url, signal) => new Promise((resolve, reject) => {
      it.asked.push(url.replace("live/1/board/", ""));
      open.push({ resolve, reject, signal });
      if (!stubborn) signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    }),
    room: async () => {},
    hold: async (signal) => {
      const leave = await hold(signal);
      if (!leave) return null;
      it.holds += 1;
      return () => { it.holds -= 1; leave(); };
    },
    mayHold: () => it.mayHold(),
  }, {
    outcome: ({ changes, snapshot, gap }) => {
      it.applied.push(...changes.map(([sequence]) => sequence));
      if (snapshot) it.told.push(`snapshot ${snapshot.at}`);
      if (gap) it.told.push(`gap ${gap.from}–${gap.to}`);
    },
    answer: (answer) => it.told.push(`relay ${answer.k}`),
    ok: () => {},
    failing: () => it.told.push("failing"),
    over: (why) => it.told.push(why),
  });
  it.session = session;
  it.last = () => open.at(-1);
  it.answer = async (answer) => { open.at(-1).resolve(answer); await settle(); };
  it.fail = async (error) => { open.at(-1).reject(error); await settle(); };
  it.running = it.follower.run();
  return it;
}

test("it asks, applies and asks on, one request at a time, and stops at the end", async () => {
  const it = follow();
  await settle();
  await it.answer(batch(10, [11, 12]));
  await it.answer(empty(12));
  await it.answer(end(12));
  await it.running;
  assert.deepEqual(it.asked, ["k3f9/10/1", "k3f9/12/2", "k3f9/12/3"]);
  assert.deepEqual(it.applied, [11, 12]);
  assert.deepEqual(it.told, ["relay batch", "relay empty", "relay end", "end"]);
});

test("a request that is held too long is given up, and what was missed is asked for", async () => {
  const it = follow();
  await it.clock.advance(23_999);
  assert.equal(it.last().signal.aborted, false);
  await it.clock.advance(1);
  assert.equal(it.last().signal.aborted, true);
  assert.deepEqual(it.told, ["failing"]);
  await it.clock.advance(500);
  assert.deepEqual(it.asked, ["k3f9/10/1", "k3f9/10/now"]);
});

test("a lost connection is tried again after a while", async () => {
  const it = follow();
  await settle();
  await it.fail(new TypeError("Failed to fetch"));
  await it.clock.advance(499);
  assert.equal(it.asked.length, 1);
  await it.clock.advance(1);
  await it.fail(new Refusal(503, "3"));
  await it.clock.advance(3_499);
  assert.equal(it.asked.length, 2);
  await it.clock.advance(1);
  assert.deepEqual(it.asked, ["k3f9/10/1", "k3f9/10/now", "k3f9/10/now"]);
});

test("an answer cut in the middle is a failure", async () => {
  const it = follow();
  await settle();
  await it.fail(new SyntaxError("Unexpected end of JSON input"));
  assert.deepEqual(it.told, ["failing"]);
});

test("asleep it holds nothing; awake it first catches up", async () => {
  const it = follow();
  await settle();
  it.follower.sleep();
  await it.clock.advance(600_000);
  assert.equal(it.last().signal.aborted, true);
  assert.equal(it.holds, 0);
  assert.deepEqual([it.asked.length, it.told.length], [1, 0]);
  it.follower.wake();
  await settle();
  assert.equal(it.asked[1], "k3f9/10/now");
  await it.answer(batch(10, [11]));
  assert.deepEqual(it.applied, [11]);
});

test("what an aborted request answers nevertheless is not applied", async () => {
  const it = follow({ stubborn: true });
  await settle();
  it.follower.sleep();
  await it.answer(batch(10, [11]));
  assert.deepEqual([it.applied, it.told], [[], []]);
  it.follower.wake();
  await settle();
  await it.answer(batch(10, [11]));
  assert.deepEqual(it.applied, [11]);
});

test("a drain is waited out before the tail is held again", async () => {
  const it = follow();
  await settle();
  await it.answer(drain(10));
  await it.clock.advance(2_499);
  assert.equal(it.asked.length, 1);
  await it.clock.advance(1);
  assert.equal(it.asked[1], "k3f9/10/4");
});

test("a gap is told and the page taken anew, then followed from there", async () => {
  const it = follow();
  await settle();
  await it.answer(reset("gap", { lost: [11, 20] }));
  assert.equal(it.asked[1], "snap2");
  await it.answer(snap(25));
  assert.deepEqual(it.told, ["gap 11–20", "relay reset", "snapshot 25"]);
  assert.equal(it.asked[2], "k3f9/25/5");
});

test("a tab that another one leads listens, and takes what is relayed", async () => {
  const it = follow({ mayHold: () => false });
  await settle();
  assert.deepEqual(it.asked, []);
  it.follower.relayed(batch(10, [11]));
  it.follower.relayed(batch(10, [11]));
  await settle();
  assert.deepEqual(it.applied, [11]);
  it.follower.relayed(batch(13, [14]));
  await settle();
  assert.deepEqual(it.asked, ["k3f9/11/now"]);
  await it.answer(batch(11, [13, 14]));
  assert.deepEqual(it.applied, [11, 13, 14]);
  it.mayHold = () => true;
  it.follower.poke();
  await settle();
  assert.equal(it.asked[1], "k3f9/14/2");
});

test("what is relayed does not disturb a page that is being taken anew", async () => {
  const it = follow({ mayHold: () => false });
  await settle();
  it.follower.relayed(reset("epoch"));
  await settle();
  assert.deepEqual(it.asked, ["snap2"]);
  for (let n = 20; n < 30; n += 1) it.follower.relayed(batch(n, [n + 1]));
  await settle();
  assert.deepEqual(it.asked, ["snap2"]);
  await it.answer(snap(28));
  it.follower.relayed(batch(27, [28, 29]));
  await settle();
  assert.deepEqual([it.told, it.applied], [["snapshot 28"], [29]]);
});

test("where no more requests may be held, it asks every two seconds instead", async () => {
  const it = follow({ hold: async () => null });
  await it.clock.advance(1_999);
  assert.deepEqual(it.asked, []);
  await it.clock.advance(1);
  assert.deepEqual(it.asked, ["k3f9/10/now"]);
  await it.answer(empty(10));
  await it.clock.advance(2_000);
  assert.deepEqual(it.asked, ["k3f9/10/now", "k3f9/10/now"]);
});

test("a page that could not be painted is taken anew, in place of what was held", async () => {
  const it = follow();
  await settle();
  it.follower.lost();
  await settle();
  assert.equal(it.asked[1], "snap");
  assert.equal(it.holds, 0);
});

test("a server that answers at once and in vain is not asked without end", async () => {
  const it = follow();
  await settle();
  for (let round = 0; round < 1_000; round += 1) {
    it.last().resolve(empty(10));
    await it.clock.advance(10);
  }
  assert.ok(it.asked.length <= 30, `${it.asked.length} requests in ten seconds`);
  assert.equal(it.session.degraded, true);
});
