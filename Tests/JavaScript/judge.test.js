import assert from "node:assert/strict";
import test from "node:test";
import { isAnswer, judge } from "../../Public/feed/session.js";
import { batch, drain, E, empty, end, reset, snap } from "./support/answers.js";

const at10 = { e: E, n: 10 };
const table = [
  ["a batch that continues the cursor is applied whole", batch(10, [12, 15]), "apply", [12, 15]],
  ["a duplicate is dropped", batch(3, [7, 9]), "drop", []],
  ["a batch that ends at the cursor brings nothing new", batch(3, [7, 10]), "level", []],
  ["of an overlapping batch only the new changes are applied", batch(5, [8, 10, 11, 14]), "apply", [11, 14]],
  ["a batch further on is not applied: what lies between is asked for", batch(12, [13]), "catchUp", []],
  ["an empty answer at the cursor keeps us level", empty(10), "level", []],
  ["an empty answer further on means that something was missed", empty(11), "catchUp", []],
  ["an old empty answer is dropped", empty(9), "drop", []],
  ["a drain is an empty answer", drain(10), "level", []],
  ["an end at the cursor ends", end(10), "end", []],
  ["an end further on is first caught up with", end(12), "catchUp", []],
  ["a gap asks for the page", reset("gap", { lost: [11, 20] }), "snapshot", []],
  ["a new epoch asks for the page", reset("epoch", { e: "new" }), "snapshot", []],
  ["a cursor from the future asks for the page", reset("future"), "snapshot", []],
  ["a batch of another epoch asks for the page", batch(10, [11], { e: "new" }), "snapshot", []],
  ["a snapshot is shown", snap(40), "show", []],
];
for (const [name, answer, meaning, sequences] of table) {
  test(name, () => {
    const judged = judge(at10, answer);
    assert.equal(judged.meaning, meaning);
    assert.deepEqual(judged.changes.map(([sequence]) => sequence), sequences);
  });
}

test("what is not whole or not in order is no answer", () => {
  const wrong = [
    null, 7, "batch", [], {}, { ...empty(10), v: 2 }, { ...empty(10), k: "news" }, { ...empty(10), e: 5 },
    { ...empty(10), to: 11 }, { ...batch(10, [11]), ev: undefined }, { ...batch(10, [11]), to: "11" },
    { ...batch(10, [12, 15]), ev: batch(10, [15, 12]).ev }, { ...batch(10, [12]), ev: batch(10, [12, 12]).ev },
    { ...batch(10, [12]), to: 11 }, { ...batch(10, [12]), from: 12 }, { ...batch(10, [12]), ev: [[12, "run-17", 1]] },
    { ...batch(10, [12]), from: -1 }, { ...snap(3), html: undefined }, { ...snap(3), at: 1.5 },
  ];
  for (const value of wrong) {
    assert.equal(isAnswer(value), false, JSON.stringify(value));
    assert.equal(judge(at10, value).meaning, "malformed");
  }
});

test("whatever is repeated, cut in two or comes late, each change is applied once and in order", () => {
  const sequences = Array.from({ length: 40 }, (_, index) => index + 1);
  for (let from = 0; from < 40; from += 7) {
    let cursor = { e: E, n: 0 };
    const applied = [];
    const heard = [];
    for (let first = 0; first < 40; first += 5) {
      heard.push(batch(first, sequences.slice(first, first + 5)));
      heard.push(batch(from, sequences.slice(from)), batch(Math.max(0, first - 3), sequences.slice(Math.max(0, first - 3), first + 2)));
    }
    for (const answer of heard) {
      const { meaning, changes } = judge(cursor, answer);
      if (meaning !== "apply") continue;
      applied.push(...changes.map(([sequence]) => sequence));
      cursor = { e: E, n: answer.to };
    }
    assert.deepEqual(applied, sequences);
  }
});
