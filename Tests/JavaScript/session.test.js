import assert from "node:assert/strict";
import test from "node:test";
import { Session } from "../../Public/feed/session.js";
import { batch, drain, E, empty, end, reset, snap, start } from "./support/answers.js";

const session = ({ n = 10, random = () => 0.5, reloaded = false } = {}) => new Session({ e: E, n }, start(n), { random, reloaded });
const asks = (session, now = 0) => {
  const step = session.plan(now);
  return step.do === "ask" ? step.kind : step.do;
};

test("a fresh page holds a tail at its own URL", () => {
  assert.deepEqual(session().plan(0), { do: "ask", kind: "tail", url: "live/1/board/k3f9/10/1", fresh: false });
});

test("each answer's URL is the next one asked", () => {
  const one = session();
  one.answered(batch(10, [11, 12]), 0);
  assert.equal(one.plan(0).url, "live/1/board/k3f9/12/2");
  one.answered(empty(12), 0);
  assert.equal(one.plan(0).url, "live/1/board/k3f9/12/3");
});

test("a cut batch is followed by what is more, at once", () => {
  const one = session();
  assert.equal(one.answered(batch(10, [11], { more: true }), 0).changes.length, 1);
  assert.deepEqual(one.plan(0), { do: "ask", kind: "now", url: "live/1/board/k3f9/11/now", fresh: false });
});

test("an answer from further on is not applied; what lies between is asked for", () => {
  const one = session();
  assert.deepEqual(one.answered(batch(12, [13]), 0).changes, []);
  assert.deepEqual(one.plan(0), { do: "ask", kind: "now", url: "live/1/board/k3f9/10/now", fresh: false });
  assert.equal(one.cursor.n, 10);
});

test("an old answer leaves the URLs as they are", () => {
  const one = session();
  one.answered(batch(3, [7, 9]), 0);
  assert.equal(one.plan(0).url, "live/1/board/k3f9/10/1");
});

test("a drain is waited out within its bounds, then the tail goes on", () => {
  const one = session();
  one.answered(drain(10), 0);
  assert.deepEqual(one.plan(0), { do: "wait", until: 2_500 });
  assert.equal(asks(one, 2_500), "tail");
  assert.equal(one.degraded, false);
});

test("an empty answer that asks for patience is degraded, until one does not", () => {
  const one = session();
  one.answered(empty(10, { retry: [2_000, 4_000] }), 0);
  assert.equal(one.degraded, true);
  assert.equal(asks(one, 0), "wait");
  one.answered(empty(10), 5_000);
  assert.equal(one.degraded, false);
});

test("the end is the end", () => {
  const one = session();
  one.answered(end(10), 0);
  assert.equal(asks(one), "stop");
  one.woke();
  assert.equal(asks(one), "stop");
});

test("a gap is told with its bounds, and the page is taken anew", () => {
  const one = session();
  const outcome = one.answered(reset("gap", { lost: [11, 22] }), 0);
  assert.deepEqual(outcome.gap, { from: 11, to: 22, count: 12 });
  assert.deepEqual(one.plan(0), { do: "ask", kind: "snap", url: "live/1/board/snap2", fresh: false });
  assert.equal(one.answered(snap(30), 0).snapshot.at, 30);
  assert.deepEqual(one.cursor, { e: E, n: 30 });
  assert.equal(asks(one), "tail");
});

test("a gap whose size the server knows is told in its words", () => {
  assert.equal(session().answered(reset("gap", { lost: [11, 22], count: 3 }), 0).gap.count, 3);
});

test("a new epoch or a cursor from the future is no gap, but takes the page anew", () => {
  for (const why of ["epoch", "future"]) {
    const one = session();
    assert.equal(one.answered(reset(why), 0).gap, undefined);
    assert.equal(asks(one), "snap");
  }
});

test("after the epoch changed its cursor counts", () => {
  const one = session();
  one.answered(batch(10, [11], { e: "new" }), 0);
  one.answered(snap(3, "new"), 0);
  assert.equal(one.answered(batch(3, [4], { e: "new" }), 0).changes.length, 1);
});

test("a truncated answer is a failure, and what follows catches up, past every cache", () => {
  const one = session();
  one.answered({ v: 1, k: "batch" }, 0);
  assert.equal(one.failures, 1);
  assert.deepEqual(one.plan(0), { do: "wait", until: 500 });
  assert.deepEqual(one.plan(500), { do: "ask", kind: "now", url: "live/1/board/k3f9/10/now", fresh: true });
});

test("failures back off further and further; an answer ends that", () => {
  const one = session({ random: () => 1 });
  const waits = [];
  for (let now = 0; waits.length < 7;) {
    one.failed(now);
    const step = one.plan(now);
    waits.push(step.until - now);
    now = step.until;
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000]);
  one.answered(empty(10), 200_000);
  one.failed(200_000);
  assert.equal(one.plan(200_000).until, 201_000);
});

test("Retry-After of a refusal is honoured", () => {
  const one = session({ random: () => 0 });
  one.failed(0, { status: 503, retryAfter: "9" });
  assert.equal(one.plan(0).until, 9_000);
});

test("without access it stops, and what is shown has to go", () => {
  for (const status of [401, 403]) {
    const denied = session();
    denied.failed(0, { status });
    assert.equal(asks(denied), "stop");
    assert.equal(denied.want, "gone");
    denied.woke();
    assert.equal(denied.want, "gone");
    assert.deepEqual(denied.answered(batch(10, [11]), 0, { relayed: true }).changes, []);
  }
});

test("a page that other rights do not show has to go; with one that they do it goes on", () => {
  const moved = session();
  moved.answered(reset("audience"), 0);
  assert.equal(asks(moved), "snap");
  moved.failed(0, { status: 404 });
  assert.equal(moved.want, "gone");
  const other = session();
  other.answered(reset("audience"), 0);
  other.answered(snap(12), 0);
  assert.equal(asks(other), "tail");
  other.failed(0, { status: 404 });
  assert.equal(other.want, "now");
});

test("an unknown cursor takes the page anew; a page that is gone stops, and stays as it was", () => {
  const gone = session({ random: () => 0 });
  gone.failed(0, { status: 404 });
  assert.equal(asks(gone), "now");
  gone.failed(0, { status: 404 });
  assert.equal(asks(gone), "snap");
  gone.failed(0, { status: 404 });
  assert.equal(asks(gone), "stop");
  assert.equal(gone.want, "stop");
});

test("the page of a run that was deleted is loaded again, which says so", () => {
  const one = session();
  one.failed(0, { status: 410 });
  assert.equal(asks(one), "reload");
});

test("more than five answers in a second without progress slow us down, further each time", () => {
  const one = session({ random: () => 1 });
  const loop = (now) => { for (let time = now; time < now + 6; time += 1) one.answered(empty(10), time); };
  for (let time = 0; time < 5; time += 1) one.answered(empty(10), time);
  assert.equal(asks(one, 5), "tail");
  one.answered(empty(10), 5);
  assert.deepEqual(one.plan(5), { do: "wait", until: 2_005 });
  assert.equal(one.degraded, true);
  loop(2_005);
  assert.deepEqual(one.plan(2_010), { do: "wait", until: 5_010 });
});

test("progress, or an answer that was held, ends the slowness", () => {
  for (const [answer, how] of [[batch(10, [11]), {}], [empty(10), { took: 13_000 }]]) {
    const one = session();
    for (let time = 0; time < 6; time += 1) one.answered(empty(10), time);
    assert.equal(one.degraded, true);
    one.answered(answer, 20_000, how);
    assert.equal(one.degraded, false);
  }
});

test("five answers in a second with progress are no loop", () => {
  const one = session();
  for (let n = 10; n < 60; n += 1) one.answered(batch(n, [n + 1]), n);
  assert.equal(asks(one, 60), "tail");
});

test("three resets in ten seconds reload once, and after that stop", () => {
  for (const [reloaded, last] of [[false, "reload"], [true, "stop"]]) {
    const one = session({ reloaded });
    for (const now of [0, 4_000, 9_000]) {
      assert.notEqual(asks(one, now), last);
      one.answered(reset("epoch"), now);
      one.answered(snap(10), now);
    }
    assert.equal(asks(one, 9_000), last);
  }
});

test("operations that change often are shown as often", () => {
  const one = session();
  for (const now of [0, 1_000, 2_000, 3_000, 4_000]) {
    one.answered(reset("catalog"), now);
    assert.equal(asks(one, now), "snap");
    one.answered(snap(10), now);
  }
  assert.equal(asks(one, 4_000), "tail");
});

test("three resets in more than ten seconds go on", () => {
  const one = session();
  for (const now of [0, 6_000, 12_000, 18_000]) {
    one.answered(reset("epoch"), now);
    one.answered(snap(10), now);
  }
  assert.equal(asks(one, 18_000), "tail");
});

test("a change that could not be painted abandons the rest and takes the page anew", () => {
  const one = session();
  one.answered(batch(10, [11, 12]), 0);
  assert.equal(one.lost(0).abandon, true);
  assert.equal(asks(one), "snap");
  assert.deepEqual(one.answered(batch(12, [13]), 0, { relayed: true }).changes, []);
  assert.equal(one.answered(snap(11), 0).snapshot.at, 11);
  assert.equal(one.cursor.n, 11);
});

test("waking asks at once for what was missed, whatever was waited for", () => {
  const one = session();
  one.failed(0);
  one.woke();
  assert.equal(asks(one, 0), "now");
});

test("a tab that may not hold listens, but asks for what is not held", () => {
  const one = session();
  assert.deepEqual(one.plan(0, false), { do: "listen" });
  one.answered(batch(12, [13]), 0, { relayed: true });
  assert.equal(one.plan(0, false).kind, "now");
});

test("a relayed answer that makes no sense is nobody's failure", () => {
  const one = session();
  one.answered({ nonsense: true }, 0, { relayed: true });
  assert.equal(one.failures, 0);
  assert.equal(asks(one), "tail");
});

test("we are behind a tab that is further on, or in another epoch", () => {
  const one = session();
  assert.equal(one.behind({ e: E, n: 10 }), false);
  assert.equal(one.behind({ e: E, n: 11 }), true);
  assert.equal(one.behind({ e: "new", n: 1 }), true);
});

test("who else is there stays until an answer says otherwise", () => {
  const one = session();
  assert.equal(one.answered(empty(10, { viewers: "<p>Ana</p>" }), 0).viewers, "<p>Ana</p>");
  assert.equal(one.answered(empty(10), 1).viewers, undefined);
  assert.equal(one.answered(batch(10, [11]), 2).viewers, undefined);
  assert.equal(one.answered(empty(11, { viewers: "" }), 3).viewers, "");
});

test("a notice stands from one answer that brings it to the next that does not", () => {
  const one = session();
  assert.equal(one.answered(empty(10, { notice: "<p>Not recorded</p>" }), 0).notice, "<p>Not recorded</p>");
  assert.equal(one.answered(empty(10, { notice: "<p>Not recorded</p>" }), 1, { relayed: true }).notice, "<p>Not recorded</p>");
  assert.equal(one.answered(reset("gap"), 2).notice, undefined);
  assert.equal(one.answered(snap(12), 3).notice, "");
  assert.equal(one.answered(empty(12), 4).notice, "");
  assert.equal(one.answered(batch(12, [13]), 5).notice, "");
  assert.equal(one.answered(batch(3, [7]), 6).notice, undefined);
});

test("that the history was replaced stands for good, but where there is more to know", () => {
  const one = session();
  const replaced = "<p>The history was replaced</p>";
  assert.equal(one.answered(reset("epoch", { notice: replaced }), 0).notice, replaced);
  assert.equal(one.answered({ ...snap(3), notice: "<p>Lost</p>" }, 1).notice, "<p>Lost</p>");
  assert.equal(one.answered(batch(3, [4]), 2).notice, replaced);
  assert.equal(one.answered(empty(4, { notice: "<p>Lost</p>" }), 3).notice, "<p>Lost</p>");
  assert.equal(one.answered(empty(4), 4).notice, replaced);
});

test("unfinished lines that change are no loop of empty answers, and end with the output", () => {
  const one = session();
  for (let number = 0; number < 20; number += 1) {
    assert.equal(one.answered(empty(10, { unfinished: `<div>${number} %</div>` }), number).unfinished, `<div>${number} %</div>`);
  }
  assert.equal(asks(one, 20), "tail");
  for (let number = 0; number < 20; number += 1) one.answered(empty(10, { unfinished: "<div>19 %</div>" }), 20 + number);
  assert.equal(asks(one, 40), "wait");
  assert.equal(one.answered(batch(10, [11]), 40).unfinished, undefined);
  assert.equal(one.answered(end(11), 41).unfinished, "");
});
