import assert from "node:assert/strict";
import test from "node:test";
import { watchEnded } from "../../Public/feed/ended.js";

/** The page of an ended run, and a server that answers as a test says. */
function scene(status = 200, hidden = false) {
  const facts = { status, hidden, asked: /** @type {string[]} */ ([]), gone: /** @type {number[]} */ ([]) };
  const check = watchEnded(() => "/live/1/run/a", (state) => { facts.gone.push(state); }, {
    fetch: /** @type {any} */ (async (/** @type {string} */ url) => {
      facts.asked.push(url);
      if (facts.status < 0) throw new TypeError("no network");
      return { status: facts.status };
    }),
    hidden: () => facts.hidden,
  });
  return { facts, check };
}

for (const status of [401, 403, 404, 410]) {
  test(`the page of an ended run that is answered with ${status} ends, once`, async () => {
    const { facts, check } = scene();
    await check();
    assert.deepEqual(facts.gone, []);
    facts.status = status;
    await check();
    await check();
    assert.deepEqual(facts.gone, [status]);
    assert.equal(facts.asked.length, 2);
  });
}

for (const status of [-1, 429, 500, 503]) {
  test(`a server that ${status < 0 ? "cannot be reached" : `answers ${status}`} says nothing about an ended run`, async () => {
    const { facts, check } = scene(status);
    await check();
    facts.status = 410;
    await check();
    assert.deepEqual(facts.gone, [410]);
  });
}

test("a hidden page of an ended run asks for nothing", async () => {
  const { facts, check } = scene(410, true);
  await check();
  assert.deepEqual(facts.asked, []);
  facts.hidden = false;
  await check();
  assert.deepEqual(facts.gone, [410]);
});
