@testable import MarkupTesting
import Testing

struct MarkupDocumentTests {
    @Test func `a page can be looked into by XPath`() throws {
        let html = "<ul class=\"a\">\n <li>é <b>x</b></li>\n é<li id=\"y\" lang=\"pt\">z</li></ul>"
        let document = try MarkupDocument("<div>\(html.replacing("é<", with: "<"))</div>", as: .fragment)
        let items = try document.elements("//li")
        #expect(items.map(\.text) == ["é x", "z"])
        #expect(items.map(\.line) == [2, 3])
        #expect(items.map(\.column) == [2, 2])
        #expect(items.last?["lang"] == "pt")
        #expect(items.last?["class"] == nil)
        #expect(items.last?.attributeNames == ["id", "lang"])
        #expect(items.first?.parent?.name == "ul")
        #expect(items.first?.children.map(\.name) == ["b"])
        #expect(items.first?.ancestors.map(\.name) == ["ul", "div", "fragment"])
        #expect(try items.first?.elements(".//b").map(\.text) == ["x"])
        #expect(document.root.descendants.map(\.name) == ["div", "ul", "li", "b", "li"])
    }

    @Test func `an expression that selects no elements gives none, and a wrong one throws`() throws {
        let document = try MarkupDocument("<p>x</p>", as: .fragment)
        #expect(try document.elements("count(//p)").isEmpty)
        #expect(try document.elements("//p/text()").isEmpty)
        let error = #expect(throws: MarkupError.self) { try document.elements("//[") }
        #expect(error?.problems.first?.sentence.hasPrefix("XPath “//[”: ") == true)
    }

    @Test func `elements of HTML and SVG have plain names with and without namespaces`() throws {
        let html = """
            <!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title></head><body>\
            <svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg></body></html>
            """
        let document = try MarkupDocument(html, as: .document)
        #expect(try document.elements("/html/body/svg/path").count == 1)
    }

    @Test func `columns count characters of the line`() throws {
        let document = try MarkupDocument("é𝄞 <b>x</b>\r\n\té <i>y</i>", as: .fragment)
        #expect(try document.elements("//b").map { "\($0.line):\($0.column)" } == ["1:4"])
        #expect(try document.elements("//i").map { "\($0.line):\($0.column)" } == ["2:4"])
    }

    @Test func `an accessible name is looked for in the order of its sources`() throws {
        let html = """
            <b id="a">from <i>others</i></b><button aria-labelledby="a" aria-label="label" title="title">text</button>
            <button aria-label="label" title="title">text</button><button title="title">te  xt <img src="a" alt="alt"/></button>
            <button title="title"></button><button></button>
            """
        let names = try MarkupDocument(html, as: .fragment).elements("//button").map(\.accessibleName)
        #expect(names == ["from others", "label", "te xt alt", "title", ""])
    }
}
