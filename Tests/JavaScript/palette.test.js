import assert from "node:assert/strict";
import test from "node:test";
import { fit, fitting } from "../../Public/page/palette.js";

test("beginnings fit best, then beginnings of words, then parts, then letters in order", () => {
  assert.deepEqual(["HTTP request", "request of HTTP", "xhttp", "h-t, t, p", "gallery"].map((name) => fit(name, "http")), [0, 1, 2, 3, null]);
});

test("neither case nor accents matter", () => {
  assert.equal(fit("Execuções", "EXECUCO"), 0);
  assert.equal(fit("Posição da ISS", "iss"), 1);
});

test("the best come first, in their order, and not too many", () => {
  const places = ["Runs", "System", "Host vitals", "Stores", ...Array.from({ length: 20 }, (_, n) => `s${n}`)].map((name) => ({ name }));
  const found = fitting(places, "s").map(({ name }) => name);
  assert.deepEqual(found.slice(0, 3), ["System", "Stores", "s0"]);
  assert.equal(found.length, 12);
  assert.deepEqual(fitting(places, "zzz"), []);
  assert.equal(fitting(places, "").length, 12);
});
