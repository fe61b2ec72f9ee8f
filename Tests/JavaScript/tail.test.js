import assert from "node:assert/strict";
import test from "node:test";
import { Claims } from "../../Public/feed/claims.js";
import { Tail } from "../../Public/page/tail.js";

/** A box of 100 pixels over as many as are given, and its button. */
function scene(height) {
  const listeners = {};
  const on = (name, then) => { listeners[name] = then; };
  const box = { scrollHeight: height, clientHeight: 100, scrollTop: 0, addEventListener: on, focus: () => {} };
  const button = { hidden: true, addEventListener: on };
  const part = { querySelector: (selector) => (selector === "[data-tail]" ? box : button) };
  const tail = new Tail(part);
  const scroll = (top) => { box.scrollTop = top; listeners.scroll(); };
  const grow = (pixels) => { box.scrollHeight += pixels; tail.grown(); };
  return { box, button, scroll, grow, click: () => listeners.click() };
}

test("a box opens at its end, and a reader at the end stays there", () => {
  const { box, button, scroll, grow } = scene(500);
  assert.equal(box.scrollTop, 500);
  scroll(400);
  grow(300);
  assert.equal(box.scrollTop, 800);
  assert.equal(button.hidden, true);
});

test("a reader further up is left alone and told that there is more, until they are at the end again", () => {
  const { box, button, scroll, grow, click } = scene(500);
  scroll(120);
  assert.equal(button.hidden, true, "nothing has come yet");
  grow(50);
  assert.equal(box.scrollTop, 120);
  assert.equal(button.hidden, false);
  click();
  assert.equal(box.scrollTop, 550);
  assert.equal(button.hidden, true);
  scroll(120);
  grow(50);
  scroll(490);
  assert.equal(button.hidden, true, "within reach of the end is at the end");
});

test("a part of the page that follows another feed is held as a whole", () => {
  const part = { localName: "section", hasAttribute: (name) => name === "data-feed" };
  const claims = new Claims(() => false, (element) => element.hasAttribute("data-feed"));
  assert.equal(claims.before(part, part), "all");
});
