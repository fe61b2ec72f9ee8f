// What is loaded when it is used: copying, folding, search, the moments of a filter, endings.
import assert from "node:assert/strict";
import test from "node:test";
import { curl, quoted } from "../../Public/page/copy.js";
import { Endings } from "../../Public/page/endings.js";
import { parsed, written } from "../../Public/page/json.js";
import { recall, remember } from "../../Public/page/memory.js";
import { local } from "../../Public/page/moments.js";
import { fold, occurrences } from "../../Public/page/find.js";

test("a command starts the same run again, whatever stands in its input", () => {
  const command = curl("https://weir.example/ops/api/v1/runs/01m", '{"operation":"greeting","input":{"label":"it\'s $HOME"}}');
  assert.equal(command, `curl --json '{"label":"it'\\''s $HOME"}' 'https://weir.example/ops/api/v1/operations/greeting/runs'`);
  assert.equal(quoted("'"), `''\\'''`);
});

test("only objects and lists are folded", () => {
  assert.deepEqual(parsed(' {"a": ["b"]}'), { a: ["b"] });
  assert.deepEqual(["12", '"text"', '{"cut": ', "[link](x)", ""].map(parsed), Array(5).fill(undefined));
});

test("numbers keep their digits when they are shown and copied", () => {
  const text = '{"s":["n1","s2","1e400","\\"3",""],"id":9007199254740993,"n":[1.10,-1e400,0.00001,0],"x":null,"t":true,"e":{}}';
  assert.equal(written(parsed(text)), text);
  const run = '{"operation":"pay","input":{"account":9007199254740993,"amount":1.10}}';
  assert.match(curl("https://weir.example/api/v1/runs/01m", run), /'{"account":9007199254740993,"amount":1\.10}'/);
});

test("a text is found in any case and encoding, and marked where it is", () => {
  assert.deepEqual(occurrences("an Error, ERROR", "error"), [[3, 8], [10, 15]]);
  for (const [line, wanted] of [["un caf\u00e9 noir", "CAFE\u0301"], ["un cafe\u0301 noir", "caf\u00e9"]]) {
    assert.deepEqual(occurrences(line, wanted).map(([from, to]) => line.slice(from, to).normalize()), ["caf\u00e9"]);
  }
  assert.deepEqual(occurrences("caf\u00e9 e", "e"), [[5, 6]], "a letter with an accent is another letter");
  assert.deepEqual(occurrences("\u{1F600} ok", "ok"), [[3, 5]]);
  assert.deepEqual(occurrences("a", ""), []);
  assert.equal(fold("\u03a3\u03c2").text, "\u03c3\u03c3");
});

test("the moments of a filter are shown in the reader's time", () => {
  assert.equal(local(Date.parse("2026-11-21T23:30:05Z"), "Asia/Tokyo"), "2026-11-22T08:30:05");
  assert.equal(local(Date.parse("2026-11-21T23:30:05Z"), "UTC"), "2026-11-21T23:30:05");
});

test("the end of a run is said once, and ends that come fast are said as one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const run = (id, tone) => ({ id, tone, matches: (tones) => tones.includes(`.${tone}`), querySelector: () => ({ textContent: "Success" }) });
  let runs = [run("run-a", "active"), run("run-b", "ok")];
  globalThis.document = { querySelectorAll: () => runs, querySelector: () => ({ textContent: "Upload" }), dispatchEvent: ({ detail }) => { told.push(detail); } };
  context.after(() => { delete globalThis.document; });
  const said = [], told = [];
  const endings = new Endings({ set textContent(words) { said.push(words); } });
  endings.look();
  context.mock.timers.tick(1);
  assert.deepEqual(said, [], "what had ended before is no news");
  runs = [run("run-a", "ok"), run("run-c", "idle"), run("run-d", "active")];
  endings.look();
  context.mock.timers.tick(1);
  assert.deepEqual(said, ["Upload: Success"]);
  runs = [run("run-a", "ok"), run("run-c", "bad"), run("run-d", "ok")];
  endings.look();
  endings.look();
  context.mock.timers.tick(2_000);
  assert.equal(said.length, 1);
  context.mock.timers.tick(1_000);
  assert.equal(said.length, 2);
  assert.deepEqual(told.map(({ id, words }) => `${id} ${words}`), ["run-a Upload: Success", "run-c Upload: Success", "run-d Upload: Success"]);
});

test("a form is filled in as it was last sent, but for files and secrets", (context) => {
  const kept = new Map();
  globalThis.HTMLSelectElement = class {};
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  context.after(() => { delete globalThis.HTMLSelectElement; delete globalThis.localStorage; });
  const field = (name, type, value, checked) => ({
    name, type, value, checked, matches: (selector) => selector.startsWith("input") || selector.includes(`[type=${type}]`),
  });
  const form = () => ({ id: "start-x", elements: [field("url", "url", ""), field("key", "password", ""), field("file", "file", ""), field("all", "checkbox", "true", false)] });
  const sent = form();
  [sent.elements[0].value, sent.elements[1].value, sent.elements[2].value, sent.elements[3].checked] = ["http://x/", "secret", "C:\\fakepath\\x", true];
  remember(sent);
  assert.deepEqual(sent.elements.map(({ value }) => value), ["http://x/", "", "", "true"]);
  assert.ok(![...kept.values()].some((value) => /secret|fakepath/.test(value)));
  const next = form();
  recall(next);
  assert.deepEqual(next.elements.map(({ value }) => value), ["http://x/", "", "", "true"]);
  assert.equal(next.elements[3].checked, true);
  kept.set("weir form start-x", "{broken");
  recall(form());
});
