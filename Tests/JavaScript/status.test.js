import assert from "node:assert/strict";
import test from "node:test";
import { Status } from "../../Public/feed/status.js";
import { Clock } from "./support/clock.js";

function header(shown = "live") {
  const clock = new Clock();
  const said = [];
  const status = new Status(clock, (state, facts) => said.push({ at: clock.time, state, ...facts }), shown);
  return { clock, said, status, states: () => said.map(({ state }) => state) };
}

test("trouble that passes within a second is never mentioned", async () => {
  const { clock, said, status } = header();
  status.doubt();
  await clock.advance(900);
  status.succeeded(false);
  await clock.advance(60_000);
  assert.deepEqual(said, []);
});

test("trouble is told after a second, and as stale since the last success after thirty", async () => {
  const { clock, said, status, states } = header();
  const start = clock.time;
  status.doubt();
  await clock.advance(999);
  assert.deepEqual(said, []);
  await clock.advance(1);
  status.doubt();
  await clock.advance(40_000);
  assert.deepEqual(states(), ["reconnecting", "stale"]);
  assert.equal(said[1].at - start, 30_000);
  assert.equal(said[1].since, start);
  assert.equal(status.ok, false);
});

test("it changes at most once in three seconds, to what is true then", async () => {
  const { clock, said, status, states } = header();
  status.doubt();
  await clock.advance(1_000);
  status.succeeded(false);
  await clock.advance(500);
  status.doubt();
  await clock.advance(100);
  status.succeeded(true);
  await clock.advance(5_000);
  assert.deepEqual(states(), ["reconnecting", "degraded"]);
  assert.equal(said[1].at - said[0].at, 3_000);
});

test("announcements stay within bounds however the connection flaps", async () => {
  const { clock, said, status } = header();
  for (let round = 0; round < 200; round += 1) {
    if (round % 3 === 2) status.succeeded(false);
    else status.doubt();
    await clock.advance(700);
  }
  assert.ok(said.length > 10);
  for (let index = 1; index < said.length; index += 1) assert.ok(said[index].at - said[index - 1].at >= 3_000);
});

test("a gap is told for a while, then the line goes back to what is", async () => {
  const { clock, said, status, states } = header();
  status.lost({ from: 11, to: 22, count: 12 });
  status.succeeded(false);
  await clock.advance(20_000);
  assert.deepEqual(states(), ["gap", "live"]);
  assert.equal(said[0].gap.count, 12);
});

test("a gap is told also when the line has just changed", async () => {
  const { clock, status, states } = header();
  status.doubt();
  await clock.advance(1_100);
  status.succeeded(false);
  status.lost({ from: 1, to: 2, count: 2 });
  await clock.advance(20_000);
  assert.deepEqual(states(), ["reconnecting", "gap", "live"]);
});

test("the end stays, whatever comes later", async () => {
  for (const why of ["ended", "stopped"]) {
    const { clock, status, states } = header();
    status.over(why);
    status.doubt();
    await clock.advance(60_000);
    assert.deepEqual(states(), [why]);
  }
});

test("a page that says nothing yet is told to be live", async () => {
  const { status, states } = header("");
  status.succeeded(false);
  assert.deepEqual(states(), ["live"]);
});
