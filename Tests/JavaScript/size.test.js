import assert from "node:assert/strict";
import { mkdtemp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { served } from "./support/served.js";

const Public = fileURLToPath(new URL("../../Public/", import.meta.url));
const names = (await readdir(Public, { recursive: true })).filter((name) => name.endsWith(".js"));
const sources = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(Public, name), "utf8")])));

test("the modules of the first load together stay under 22,000 bytes as they are served", () => {
  const first = new Set();
  const waiting = ["weir.js"];
  for (let name = waiting.pop(); name; name = waiting.pop()) {
    if (first.has(name)) continue;
    first.add(name);
    for (const [, path] of sources.get(name).matchAll(/^import [^;]*?from "([^"]+)";/gm)) waiting.push(join(dirname(name), path));
  }
  assert.ok(first.size < names.length, "something is loaded only when it is used");
  const sizes = [...first].map((name) => gzipSync(served(sources.get(name)), { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 22_000, `${total} bytes`);
});

test("a module without its comments is the same module", async () => {
  const folder = await mkdtemp(join(tmpdir(), "weir-"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const [name, source] of sources) {
    const text = served(source);
    assert.ok(!/\/\*|^\s*\/\//m.test(text), `${name} keeps a comment`);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  for (const name of names.filter((each) => each !== "weir.js")) {
    const [whole, bare] = await Promise.all([import(pathToFileURL(join(Public, name))), import(pathToFileURL(join(folder, name)))]);
    assert.deepEqual(Object.keys(bare), Object.keys(whole), name);
  }
});
