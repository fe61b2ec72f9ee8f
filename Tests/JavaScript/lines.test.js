// The window on the lines of a long output: it is filled where the reader is, stays in place, and never grows.
import assert from "node:assert/strict";
import test from "node:test";
import { Lines } from "../../Public/page/lines.js";

const HEIGHT = 20;

/** A box of 30 lines over a window on an output of so many lines, which a server answers in windows of 200. */
function scene({ head, first, last }) {
  const asked = [];
  const box = { scrollTop: 0, clientHeight: 30 * HEIGHT, addEventListener: () => {}, getBoundingClientRect: () => ({ top: 0, bottom: 30 * HEIGHT, height: 30 * HEIGHT }) };
  const list = { children: [], toggleAttribute: () => {} };
  const lineOf = (number) => {
    const line = {
      number, marks: new Set(), getAttribute: () => String(number), setAttribute: (name) => line.marks.add(name), removeAttribute: (name) => line.marks.delete(name),
      matches: () => false, remove: () => { list.children.splice(list.children.indexOf(line), 1); },
      getBoundingClientRect: () => {
        const top = list.children.indexOf(line) * HEIGHT - box.scrollTop;
        return { top, bottom: top + HEIGHT, height: HEIGHT };
      },
      get isConnected() { return list.children.includes(line); },
    };
    return line;
  };
  Object.defineProperties(list, {
    firstElementChild: { get: () => list.children[0] ?? null },
    lastElementChild: { get: () => list.children.at(-1) ?? null },
    childElementCount: { get: () => list.children.length },
  });
  Object.assign(list, {
    prepend: (...lines) => list.children.unshift(...lines), append: (...lines) => list.children.push(...lines),
    replaceChildren: (...lines) => { list.children = lines; }, querySelectorAll: () => list.children.filter((line) => line.marks.has("aria-current")),
  });
  Object.defineProperty(box, "scrollHeight", { get: () => list.children.length * HEIGHT });
  const numbers = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  list.children = numbers(first, last).map(lineOf);
  globalThis.document = {
    getElementById: (id) => list.children.find(({ number }) => `line-${number}` === id) ?? null,
    createElement: () => ({ content: {}, set innerHTML(html) { this.content = { childElementCount: 1, querySelector: () => null, firstElementChild: { children: JSON.parse(html).map(lineOf) } }; } }),
  };
  globalThis.fetch = async (url) => {
    const [[kind, value]] = new URLSearchParams(url.split("?")[1]);
    asked.push(`${kind}=${value}`);
    const at = Number(value);
    const [from, to] = kind === "after" ? [at + 1, at + 200] : kind === "before" ? [at - 200, at - 1] : [at - 100, at + 99];
    return { ok: true, json: async () => ({ head, html: JSON.stringify(numbers(Math.max(1, from), Math.min(head, to))) }) };
  };
  const count = { dataset: { head: String(head) } };
  const part = { dataset: { lines: "lines" }, querySelector: (selector) => (selector === "[data-head]" ? count : null), scrollIntoView: () => {} };
  const lines = new Lines(part, box, list, { say: () => {}, changed: () => {} });
  const seen = () => list.children[Math.round(box.scrollTop / HEIGHT)]?.number;
  return { lines, list, box, asked, seen };
}

const settle = () => new Promise((resolve) => { setTimeout(resolve, 5); });

test("lines are requested at the end that the reader approaches, and what is seen stays in place", async () => {
  const { lines, list, box, asked, seen } = scene({ head: 1_000_000, first: 500_001, last: 500_500 });
  box.scrollTop = 40 * HEIGHT;
  const before = seen();
  lines.look();
  await settle();
  assert.equal(asked[0], "before=500001");
  assert.equal(list.children[0].number, 499_801);
  assert.equal(seen(), before);
  box.scrollTop = box.scrollHeight - 40 * HEIGHT;
  lines.look();
  await settle();
  assert.ok(asked.includes("after=500500"));
});

test("a reader of a million lines has at most a thousand in the page, without a gap", async () => {
  const { lines, list, box } = scene({ head: 1_000_000, first: 1, last: 200 });
  for (let step = 0; step < 20; step += 1) {
    box.scrollTop = box.scrollHeight - 30 * HEIGHT;
    lines.look();
    await settle();
    const numbers = list.children.map(({ number }) => number);
    assert.ok(numbers.length <= 1_000);
    assert.equal(numbers.at(-1) - numbers[0], numbers.length - 1);
  }
  assert.ok(lines.last > 2_000 && lines.first > 1_000);
});

test("a link leads to any line, which is marked and in view, and the end of the output leads back", async () => {
  const { lines, list, seen, box } = scene({ head: 1_000_000, first: 999_501, last: 1_000_000 });
  assert.equal(await lines.show(31_337), true);
  assert.deepEqual(list.children.filter((line) => line.marks.has("aria-current")).map(({ number }) => number), [31_337]);
  assert.ok(Math.abs(seen() - 31_337) <= 30, `${seen()} ${box.scrollTop}`);
  assert.equal(lines.isAtHead, false);
  await settle();
  assert.equal(await lines.toEnd(), true);
  assert.equal(lines.last, 1_000_000);
});
