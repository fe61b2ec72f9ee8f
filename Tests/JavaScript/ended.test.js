import assert from "node:assert/strict";
import test from "node:test";
import { goneAs } from "../../Public/feed/ended.js";

for (const [status, gone] of [[200, 0], [401, 401], [403, 403], [404, 404], [410, 410], [429, 0], [500, 0], [503, 0]]) {
  test(`an ended run that is answered with ${status} ${gone ? "is gone" : "is there"}`, async () => {
    assert.equal(await goneAs("/live/1/run-a", /** @type {any} */ (async () => ({ status }))), gone);
  });
}

test("a server that cannot be reached says nothing about an ended run", async () => {
  assert.equal(await goneAs("/live/1/run-a", /** @type {any} */ (async () => { throw new TypeError("no network"); })), 0);
});
