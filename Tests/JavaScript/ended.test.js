import assert from "node:assert/strict";
import test from "node:test";
import { isGone } from "../../Public/feed/ended.js";

for (const status of [200, 401, 403, 404, 410, 429, 500, 503]) {
  const gone = [401, 403, 404, 410].includes(status);
  test(`an ended run that is answered with ${status} ${gone ? "is gone" : "is there"}`, async () => {
    assert.equal(await isGone("/live/1/run-a", /** @type {any} */ (async () => ({ status }))), gone);
  });
}

test("a server that cannot be reached says nothing about an ended run", async () => {
  assert.equal(await isGone("/live/1/run-a", /** @type {any} */ (async () => { throw new TypeError("no network"); })), false);
});
