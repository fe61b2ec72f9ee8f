// The little of a DOM that morphing needs: nodes that know their parent, attributes, and ids.

class Node {
  parentNode = null;
  childNodes = [];

  constructor(ownerDocument, nodeType, nodeName) {
    Object.assign(this, { ownerDocument, nodeType, nodeName });
  }

  get localName() { return this.nodeName.toLowerCase(); }
  get isConnected() { return this === this.ownerDocument.body || (this.parentNode?.isConnected ?? false); }

  contains(other) {
    for (let at = other; at; at = at.parentNode) if (at === this) return true;
    return false;
  }

  adopt(document) {
    this.ownerDocument = document;
    for (const child of this.childNodes) child.adopt(document);
  }

  insertBefore(node, next) {
    if (node.contains(this)) throw new Error("A node cannot be put into itself");
    if (next && next.parentNode !== this) throw new Error("The next node is elsewhere");
    if (node === next) return node;
    node.remove();
    const place = next ? this.childNodes.indexOf(next) : this.childNodes.length;
    this.childNodes.splice(place, 0, node);
    node.parentNode = this;
    node.adopt(this.ownerDocument);
    this.ownerDocument.moves += 1;
    return node;
  }

  /** Moves what is in the document without taking it out, as browsers do. */
  moveBefore(node, next) {
    const { taken } = this.ownerDocument;
    this.insertBefore(node, next);
    this.ownerDocument.taken = taken;
  }

  appendChild(node) { return this.insertBefore(node, null); }

  removeChild(node) {
    const place = this.childNodes.indexOf(node);
    if (place < 0) throw new Error("The node is elsewhere");
    this.childNodes.splice(place, 1);
    const ids = [node, ...(node.querySelectorAll?.() ?? [])].map((element) => element.getAttribute?.("id")).filter(Boolean);
    this.ownerDocument.taken = [...this.ownerDocument.taken, ...ids];
    node.parentNode = null;
  }

  remove() { this.parentNode?.removeChild(this); }

  replaceWith(node) {
    this.parentNode.insertBefore(node, this);
    this.remove();
  }
}

class Text extends Node {
  constructor(document, data) {
    super(document, 3, "#text");
    this.data = data;
  }

  get nodeValue() { return this.data; }
  replaceData(start, count, data) { this.data = this.data.slice(0, start) + data + this.data.slice(start + count); }
  cloneNode() { return new Text(this.ownerDocument, this.data); }
  toString() { return this.data.replaceAll("&", "&amp;").replaceAll("<", "&lt;"); }
}

class Element extends Node {
  attributes = new Map();

  constructor(document, name) { super(document, 1, name.toUpperCase()); }

  getAttribute(name) { return this.attributes.get(name) ?? null; }
  setAttribute(name, value) { this.attributes.set(name, value); }
  removeAttribute(name) { this.attributes.delete(name); }
  hasAttribute(name) { return this.attributes.has(name); }
  getAttributeNames() { return [...this.attributes.keys()]; }

  cloneNode() {
    const clone = new Element(this.ownerDocument, this.nodeName);
    for (const [name, value] of this.attributes) clone.setAttribute(name, value);
    return clone;
  }

  querySelectorAll() {
    return this.childNodes.flatMap((node) => node instanceof Element
      ? [...(node.hasAttribute("id") ? [node] : []), ...node.querySelectorAll()] : []);
  }

  toString() {
    const attributes = [...this.attributes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, value]) => ` ${name}="${value}"`);
    return `<${this.localName}${attributes.join("")}>${this.childNodes.join("")}</${this.localName}>`;
  }
}

export class Document {
  moves = 0;
  /** Ids of what was taken out, in order. */
  taken = [];
  body = new Element(this, "body");

  createElement(name) { return new Element(this, name); }
  createTextNode(data) { return new Text(this, data); }

  /** Builds `["li", {id: "a"}, child…]`; a string is a text. */
  build(description) {
    if (typeof description === "string") return this.createTextNode(description);
    const [name, attributes, ...children] = description;
    const element = this.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    for (const child of children) element.appendChild(this.build(child));
    return element;
  }
}
