import assert from "node:assert/strict";
import test from "node:test";
import { watchRights } from "../../Public/page/rights.js";

/** A page that was made for the label `a`, and a server that answers as a test says. */
function scene({ account = { status: 200, audience: "a" }, page = 200, hidden = false } = {}) {
  const facts = { account, page, hidden, asked: /** @type {string[]} */ ([]), lost: 0 };
  const check = watchRights(/** @type {any} */ ({ dataset: { rights: "/api/v1/account", audience: "a" } }), () => { facts.lost += 1; }, {
    fetch: /** @type {any} */ (async (/** @type {string} */ url) => {
      facts.asked.push(url);
      const status = url === "/tokens" ? facts.page : facts.account.status;
      if (status < 0) throw new TypeError("no network");
      return { ok: status >= 200 && status < 300, status, json: async () => ({ audience: facts.account.audience }) };
    }),
    hidden: () => facts.hidden,
    href: () => "/tokens",
  });
  return { facts, check };
}

test("a page whose rights are the same asks for nothing more", async () => {
  const { facts, check } = scene();
  await check();
  await check();
  assert.deepEqual(facts.asked, ["/api/v1/account", "/api/v1/account"]);
  assert.equal(facts.lost, 0);
});

for (const page of [401, 403, 404, 0]) {
  test(`a page that is answered with ${page || "a redirection"} after the rights changed is lost, once`, async () => {
    const { facts, check } = scene({ account: { status: 200, audience: "b" }, page });
    await check();
    await check();
    assert.equal(facts.lost, 1);
  });
}

test("a page is lost when the session has ended", async () => {
  const { facts, check } = scene({ account: { status: 401, audience: "" }, page: 401 });
  await check();
  assert.equal(facts.lost, 1);
});

test("a page that may still be seen stays, and is asked for once for each change of the rights", async () => {
  const { facts, check } = scene({ account: { status: 200, audience: "b" } });
  await check();
  await check();
  assert.deepEqual(facts.asked, ["/api/v1/account", "/tokens", "/api/v1/account"]);
  assert.equal(facts.lost, 0);
});

for (const status of [-1, 429, 500, 503]) {
  test(`a server that ${status < 0 ? "cannot be reached" : `answers ${status}`} says nothing about the rights`, async () => {
    const { facts, check } = scene({ account: { status, audience: "" } });
    await check();
    assert.equal(facts.lost, 0);
    assert.deepEqual(facts.asked, ["/api/v1/account"]);
  });
}

test("a hidden page asks for nothing", async () => {
  const { facts, check } = scene({ hidden: true });
  await check();
  assert.deepEqual(facts.asked, []);
});
