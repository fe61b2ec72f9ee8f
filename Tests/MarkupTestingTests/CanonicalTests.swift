@testable import MarkupTesting
import Testing

struct CanonicalTests {
    @Test func `each element begins a line, with sorted attributes`() throws {
        let html = """
            <!DOCTYPE html><html lang="en"><head><title>a  b</title><meta content="x" charset="utf-8"/></head>
            <body><!-- left out --><ul  id='u'
             class=" b   a "><li>one <b>two</b>, three</li><li></li></ul><br/></body></html>
            """
        #expect(
            try Markup.canonical(html, as: .document) == """
                <!DOCTYPE html>
                <html lang="en">
                  <head>
                    <title>a b</title>
                    <meta charset="utf-8" content="x"/>
                  </head>
                  <body>
                    <ul class="b a" id="u">
                      <li>
                        one
                        <b>two</b>
                        , three
                      </li>
                      <li></li>
                    </ul>
                    <br/>
                  </body>
                </html>

                """)
    }

    @Test func `space is kept where it counts, and what is special is escaped`() throws {
        let html = "<pre>a\n  b <b>c</b><br/></pre><p title=\"&lt;&quot;'&gt;\">&lt;&amp;&#160;é&gt;</p>"
        #expect(
            try Markup.canonical(html, as: .fragment)
                == "<pre>a\n  b <b>c</b><br/></pre>\n<p title=\"&lt;&quot;'&gt;\">&lt;&amp;&#160;é&gt;</p>\n")
    }

    @Test(arguments: [
        "text <b>x</b>", "<ul><li>a</li>\n<li>b</li></ul>", "<svg viewBox=\"0 0 1 1\"><path d=\"M0 0\"></path></svg>",
        "<textarea>\n a</textarea>",
    ])
    func `the canonical form of the canonical form is itself`(html: String) throws {
        let once = try Markup.canonical(html, as: .fragment)
        #expect(try Markup.canonical(once, as: .fragment) == once)
    }

    @Test func `markup that is not well-formed has no canonical form`() {
        #expect(throws: MarkupError.self) { try Markup.canonical("<p>", as: .fragment) }
    }
}
