import Testing

@testable import WeirPages

@Suite struct MarkupDiffTests {
    private func patches(_ old: String, _ new: String) -> [Patch] { MarkupDiff.patches(from: old, to: new, id: "a") }

    @Test func `what is the same is not sent`() {
        #expect(patches("<p id=\"a\">b</p>", "<p id=\"a\">b</p>") == [])
        let time = { (words: String) in "<p id=\"a\"><time datetime=\"1\" data-since=\"x\">\(words)</time></p>" }
        #expect(patches(time("1 s"), time("2 s")) == [])
    }

    @Test func `an attribute, a text and a child that differ are sent alone`() {
        let old = "<div id=\"a\" class=\"x\" title=\"t\"><p id=\"b\">1 &lt; 2, and so on and on and on</p>\n</div>"
        #expect(
            patches(old, "<div id=\"a\" class=\"y\"><p id=\"b\">2 &gt; 1, and so on and on and on</p>\n</div>") == [
                .attributes(id: "a", ["class": "y", "title": nil]), .text(id: "b", "2 > 1, and so on and on and on"),
            ])
    }

    @Test func `a list sends what came and what went, and in front of what it came`() {
        let items = { (names: [String]) in
            "<ol id=\"a\">" + names.map { "<li id=\"\($0)\">\(String(repeating: $0, count: 40))</li>" }.joined()
                + "</ol>"
        }
        let item = { (name: String) in "<li id=\"\(name)\">\(String(repeating: name, count: 40))</li>" }
        #expect(
            patches(items(["c", "d", "e", "f"]), items(["b", "c", "x", "e", "f", "g"])) == [
                .remove(id: "d"), .prepend(to: "a", html: item("b")), .insert(before: "e", html: item("x")),
                .append(to: "a", html: item("g")),
            ])
        // Another order is another list.
        #expect(patches(items(["c", "d"]), items(["d", "c"])) == [.morph(id: "a", html: items(["d", "c"]))])
    }

    @Test func `what is added at the end of a list, and what goes from it, is sent alone`() {
        let item = { (name: String) in "<li id=\"\(name)\">\(String(repeating: name, count: 40))</li>" }
        let items = { (names: [String]) in "<ol id=\"a\">" + names.map(item).joined() + "</ol>" }
        #expect(patches(items(["c", "d"]), items(["c", "d", "e"])) == [.append(to: "a", html: item("e"))])
        #expect(patches(items(["c", "d"]), items(["c"])) == [.remove(id: "d")])
    }

    @Test func `text in the place of an element, and an element in that of text, go with what they are in`() {
        let text = "<p id=\"a\"><b id=\"b\">x</b> y</p>"
        let element = "<p id=\"a\"><b id=\"b\">x</b><i id=\"c\">y</i></p>"
        #expect(patches(text, element) == [.morph(id: "a", html: element)])
        #expect(patches(element, text) == [.morph(id: "a", html: text)])
    }

    @Test func `an element that differs between texts is sent without them`() {
        let markup = { (count: Int) in
            "<p id=\"a\">of all the runs that there are <b id=\"b\">\(count)</b> have ended by now, one way or another</p>"
        }
        #expect(patches(markup(1), markup(2)) == [.text(id: "b", "2")])
    }

    @Test func `what falls off a list with a limit is the client's to drop`() {
        let items = { (names: [String]) in
            "<ol id=\"a\" data-limit=\"3\">" + names.map { "<li id=\"\($0)\"><b>\($0)</b></li>" }.joined() + "</ol>"
        }
        #expect(
            patches(items(["b", "c", "d"]), items(["a1", "b", "c"])) == [
                .prepend(to: "a", html: "<li id=\"a1\"><b>a1</b></li>")
            ])
    }

    @Test func `what has no id is sent with the nearest element that has one`() {
        let markup = { (text: String) in
            "<div id=\"a\"><section id=\"s\"><p>\(text)</p></section><p id=\"l\">\(String(repeating: "long ", count: 20))</p></div>"
        }
        #expect(patches(markup("1"), markup("2")) == [.morph(id: "s", html: "<section id=\"s\"><p>2</p></section>")])
    }

    @Test(arguments: [
        "<p id=\"a\">b", "<p id=\"a\"><b>c</p></b>", "text", "", "<p id=\"a\" hidden>b</p>", "<p id=a>b</p>",
    ])
    func `markup that is not well-formed is sent whole`(old: String) {
        let new = "<p id=\"a\" class=\"x\">c</p>"
        #expect(patches(old, new) == [.morph(id: "a", html: new)])
        #expect(patches(new, old) == [.morph(id: "a", html: old)])
        #expect(MarkupDiff.patches(from: nil, to: new, id: "a") == [.morph(id: "a", html: new)])
    }

    @Test func `nested lists that can only be sent whole are compared once, and not once more for each level`() {
        let nested = { (text: String) in
            (0..<45).reduce("<p>\(text)</p>") { inner, _ in "<ul><li>\(inner)</li><li>\(text)</li></ul>" }
        }
        let (old, new) = ("<div id=\"a\">\(nested("1"))</div>", "<div id=\"a\">\(nested("2"))</div>")
        #expect(patches(old, new) == [.morph(id: "a", html: new)])
    }

    @Test func `markup nested deeper than anybody nests it is sent whole`() {
        let deep = { (text: String) in
            "<p id=\"a\">" + String(repeating: "<b>", count: 10_000) + text + String(repeating: "</b>", count: 10_000)
                + "</p>"
        }
        #expect(patches(deep("1"), deep("2")) == [.morph(id: "a", html: deep("2"))])
    }

    @Test func `words that the client may have changed, and what somebody has chosen, go with their element`() {
        let button = { (text: String) in
            "<div id=\"a\"><button id=\"b\">\(text)</button><p id=\"c\">and so on and on and on</p></div>"
        }
        #expect(patches(button("1"), button("2")) == [.morph(id: "b", html: "<button id=\"b\">2</button>")])
        let field = { (chosen: String) in
            "<select id=\"a\">"
                + ["x", "y"].map {
                    "<option id=\"\($0)\"\($0 == chosen ? " selected=\"selected\"" : "")>\($0)</option>"
                }.joined() + "</select>"
        }
        #expect(patches(field("x"), field("y")) == [.morph(id: "a", html: field("y"))])
    }

    @Test func `markup as deep as it may be is still sent by what differs`() {
        let nested = { (text: String) in
            String(repeating: "<div>", count: 98) + "<p id=\"b\">\(text)</p>" + String(repeating: "</div>", count: 98)
        }
        let markup = { (text: String) in "<div id=\"a\">\(nested(text))</div>" }
        #expect(patches(markup("1"), markup("2")) == [.text(id: "b", "2")])
    }
}
