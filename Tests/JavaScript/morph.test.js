import assert from "node:assert/strict";
import test from "node:test";
import { settled } from "../../Public/feed/match.js";
import { morph, text } from "../../Public/feed/morph.js";
import { dice } from "./support/clock.js";
import { Document } from "./support/tree.js";

/** Morphs one description into another and gives back the tree, and a way to find what was there before. */
function turn(before, after) {
  const document = new Document();
  const target = document.body.appendChild(document.build(before));
  const old = new Map(target.querySelectorAll().map((element) => [element.getAttribute("id"), element]));
  const source = new Document().build(after);
  const wanted = source.toString();
  document.moves = 0;
  document.taken = [];
  const result = morph(target, source);
  assert.equal(result.toString(), wanted);
  assert.deepEqual(document.body.childNodes, [result], "nothing is left beside the tree");
  const now = new Map(result.querySelectorAll().map((element) => [element.getAttribute("id"), element]));
  return { target, result, moves: document.moves, taken: document.taken, same: (id) => old.get(id) === now.get(id) };
}
const list = (...ids) => ["ul", {}, ...ids.map((id) => ["li", { id }, id])];

test("equal trees are left alone", () => {
  const { moves } = turn(list("a", "b"), list("a", "b"));
  assert.equal(moves, 0);
});

test("attributes and texts become those of the new tree", () => {
  const { target, result } = turn(["p", { class: "old", title: "t" }, "40 %"], ["p", { class: "new", lang: "en" }, "41 %"]);
  assert.equal(target, result);
});

test("a row put in front moves no other row", () => {
  const { moves, same } = turn(list("a", "b", "c"), list("n", "a", "b", "c"));
  assert.equal(moves, 1);
  assert.ok(same("a") && same("b") && same("c"));
});

test("a row that goes moves no other row", () => {
  const { moves, same } = turn(list("a", "b", "c"), list("b", "c"));
  assert.equal(moves, 0);
  assert.ok(same("b"));
});

test("a row brought to the front is the only one that moves", () => {
  const { moves, same } = turn(list("a", "b", "c", "d"), list("d", "a", "b", "c"));
  assert.equal(moves, 1);
  assert.ok(["a", "b", "c", "d"].every(same));
});

test("an element with an id goes on wherever it went", () => {
  const { same, taken } = turn(
    ["div", {}, ["section", {}, ["details", { id: "d" }, "more"]], ["aside", {}]],
    ["div", {}, ["aside", {}, ["p", {}, ["details", { id: "d" }, "more"]]]],
  );
  assert.ok(same("d"));
  assert.deepEqual(taken, [], "it never left the document");
});

test("two elements that change places, one inside the other, both go on", () => {
  const { same } = turn(
    ["div", {}, ["div", { id: "a" }, ["div", { id: "b" }, "x"]]],
    ["div", {}, ["div", { id: "b" }, ["div", { id: "a" }, "y"]]],
  );
  assert.ok(same("a") && same("b"));
});

test("an element without an id goes on as the one that holds the same ids", () => {
  const document = new Document();
  const target = document.body.appendChild(document.build(["div", {}, ["p", {}, ["b", { id: "x" }]], ["p", {}, ["b", { id: "y" }]]]));
  const [, second] = target.childNodes;
  morph(target, new Document().build(["div", {}, ["p", {}, ["b", { id: "y" }]]]));
  assert.deepEqual(target.childNodes, [second]);
});

test("an element whose id is now on another kind of element is made anew", () => {
  const { same } = turn(["div", {}, ["p", { id: "a" }]], ["div", {}, ["em", { id: "a" }]]);
  assert.equal(same("a"), false);
});

test("fields without an id are matched by their name", () => {
  const document = new Document();
  const target = document.body.appendChild(document.build(["form", {}, ["input", { name: "a" }], ["input", { name: "b" }]]));
  const [, b] = target.childNodes;
  morph(target, new Document().build(["form", {}, ["input", { name: "b" }]]));
  assert.deepEqual(target.childNodes, [b]);
});

test("a root of another kind is replaced", () => {
  const { target, result } = turn(["p", { id: "a" }], ["div", { id: "a" }, "x"]);
  assert.notEqual(target, result);
});

test("what somebody claims is left alone", () => {
  const document = new Document();
  const target = document.body.appendChild(document.build(
    ["form", {}, ["input", { name: "a", value: "typed" }], ["p", { id: "kept" }, "told"], ["div", { id: "busy" }, "going on"], ["div", { id: "own" }, "mine"]],
  ));
  morph(target, new Document().build(["form", {}, ["input", { name: "a", value: "served", class: "x" }], ["div", { id: "busy" }, "done"], ["div", { id: "own" }, "yours"]]), {
    before: (old) => {
      if (old.getAttribute("id") === "busy") return "all";
      return { attribute: (name) => name === "value", content: old.getAttribute("id") === "own" };
    },
    after: () => {},
    keeps: (node) => node.getAttribute?.("id") === "kept",
  });
  assert.equal(target.toString(),
    '<form><input class="x" name="a" value="typed"></input><p id="kept">told</p><div id="busy">going on</div><div id="own">mine</div></form>');
});

test("a text changes only where it differs", () => {
  const edits = [];
  const node = { data: "sent 40 of 100", replaceData(...edit) { edits.push(edit); } };
  text(node, "sent 41 of 100");
  text(node, "sent 40 of 100");
  assert.deepEqual(edits, [[6, 1, "1"]]);
  const cases = [["aaa", "aa"], ["aa", "aaa"], ["", "x"], ["x", ""], ["abcabc", "abc"], ["abab", "ab ab"]];
  for (const [from, to] of cases) {
    const changing = new Document().createTextNode(from);
    text(changing, to);
    assert.equal(changing.data, to);
  }
});

test("the nodes that stay are a longest run in order", () => {
  assert.deepEqual([...settled([3, 0, 1, 2])].sort(), [1, 2, 3]);
  assert.deepEqual([...settled([-1, 0, -1, 1])].sort(), [1, 3]);
  assert.equal(settled([-1]).size, 0);
  assert.equal(settled([4, 3, 2, 1]).size, 1);
});

/** Trees with ids that wander between places, kinds and depths, some of them twice. */
function grow(random, depth) {
  const pick = (choices) => choices[Math.floor(random() * choices.length)];
  const attributes = {};
  if (random() < 0.5) attributes.id = pick("abcdefghij".split(""));
  if (random() < 0.3) attributes.class = pick(["x", "y"]);
  if (random() < 0.2) attributes.name = pick(["n", "m"]);
  const children = depth === 0 ? [] : Array.from({ length: Math.floor(random() * 5) }, () =>
    (random() < 0.3 ? pick(["", " ", "40 %", "41 %", "done"]) : grow(random, depth - 1)));
  return [pick(["div", "p", "li", "input"]), attributes, ...children];
}

test("any tree becomes any other, and elements with an id of their own go on", () => {
  for (let seed = 1; seed <= 4_000; seed += 1) {
    const random = dice(seed);
    const before = grow(random, 4);
    const after = grow(random, 4);
    after[0] = before[0];
    try {
      const { result, same, taken } = turn(before, after);
      const counts = (description, found = []) => {
        for (const child of description.slice(2)) {
          if (typeof child === "string") continue;
          if (child[1].id) found.push(`${child[1].id} ${child[0]}`);
          counts(child, found);
        }
        return found;
      };
      const [olds, news] = [counts(before), counts(after)];
      const once = (all, id) => all.filter((entry) => entry.startsWith(`${id} `)).length === 1;
      for (const entry of news) {
        const [id] = entry.split(" ");
        if (olds.includes(entry) && once(olds, id) && once(news, id)) assert.ok(same(id) && !taken.includes(id), `${id} goes on`);
      }
      assert.ok(result.isConnected);
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`, { cause: error });
    }
  }
});
