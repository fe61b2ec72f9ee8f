import assert from "node:assert/strict";
import test from "node:test";
import { Tabs } from "../../Public/feed/tabs.js";
import { Clock, settle } from "./support/clock.js";

/** A browser: its locks and its channels, shared by its tabs. */
function browser({ locks = true, scarce = true } = {}) {
  const clock = new Clock();
  const held = new Map();
  const channels = new Set();
  const grant = (name) => {
    const lock = held.get(name);
    const next = lock.queue.shift();
    if (!next) return held.delete(name);
    lock.owner = next;
    void Promise.resolve(next.callback({ name })).then((value) => { next.resolve(value); grant(name); });
  };
  const manager = {
    request(name, { ifAvailable, signal }, callback) {
      return new Promise((resolve, reject) => {
        setImmediate(() => {
          const lock = held.get(name);
          if (lock && ifAvailable) return resolve(Promise.resolve(callback(null)));
          if (signal?.aborted) return reject(new DOMException("", "AbortError"));
          const entry = { callback, resolve };
          if (!lock) {
            held.set(name, { queue: [entry] });
            return grant(name);
          }
          lock.queue.push(entry);
          signal?.addEventListener("abort", () => {
            if (!lock.queue.includes(entry)) return;
            lock.queue = lock.queue.filter((other) => other !== entry);
            reject(new DOMException("", "AbortError"));
          });
        });
      });
    },
  };
  const open = (name) => {
    const channel = {
      name, onmessage: null,
      postMessage: (data) => {
        for (const other of channels) if (other !== channel && other.name === name) setImmediate(() => other.onmessage?.({ data: structuredClone(data) }));
      },
      close: () => channels.delete(channel),
    };
    channels.add(channel);
    return channel;
  };
  const tab = (feed) => {
    const it = { heard: [], roles: [], yields: 0, state: { cursor: { e: "E", n: 1 }, ok: true } };
    it.tabs = new Tabs(feed, { locks: locks ? manager : undefined, open, now: clock.now, sleep: clock.sleep, scarce }, {
      answer: (answer) => it.heard.push(answer),
      beat: (cursor, ok) => it.heard.push([cursor.n, ok]),
      role: () => it.roles.push(it.tabs.role),
      yield: () => { it.yields += 1; },
      state: () => it.state,
    });
    return it;
  };
  return { clock, tab, held, channels };
}

test("of several tabs on a feed one leads, and relays what it hears", async () => {
  const { tab } = browser();
  const [one, two, three, other] = [tab("board"), tab("board"), tab("board"), tab("run-1")];
  for (const each of [one, two, three, other]) each.tabs.join();
  await settle();
  assert.deepEqual([one, two, three, other].map(({ tabs }) => tabs.role), ["leader", "follower", "follower", "leader"]);
  assert.deepEqual([one.tabs.mayHold, two.tabs.mayHold], [true, false]);
  one.tabs.relay({ k: "batch" });
  two.tabs.relay({ k: "nobody listens to a follower" });
  await settle();
  for (const each of [two, three]) assert.deepEqual(each.heard.filter((heard) => heard.k), [{ k: "batch" }]);
  assert.deepEqual(one.heard, []);
  assert.deepEqual(other.heard, []);
});

test("a tab holds nothing before it knows its role", () => {
  assert.equal(browser().tab("board").tabs.mayHold, false);
});

test("a new tab hears at once where the leader is, and every five seconds again", async () => {
  const { tab, clock } = browser();
  const [one, two] = [tab("board"), tab("board")];
  one.state = { cursor: { e: "E", n: 42 }, ok: false };
  one.tabs.join();
  await settle();
  two.tabs.join();
  await settle();
  assert.deepEqual(two.heard, [[42, false]]);
  await clock.advance(10_000);
  assert.equal(two.heard.length, 3);
});

test("when the leader leaves another tab leads", async () => {
  const { tab, held, channels } = browser();
  const [one, two] = [tab("board"), tab("board")];
  one.tabs.join();
  two.tabs.join();
  await settle();
  one.tabs.leave();
  await settle();
  assert.deepEqual([one.tabs.role, two.tabs.role], ["joining", "leader"]);
  assert.deepEqual(two.roles, ["follower", "leader"]);
  two.tabs.leave();
  await settle();
  assert.deepEqual([held.size, channels.size], [0, 0]);
});

test("a leader silent for twelve seconds is not waited for; heard again it is followed", async () => {
  const { tab, clock } = browser();
  const [one, two] = [tab("board"), tab("board")];
  one.tabs.join();
  await settle();
  two.tabs.join();
  await settle();
  one.tabs.told.state = () => { throw new Error("hung"); };
  const beat = one.tabs.world.sleep;
  one.tabs.world.sleep = () => new Promise(() => {});
  one.tabs.told.state = () => one.state;
  await clock.advance(5_000);
  const heard = two.heard.length;
  await clock.advance(12_000);
  assert.equal(two.tabs.role, "follower");
  await clock.advance(1_000);
  assert.equal(two.heard.length, heard);
  assert.equal(two.tabs.role, "alone");
  assert.equal(two.tabs.mayHold, true);
  one.tabs.world.sleep = beat;
  one.tabs.relay({ k: "batch" });
  await settle();
  assert.equal(two.tabs.role, "follower");
});

test("a tab that leaves before it knows its role leaves nothing behind", async () => {
  const { tab, held, channels } = browser();
  const [one, two] = [tab("board"), tab("board")];
  one.tabs.join();
  two.tabs.join();
  one.tabs.leave();
  two.tabs.leave();
  await settle();
  assert.deepEqual([held.size, channels.size], [0, 0]);
});

test("a tab that left may join again", async () => {
  const { tab } = browser();
  const one = tab("board");
  one.tabs.join();
  await settle();
  one.tabs.leave();
  await settle();
  one.tabs.join();
  await settle();
  assert.equal(one.tabs.role, "leader");
});

test("without locks every tab is alone", () => {
  const one = browser({ locks: false }).tab("board");
  one.tabs.join();
  assert.equal(one.tabs.role, "alone");
  assert.deepEqual(one.roles, ["alone"]);
});

test("all tabs together hold four requests; the others are asked to yield", async () => {
  const { tab, clock } = browser();
  const tabs = ["a", "b", "c", "d", "e"].map(tab);
  for (const each of tabs) each.tabs.join();
  await settle();
  const signal = new AbortController().signal;
  const leaves = [];
  for (const each of tabs.slice(0, 4)) leaves.push(await each.tabs.hold(signal));
  assert.ok(leaves.every(Boolean));
  const fifth = tabs[4].tabs.hold(signal);
  await clock.advance(200);
  assert.equal(await fifth, null);
  assert.deepEqual(tabs.map((each) => each.yields), [1, 1, 1, 1, 0]);
  const again = tabs[4].tabs.hold(signal);
  await settle();
  await clock.advance(199);
  leaves[2]();
  await clock.advance(1);
  assert.equal(typeof await again, "function");
});

test("where connections are not scarce any number is held", async () => {
  const { tab } = browser({ scarce: false });
  const tabs = ["a", "b", "c", "d", "e", "f"].map(tab);
  for (const each of tabs) assert.equal(typeof await each.tabs.hold(new AbortController().signal), "function");
});
