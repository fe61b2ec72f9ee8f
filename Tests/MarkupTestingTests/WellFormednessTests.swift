import MarkupTesting
import Testing

struct WellFormednessTests {
    /// Markup, and how its one problem is told.
    private static let broken: [(String, String)] = [
        ("<p>a<b>c</p>", "1:13: <b> is open, but </p> follows. Close <b> first; a void element is closed as <br/>."),
        ("<p>a</p></div>", "1:15: </div> closes nothing."),
        ("<p>\na", "2:2: <p> is not closed."),
        ("a &nbsp; b", "1:9: The entity &nbsp; has no meaning in XML. Write the character or its number"),
        ("é &nbsp; b", "1:9: The entity &nbsp; has no meaning in XML."),
        ("a & b", "1:4: A name is expected here. A < or & that begins no name must be written as &lt; or &amp;."),
        ("a &lt b", "1:6: A & must be written as &amp;, or begin an entity that ends with a semicolon."),
        ("<p class=x>a</p>", "1:10: An attribute's value must be in quotes."),
        ("<p hidden>a</p>", "1:10: The attribute hidden has no value. Write hidden=\"hidden\"."),
        ("<p id=\"a\" id=\"b\">x</p>", "1:17: The attribute id is given twice."),
        ("<p title=\"a<b\">x</p>", "1:12: A < in an attribute's value must be written as &lt;."),
        ("<p>a]]>b</p>", "1:5: The characters ]]> must be written as ]]&gt;."),
        ("<!-- a -- b --><p>a</p>", "1:8: A comment cannot have -- in it."),
        ("<p>a</p", "1:8: A tag is not ended by > here."),
        ("<p \"x\">a</p>", "1:4: A name is expected here."),
        ("<p id=\"x\"class=\"y\">a</p>", "1:10: A space is expected between attributes."),
        ("<p>\u{1}</p>", "1:4: There is a control character here that is not allowed in a page."),
        ("<p x:y=\"z\">a</p>", "1:11: The prefix of x:y is unknown. Names in pages have none."),
        ("<div/>", "1:1: A browser reads <div/> as an element that is left open. Write <div></div>."),
        ("<p>x<br></br></p>", "1:5: <br> is a void element. Write <br/>."),
        (
            "<p><?x y?></p>",
            "1:4: A browser reads processing instructions and CDATA sections as comments. Leave it out."
        ),
        ("<p><![CDATA[x]]></p>", "1:4: A browser reads processing instructions and CDATA sections as comments."),
    ]

    @Test(arguments: broken)
    func `a fragment that is not well-formed is told where and why`(html: String, expected: String) throws {
        let problems = Markup.check(html, as: .fragment)
        #expect(problems.count == 1)
        let problem = try #require(problems.first)
        #expect(problem.rule == "well-formed")
        #expect(problem.description.hasPrefix(expected))
        #expect(problem.description.hasSuffix(" (well-formed)"))
    }

    @Test
    func `a mistake beyond the first line of a fragment, and in the first line of a page, stands where it is told`() {
        #expect(Markup.check("<p>\na & b</p>", as: .fragment).map { "\($0)" }.first?.hasPrefix("2:4: ") == true)
        let page = "<!DOCTYPE html><html lang=\"en\"><head><title>a & b</title></head><body><h1>x</h1></body></html>"
        let column = page.prefix { $0 != "&" }.count + 2
        #expect(Markup.check(page, as: .document).map { "\($0)" }.first?.hasPrefix("1:\(column): ") == true)
    }

    @Test func `well-formed markup has no problem`() {
        let html = """
            text &amp; &#160; <!-- <div/> <?x?> --> <p title="a > b 'c'" class='x "y"'>é<br/>𝄞</p>
            <svg aria-hidden="true" viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>
            """
        #expect(Markup.check(html, as: .fragment) == [])
    }

    @Test func `an empty fragment is a fragment, and an empty page none`() {
        #expect(Markup.check("", as: .fragment) == [])
        #expect(Markup.check("", as: .document).map(\.sentence) == ["There is no element here."])
    }

    @Test func `a page begins with the document type of HTML and no other`() {
        let page = "<html lang=\"en\"><head><title>x</title></head><body><h1>x</h1></body></html>"
        #expect(Markup.check("<!DOCTYPE html>\(page)", as: .document) == [])
        #expect(Markup.check("\n<!doctype html>\(page)", as: .document).isEmpty == false)
        for type in ["", "<!DOCTYPE svg>", "<!DOCTYPE html PUBLIC \"a\" \"b\">", "<!DOCTYPE html SYSTEM \"about:x\">"] {
            let sentences = Markup.check(type + page, as: .document).map(\.sentence)
            #expect(sentences == ["A page begins with <!DOCTYPE html>."], "\(type)")
        }
    }

    @Test func `mistakes that have nothing to do with each other are told at once`() {
        let html = "<p>&nbsp; a & b &copy;</p>\n<p id=\"a\" id=\"b\">x</p>\n<b>"
        #expect(Markup.check(html, as: .fragment).map(\.line) == [1, 1, 1, 2, 3])
    }

    @Test func `a problem carries the source around it`() throws {
        let html = "<p>\(String(repeating: "x", count: 300))</p>\n<p>one &nbsp; two</p>"
        let problem = try #require(Markup.check(html, as: .fragment).first)
        #expect(problem.line == 2)
        #expect(problem.excerpt == "<p>one &nbsp; two</p>")
        let long = try #require(Markup.check("<p>\(String(repeating: "x", count: 300))</b>", as: .fragment).first)
        #expect(long.excerpt.hasPrefix("…xxx"))
        #expect(long.excerpt.count < 130)
    }

    @Test func `validation throws every problem as one error`() throws {
        try Markup.validate("<p>x</p>", as: .fragment)
        let error = #expect(throws: MarkupError.self) { try Markup.validate("<p>\n<br></br><div/></p>", as: .fragment) }
        #expect(error?.problems.map(\.line) == [2, 2, 2])
        #expect(
            error?.description.contains("2:1: <br> is a void element. Write <br/>. (well-formed)\n    <br>") == true)
    }
}
