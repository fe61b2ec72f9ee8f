import assert from "node:assert/strict";
import test from "node:test";
import { metadata, resume } from "../../Public/page/resume.js";

/** A server that takes uploads, of which some requests are cut, after so many bytes or as told; stands in for XMLHttpRequest. */
function server(cuts) {
  const kept = { bytes: -1, requests: [] };
  globalThis.localStorage = {};
  Object.defineProperties(globalThis.localStorage, {
    getItem: { value(name) { return this[name] ?? null; } },
    setItem: { value(name, value) { this[name] = value; } },
    removeItem: { value(name) { delete this[name]; } },
  });
  globalThis.addEventListener = (name, wake) => setImmediate(wake);
  globalThis.XMLHttpRequest = class {
    status = 0; upload = {}; headers = {}; answer = {}; responseText = "{}"; responseURL = "/u";
    open(method, url) { Object.assign(this, { method, url }); }
    setRequestHeader(name, value) { this.headers[name] = value; }
    getResponseHeader(name) { return this.answer[name] ?? null; }
    abort() {
      [this.isAborted, this.status] = [true, 0];
      this.onloadend?.();
    }
    send(body) {
      kept.requests.push([this.method, this.headers["Upload-Offset"]]);
      const at = Number(this.headers["Upload-Offset"]);
      if (this.method === "POST") [kept.bytes, this.status] = [0, 201];
      else if (kept.bytes < 0) this.status = 404;
      else if (this.method === "HEAD") this.status = 200;
      else if (this.method === "DELETE") [kept.bytes, this.status] = [-1, 204];
      else if (at !== kept.bytes) this.status = 409;
      else if (typeof cuts[0] === "function") return cuts.shift()(this, kept);
      else if (cuts.length) kept.bytes += cuts.shift();
      else [kept.bytes, this.status] = [at + body.size, 204];
      this.answer = { Location: "/uploads/u", "Upload-Offset": String(kept.bytes) };
      setImmediate(() => this.onloadend());
    }
  };
  return kept;
}

const parts = (file) => {
  const data = new FormData();
  data.set("file", file);
  return data;
};
const quiet = { sent() {}, waiting() {} };
const { signal } = new AbortController();

test("what goes with a file is written in Base64 of UTF-8, without what is empty", () => {
  const data = parts(new File(["x"], "é.txt", { type: "text/plain" }));
  data.set("destination", "archive");
  data.set("note", "");
  assert.equal(metadata(data), "filename w6kudHh0,filetype dGV4dC9wbGFpbg==,destination YXJjaGl2ZQ==");
});

test("several choices are one value of an upload, separated by commas", () => {
  assert.equal(metadata([["regions", "eu"], ["mode", "a"], ["regions", "us"]]), "regions ZXUsdXM=,mode YQ==");
});

test("a file that is cut twice goes on where it stopped", async () => {
  const kept = server([3, 4]);
  const file = new File(["0123456789"], "a");
  const reply = await resume("/u", parts(file), file, {}, signal, quiet);
  assert.equal(reply.status, 201);
  assert.deepEqual(kept.requests, [["POST", undefined], ["PATCH", "0"], ["HEAD", undefined], ["PATCH", "3"], ["HEAD", undefined], ["PATCH", "7"]]);
  assert.deepEqual(Object.keys(localStorage), []);
});

test("an attempt that makes no progress for half a minute is given up, and the file goes on where it stopped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let silent;
  const kept = server([(request, kept) => [silent, kept.bytes] = [request, 4]]);
  const file = new File(["0123456789"], "a");
  const sent = resume("/u", parts(file), file, {}, signal, quiet);
  while (!silent) await new Promise(setImmediate);
  t.mock.timers.tick(29_000);
  silent.upload.onprogress({ loaded: 4 });
  t.mock.timers.tick(29_000);
  assert.ok(!silent.isAborted);
  t.mock.timers.tick(1_000);
  assert.ok(silent.isAborted);
  assert.equal((await sent).status, 201);
  assert.deepEqual(kept.requests, [["POST", undefined], ["PATCH", "0"], ["HEAD", undefined], ["PATCH", "4"]]);
});

test("a file that was begun before a reload continues, and one that the server has forgotten begins anew", async () => {
  const file = new File(["0123456789"], "a", { lastModified: 5 });
  let kept = server([]);
  kept.bytes = 6;
  localStorage["weir upload /u 10 5 a"] = JSON.stringify({ at: "/uploads/u", name: "a", size: 10 });
  await resume("/u", parts(file), file, {}, signal, quiet);
  assert.deepEqual(kept.requests, [["HEAD", undefined], ["PATCH", "6"]]);
  kept = server([]);
  localStorage["weir upload /u 10 5 a"] = JSON.stringify({ at: "/uploads/u", name: "a", size: 10 });
  await resume("/u", parts(file), file, {}, signal, quiet);
  assert.deepEqual(kept.requests.map(([method]) => method), ["HEAD", "POST", "PATCH"]);
});

test("what is stopped is given up at the server, and is known no more", async () => {
  const kept = server([2]);
  const file = new File(["0123456789"], "a");
  const stop = new AbortController();
  const reply = await resume("/u", parts(file), file, {}, stop.signal, { ...quiet, waiting: () => stop.abort() });
  assert.equal(reply, null);
  assert.equal(kept.bytes, -1);
  assert.deepEqual(Object.keys(localStorage), []);
});

test("what is stopped while it waits to go on does so at once", async () => {
  const kept = server([2]);
  globalThis.addEventListener = () => {};
  const file = new File(["0123456789"], "a");
  const stop = new AbortController();
  const { setTimeout } = globalThis;
  globalThis.setTimeout = () => {};
  await resume("/u", parts(file), file, {}, stop.signal, { ...quiet, waiting: () => setImmediate(() => stop.abort()) });
  globalThis.setTimeout = setTimeout;
  assert.equal(kept.bytes, -1);
});

test("what is stopped before it began sends nothing", async () => {
  const kept = server([]);
  const file = new File(["0123456789"], "a");
  assert.equal(await resume("/u", parts(file), file, {}, AbortSignal.abort(), quiet), null);
  assert.deepEqual(kept.requests, []);
});
