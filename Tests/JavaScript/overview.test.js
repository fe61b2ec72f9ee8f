import assert from "node:assert/strict";
import { test } from "node:test";
import { folded, matches, sorted } from "../../Public/page/overview.js";

const cards = () => [
  { id: "upload", name: folded("Upload"), tags: "files", position: 0, changed: 4, isActive: false },
  { id: "deploy", name: folded("Deploy"), tags: "production web", position: 1, changed: 9, isActive: true },
  { id: "execucao", name: folded("Execução noturna"), tags: "", position: 2, changed: 7, isActive: false },
  { id: "archive", name: folded("archive"), tags: "files", position: 3, changed: 0, isActive: true },
];
const ids = (order, ...pins) => sorted(cards(), order, new Set(pins)).map(({ id }) => id).join(" ");

test("cards stand in the order that the server gives them", () => {
  assert.equal(ids(""), "upload deploy execucao archive");
  assert.equal(ids("name"), "archive deploy execucao upload");
  assert.equal(ids("change"), "deploy execucao upload archive");
  assert.equal(ids("running"), "deploy archive upload execucao");
});

test("what is pinned comes first, in the order of the others", () => {
  assert.equal(ids("", "archive", "deploy"), "deploy archive upload execucao");
  assert.equal(ids("name", "upload", "gone"), "upload archive deploy execucao");
});

test("a filter finds parts of words in names, ids and tags, whatever their case and accents", () => {
  const found = (text) => cards().filter((card) => matches(card, text)).map(({ id }) => id).join(" ");
  assert.equal(found("execucao NOT"), "execucao");
  assert.equal(found("EXECUÇÃO"), "execucao");
  assert.equal(found("web dep"), "deploy");
  assert.equal(found("files"), "upload archive");
  assert.equal(found(""), "upload deploy execucao archive");
  assert.equal(found("x y"), "");
});
