import assert from "node:assert/strict";
import test from "node:test";
import { bytes, Rate, words } from "../../Public/page/upload.js";

const plain = (text) => text.replaceAll("\u00a0", " ");

test("a number of bytes is written as the server writes it", () => {
  const cases = [[0, "0 B"], [999, "999 B"], [999.5, "1.0 kB"], [24_000_000, "24.0 MB"], [99_950_000, "100 MB"], [1.5e12, "1.5 TB"], [5e15, "5,000 TB"]];
  for (const [count, said] of cases) assert.equal(plain(bytes(count, "en")), said);
  assert.equal(plain(bytes(1_500, "pt-BR")), "1,5 kB");
});

test("a rate is said after half a second, and is that of the last seconds", () => {
  const rate = new Rate();
  assert.equal(rate.add(0, 0), null);
  assert.equal(rate.add(100, 400), null);
  assert.equal(rate.add(1_000, 1_000), 1_000);
  for (let second = 2; second <= 20; second += 1) rate.add(1_000 + (second - 1) * 10_000, second * 1_000);
  assert.equal(rate.add(201_000, 21_000), 10_000, "the slow beginning is forgotten");
});

test("an upload says how far it is, how fast, and how long it takes still", () => {
  const said = (...facts) => plain(words(...facts, {}, "en"));
  assert.equal(said(6_000_000, 24_000_000, null), "25 % · 6.0 MB of 24.0 MB");
  assert.equal(said(6_000_000, 24_000_000, 500_000), "25 % · 6.0 MB of 24.0 MB · 500 kB/s · 36 s left");
  assert.equal(said(23_999_999, 24_000_000, 500_000), "99 % · 24.0 MB of 24.0 MB · 500 kB/s · 1 s left", "not done before it is");
  assert.equal(said(24_000_000, 24_000_000, 500_000), "100 % · 24.0 MB of 24.0 MB · 500 kB/s");
  assert.equal(said(1, 24_000_000, 0), "0 % · 1 B of 24.0 MB · 0 B/s", "nothing is promised of what stands still");
  const portuguese = { textOf: "{sent} de {total}", textRate: "{rate}/s", textLeft: "faltam {time}" };
  assert.equal(plain(words(1_500, 3_000, 1_000, portuguese, "pt-BR")), "50 % · 1,5 kB de 3,0 kB · 1,0 kB/s · faltam 2 s");
});
