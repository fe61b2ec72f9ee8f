@testable import MarkupTesting
import Testing

struct SchemaTests {
    // L1
    @Test(arguments: [
        "text, <em>emphasis</em>, <a href=\"/x\">a link</a>",
        "<li>one</li><li>two</li>",
        "<tr><th scope=\"row\">a</th><td colspan=\"2\">b</td></tr>",
        "<tbody><tr><td>a</td></tr></tbody>",
        "<td>a</td><td>b</td>",
        "<option value=\"a\">A</option><optgroup label=\"b\"><option>B</option></optgroup>",
        "<dt>a</dt><dd>b</dd>",
        "<summary>a <h2>b</h2></summary>",
        "<dl><dt>a</dt><dt>b</dt><dd>c</dd><dd>d</dd></dl><dl><div><dt>a</dt><dd>b</dd></div></dl>",
        "<figure><figcaption>a</figcaption><p>b</p></figure><figure><p>b</p><figcaption>a</figcaption></figure>",
        "<details open=\"open\"><summary>a</summary><p>b</p></details><dialog id=\"d\"><p>c</p></dialog>",
        "<p><a href=\"/x\"><b>a</b></a></p><a href=\"/x\"><div>b</div></a>",
        "<nav aria-label=\"a\"><ul><li><a href=\"/\" aria-current=\"page\">b</a></li></ul></nav>",
        "<p><time datetime=\"2026-11-20T10:42:00.5Z\">a</time> <time datetime=\"PT3.1S\">b</time> <data value=\"1\">c</data></p>",
        "<p><time datetime=\"2026-11-20\">a</time> <time datetime=\"10:42\">b</time> <time datetime=\"2026-W07\">b</time></p>",
        "<pre>a <code>b</code></pre><blockquote cite=\"/x\"><p>c</p></blockquote><hr/>",
        "<p data-x=\"1\" data-anything-at-all=\"2\">a</p>",
        "<p role=\"status\" aria-live=\"polite\" tabindex=\"-1\" hidden=\"hidden\" lang=\"pt-BR\" dir=\"auto\">a</p>",
        "<img src=\"/a.png\" alt=\"\" width=\"4\" height=\"3\" loading=\"lazy\"/>",
        "<script src=\"/a.js\" type=\"module\" defer=\"defer\"></script>",
        "<noscript><p>a</p></noscript>",
    ])
    func `markup that HTML allows is valid`(html: String) {
        #expect(Markup.check(html, as: .fragment, rules: [AttributeValues()]) == [])
    }

    // L1
    @Test func `tables are valid with and without their parts`() {
        let row = "<tr><th>a</th><td>b</td></tr>"
        for table in [
            row, "<tbody>\(row)</tbody><tbody></tbody>", "<caption>c</caption><thead>\(row)</thead>\(row)",
            "<colgroup><col span=\"2\"/></colgroup><thead>\(row)</thead><tbody>\(row)</tbody><tfoot>\(row)</tfoot>",
        ] {
            #expect(Markup.check("<table>\(table)</table>", as: .fragment, rules: []) == [])
        }
    }

    // L1
    @Test func `forms are valid with every kind of control`() {
        let html = """
            <form action="/runs" method="post" enctype="multipart/form-data" novalidate="novalidate">
              <fieldset disabled=""><legend>a</legend><p>b</p></fieldset>
              <label>a <input name="a" value="b" required="required" maxlength="40" placeholder="c" list="l"/></label>
              <input type="number" min="1" max="9" step="any" value="3"/><input type="range" min="0" max="4"/>
              <input type="checkbox" checked="checked" name="c"/><input type="radio" name="r" value="1"/>
              <input type="file" accept=".txt" multiple="multiple"/><input type="hidden" name="h" value=""/>
              <input type="date"/><input type="datetime-local"/><input type="color"/><input type="password"/>
              <input type="submit" value="Go" formaction="/x"/><input type="search" size="20" autocomplete="off"/>
              <textarea name="t" rows="3" cols="40">x</textarea><datalist id="l"><option value="a"></option></datalist>
              <select name="s"><option selected="selected">a</option><hr/><optgroup label="b"><option>c</option></optgroup></select>
              <button type="button" popovertarget="p" aria-expanded="false">b</button><output for="a">c</output>
              <progress value="62" max="100">62 %</progress><meter value="0.5" min="0" max="1" low="0.2">half</meter>
            </form>
            """
        #expect(Markup.check(html, as: .fragment, rules: [AttributeValues()]) == [])
    }

    // L1
    @Test func `drawings are valid as far as pages draw`() {
        let html = """
            <svg class="map" viewBox="0 0 2000 1000" width="200" height="100%" role="img" aria-label="a">
              <title>a</title><desc>b</desc>
              <defs><symbol id="s" viewBox="0 0 1 1"><circle r="1"/></symbol>
              <linearGradient id="g"><stop offset="5%" stop-color="red"/></linearGradient></defs>
              <g fill="none" stroke="currentColor" stroke-width="2" transform="translate(1 2)"><path d="M0 0L1 1"/></g>
              <line x1="0" y1="1" x2="-2.5e1" y2=".5"/><rect x="1" y="1" width="2" height="3" rx="1"/>
              <polyline points="0,0 1,1"/><polygon points="0,0 1,1 2,0"/><ellipse cx="1" cy="2" rx="3" ry="4"/>
              <text x="1" y="2" text-anchor="middle">a <tspan dy="1em">b</tspan></text>
              <use href="#s" x="1"/><a href="/x"><circle cx="1" cy="1" r="2"><title>c</title></circle></a>
            </svg>
            """
        #expect(Markup.check(html, as: .fragment) == [])
    }

    // L1
    @Test(arguments: [
        ("<ul><p>a</p></ul>", "1:5: <p> is not allowed here in <ul>."),
        ("<ul><li>a</li>b</ul>", "1:1: Text is not allowed directly in <ul>."),
        ("<div><li>a</li></div>", "1:6: <li> is not allowed here in <div>."),
        ("a <li>b</li>", "1:3: <li> is not allowed here in the fragment."),
        ("<p><div>a</div></p>", "1:4: <div> is not allowed here in <p>."),
        ("<p><a href=\"x\"><div>a</div></a></p>", "1:16: <div> is not allowed here in <a>."),
        ("<div><b><foo>x</foo></b></div>", "1:9: <foo> is not allowed here in <b>."),
        ("<DIV>a</DIV>", "1:1: <DIV> is not allowed here in the fragment."),
        ("<svg xmlns=\"urn:x\" aria-hidden=\"true\"></svg>", "1:1: <svg> is not allowed here in the fragment."),
        ("<table><tr><p>a</p></tr></table>", "1:12: <p> is not allowed here in <tr>."),
        (
            "<table><tbody><tr><td>a</td></tr></tbody><caption>a</caption></table>",
            "1:42: <caption> is not allowed here"
        ),
        ("<dl><dd>a</dd></dl>", "1:5: <dd> is not allowed here in <dl>."),
        ("<details><p>a</p></details>", "1:10: <p> is not allowed here in <details>."),
        ("<details></details>", "1:1: <details> lacks "),
        ("<fieldset><p>a</p><legend>b</legend></fieldset>", "1:19: <legend> is not allowed here in <fieldset>."),
        ("<select><option>a</option><b>c</b></select>", "1:27: <b> is not allowed here in <select>."),
        ("<option><b>a</b></option>", "1:9: <b> is not allowed here in <option>."),
        ("<p>a<br>b</br></p>", "1:5: "),
        ("<p foo=\"a\">b</p>", "1:1: <p> cannot have foo=\"a\": the attribute or the value is unknown."),
        ("<p>a <b style=\"color:red\">b</b></p>", "1:6: <b> cannot have style=\"color:red\""),
        ("<p xml:lang=\"en\">a</p>", "1:1: <p> cannot have lang="),
        ("<input type=\"banana\"/>", "1:1: <input> cannot have type=\"banana\""),
        ("<input type=\"checkbox\" min=\"3\"/>", "1:1: <input> cannot have min=\"3\""),
        ("<input maxlength=\"x\"/>", "1:1: <input> cannot have maxlength=\"x\""),
        ("<form method=\"put\"></form>", "1:1: <form> cannot have method=\"put\""),
        ("<p><img src=\"a\" alt=\"\"/><img alt=\"\"/></p>", "1:25: <img> lacks a required attribute"),
        ("<p><meter>a</meter></p>", "1:4: <meter> lacks a required attribute"),
        ("<svg><path/></svg>", "1:6: <path> lacks a required attribute"),
        ("<p><time datetime=\"yesterday\">a</time></p>", "1:4: <time> cannot have datetime=\"yesterday\""),
        ("<svg><circle r=\"big\"/></svg>", "1:6: <circle> cannot have r=\"big\""),
        ("<svg><div>a</div></svg>", "1:6: <div> is not allowed here in <svg>."),
        ("<svg><script>a</script></svg>", "1:6: <script> is not allowed here in <svg>."),
        ("<script>a</script>", "1:1: "),
        ("<iframe src=\"a\"></iframe>", "1:1: <iframe> is not allowed here"),
        ("<table><tr><td colspan=\"0\">a</td></tr></table>", "1:12: <td> cannot have colspan=\"0\""),
    ])
    func `markup that HTML forbids is told where and why`(html: String, expected: String) throws {
        let problems = Markup.check(html, as: .fragment, rules: [])
        let problem = try #require(problems.first { $0.rule == "schema" })
        #expect(problem.description.hasPrefix(expected), "\(problems)")
    }

    // L1
    @Test func `a page has a head with a title and a body`() {
        func problems(_ head: String, _ rest: String = "<body><p>a</p></body>") -> [String] {
            Markup.check("<!DOCTYPE html><html><head>\(head)</head>\(rest)</html>", as: .document, rules: [])
                .map { "\($0.line):\($0.column): \($0.sentence)" }
        }
        let whole = """
            <meta charset="utf-8"/><meta name="viewport" content="width=device-width"/><title>a</title>\
            <link rel="stylesheet" href="/a.css"/><link rel="icon" href="/a.svg" type="image/svg+xml"/>\
            <script src="/a.js" type="module"></script><noscript><meta http-equiv="refresh" content="5"/></noscript>
            """
        #expect(problems(whole) == [])
        #expect(problems("<meta charset=\"utf-8\"/>") == ["1:22: <head> lacks <title>."])
        #expect(problems("<title>a</title><title>b</title>") != [])
        #expect(problems("<title>a</title><p>b</p>") == ["1:44: <p> is not allowed here in <head>."])
        #expect(problems("<title>a</title><meta charset=\"latin1\"/>") != [])
        #expect(problems("<title>a</title><meta name=\"a\"/>") != [])
        #expect(problems("<title>a</title><link href=\"/a\"/>") != [])
        #expect(problems("<title>a</title>", "") != [])
        #expect(problems("<title>a</title>", "<body></body><p>a</p>") != [])
        #expect(
            problems("<title>a</title>", "<body><li>a</li></body>") == ["1:57: <li> is not allowed here in <body>."])
    }

    @Test func `several mistakes are told at once`() {
        let html = "<div>\n<p foo=\"a\">a</p>\n<ul><b>b</b></ul>\n<img alt=\"\"/>\n<img alt=\"c\"/></div>"
        let lines = Markup.check(html, as: .fragment, rules: []).map(\.line)
        #expect(lines == [2, 3, 4, 5])
    }

    @Test(.timeLimit(.minutes(15)))
    func `a list of five thousand rows is checked`() {
        let row = "<li class=\"a\"><a href=\"/x\">b</a> <button type=\"submit\" name=\"c\" value=\"d\">e</button></li>"
        let html = "<ul>\(String(repeating: row, count: 5000))</ul>"
        #expect(Markup.check(html, as: .fragment) == [])
    }
}
