@testable import MarkupTesting
import Testing

struct RuleTests {
    /// A rule, fragments that break it with the place and the beginning of the complaint, and fragments that keep it.
    struct Case: Sendable, CustomTestStringConvertible {
        var rule: any MarkupRule
        var broken: [(html: String, complaint: String)]
        var kept: [String]

        var testDescription: String { rule.name }
    }

    private static let cases = [
        Case(
            rule: UniqueIDs(),
            broken: [
                ("<p id=\"a\">x</p>\n<p id=\"a\">y</p>", "2:1: The id \"a\" already belongs to <p> on line 1."),
                ("<p id=\"\">x</p>", "1:1: The id \"\" is empty or has spaces."),
                ("<p id=\"a b\">x</p>", "1:1: The id \"a b\" is empty or has spaces."),
            ],
            kept: ["<p id=\"a\">x</p><p id=\"A\">y</p>"]),
        Case(
            rule: ReferencesResolve(),
            broken: [
                ("<label for=\"a\">x</label>", "1:1: for of <label> names \"a\", but nothing has that id."),
                ("<p aria-labelledby=\"a b\" id=\"a\">x</p>", "1:1: aria-labelledby of <p> names \"b\""),
                ("<p aria-describedby=\"a\">x</p>", "1:1: aria-describedby"),
                ("<p aria-controls=\"a\">x</p>", "1:1: aria-controls"),
                ("<a href=\"#a\">x</a>", "1:1: href of <a> names \"a\""),
                ("<input list=\"a\"/>", "1:1: list"),
                ("<td headers=\"a\">x</td>", "1:1: headers"),
                ("<button form=\"a\">x</button>", "1:1: form"),
                ("<button popovertarget=\"a\">x</button>", "1:1: popovertarget"),
                ("<svg><use href=\"#a\"/></svg>", "1:6: href of <use>"),
            ],
            kept: [
                "<label for=\"a\">x</label><input id=\"a\"/>", "<a href=\"#\">x</a><a href=\"#top\">x</a>",
                "<a href=\"#%C3%A9\">x</a><p id=\"é\">y</p>", "<a href=\"/x#a\">x</a>",
            ]),
        Case(
            rule: AttributeValues(),
            broken: [
                ("<p role=\"banana\">x</p>", "1:1: role=\"banana\" is not an allowed value: expected a role"),
                (
                    "<p dir=\"up\">x</p>",
                    "1:1: dir=\"up\" is not an allowed value: expected one of \"auto\", \"ltr\""
                ),
                ("<p aria-hidden=\"yes\">x</p>", "1:1: aria-hidden"),
                ("<p tabindex=\"x\">x</p>", "1:1: tabindex=\"x\" is not an allowed value: expected a whole number."),
                ("<p aria-valuenow=\"x\">x</p>", "1:1: aria-valuenow"),
                ("<p aria-label=\" \">x</p>", "1:1: aria-label"),
                ("<input disabled=\"false\"/>", "1:1: disabled=\"false\" is not an allowed value"),
            ],
            kept: [
                "<p role=\"alert\" dir=\"ltr\" tabindex=\"-1\">x</p><input disabled=\"\"/><input disabled=\"disabled\"/>"
            ]),
        Case(
            rule: Nesting(),
            broken: [
                (
                    "<button><b><a href=\"/\">x</a></b></button>",
                    "1:12: <a> is not allowed inside <button>, at any depth."
                ),
                ("<a href=\"/\"><input/></a>", "1:13: <input> is not allowed inside <a>"),
                ("<form><div><form></form></div></form>", "1:12: <form> is not allowed inside <form>"),
                ("<label>x<label>y</label></label>", "1:9: <label> is not allowed inside <label>"),
                ("<article><main>x</main></article>", "1:10: <main>"),
                ("<a href=\"/\"><b tabindex=\"0\">x</b></a>", "1:13: <b>"),
            ],
            kept: ["<label>x<input/></label><form><button>y</button></form><a href=\"/\"><input type=\"hidden\"/>x</a>"]
        ),
        Case(
            rule: ControlsLabelled(),
            broken: [
                ("<input/>", "1:1: <input> has no label."), ("<select></select>", "1:1: <select>"),
                ("<textarea>x</textarea>", "1:1: <textarea>"), ("<label> <input/></label>", "1:9: <input>"),
                ("<input placeholder=\"x\"/>", "1:1: <input>"), ("<input id=\"a\"/><label for=\"a\"></label>", "1:1: "),
            ],
            kept: [
                "<label>x<input/></label>", "<input id=\"a\"/><label for=\"a\">x</label>", "<input aria-label=\"x\"/>",
                "<b id=\"a\">x</b><input aria-labelledby=\"a\"/>", "<input type=\"hidden\"/><input type=\"submit\"/>",
                "<input title=\"x\"/>",
            ]),
        Case(
            rule: ControlsNamed(),
            broken: [
                ("<button> </button>", "1:1: <button> has no name."), ("<a href=\"/\"></a>", "1:1: <a> has no name."),
                ("<button><svg></svg></button>", "1:1: "), ("<a href=\"/\"><img src=\"a\" alt=\"\"/></a>", "1:1: "),
                ("<button><b aria-hidden=\"true\">×</b></button>", "1:1: "), ("<input type=\"button\"/>", "1:1: "),
                ("<b role=\"button\"></b>", "1:1: "), ("<details><summary></summary></details>", "1:10: <summary>"),
            ],
            kept: [
                "<button>x</button>", "<button aria-label=\"x\">×</button>",
                "<a href=\"/\"><img src=\"a\" alt=\"x\"/></a>",
                "<button><svg role=\"img\" aria-label=\"x\"></svg></button>", "<button title=\"x\"></button>",
                "<a>x</a>",
                "<button><svg><title>x</title></svg></button>",
                "<a aria-labelledby=\"a\" href=\"/\"></a><b id=\"a\">x</b>",
                "<p hidden=\"hidden\"><button></button></p>",
                "<input type=\"button\" value=\"x\"/><input type=\"reset\"/>",
            ]),
        Case(
            rule: GaugesNamed(),
            broken: [
                ("<progress value=\"1\">1</progress>", "1:1: <progress> has no name for what it measures."),
                ("<meter value=\"1\">1</meter>", "1:1: <meter>"), ("<p role=\"progressbar\">x</p>", "1:1: <p>"),
            ],
            kept: [
                "<progress aria-label=\"x\"></progress>", "<label>x <meter value=\"1\"></meter></label>",
                "<p role=\"progressbar\" aria-label=\"x\"></p>",
            ]),
        Case(
            rule: PicturesDescribed(),
            broken: [
                ("<img src=\"a\"/>", "1:1: <img> has no alt."),
                ("<svg></svg>", "1:1: <svg> has no description."),
                ("<svg role=\"img\"></svg>", "1:1: <svg>"), ("<b role=\"img\"></b>", "1:1: <b>"),
            ],
            kept: [
                "<img src=\"a\" alt=\"\"/>", "<svg aria-hidden=\"true\"></svg>",
                "<svg role=\"img\" aria-label=\"x\"></svg>",
                "<svg role=\"img\"><title>x</title></svg>", "<b aria-hidden=\"true\"><svg></svg></b>",
                "<svg role=\"none\"></svg>",
            ]),
        Case(
            rule: TableHeaders(),
            broken: [("<table><tr><td>x</td></tr></table>", "1:1: <table> has no header cells.")],
            kept: ["<table><tr><th>x</th></tr></table>", "<table role=\"none\"><tr><td>x</td></tr></table>"]),
        Case(
            rule: NoInlineCode(),
            broken: [
                ("<script>x</script>", "1:1: <script> in the page is not allowed."),
                ("<style>x</style>", "1:1: <style>"),
                ("<script src=\"a\">x</script>", "1:1: <script>"),
                ("<p style=\"x\">y</p>", "1:1: A style attribute is not allowed."),
                ("<p onclick=\"x\">y</p>", "1:1: The handler onclick is not allowed."),
                ("<p OnLoad=\"x\">y</p>", "1:1: The handler onload"),
                ("<a href=\"javascript:x\">y</a>", "1:1: href contains code."),
                ("<a href=\" Java&#10;Script:x\">y</a>", "1:1: href contains code."),
                ("<form action=\"javascript:x\"></form>", "1:1: action contains code."),
                ("<button formaction=\"javascript:x\">y</button>", "1:1: formaction contains code."),
            ],
            kept: ["<script src=\"/a.js\"></script><a href=\"/javascript:x\">y</a><p>javascript: on style</p>"]),
        Case(
            rule: NaturalTabOrder(),
            broken: [("<p tabindex=\"1\">x</p>", "1:1: tabindex above 0 breaks the order of the page.")],
            kept: ["<p tabindex=\"0\">x</p><p tabindex=\"-1\">y</p>"]),
        Case(
            rule: SingleMain(),
            broken: [
                ("<main>x</main>\n<main>y</main>", "2:1: This is a second main part."),
                ("<main>x</main><div role=\"main\">y</div>", "1:15: "),
            ],
            kept: ["<main>x</main><main hidden=\"hidden\">y</main>"]),
        Case(
            rule: HeadingOrder(),
            broken: [
                ("<h2>x</h2>\n<h4>y</h4>", "2:1: A heading of level 4 follows a level 2."),
                (
                    "<h2>x</h2><p role=\"heading\" aria-level=\"5\">y</p>",
                    "1:11: A heading of level 5 follows a level 2."
                ),
            ],
            kept: ["<h3>x</h3><h4>y</h4><h2>z</h2><h3>z</h3>", "<p>x</p>"]),
    ]

    // L1
    @Test(arguments: cases)
    func `a rule tells what breaks it, and nothing else`(tested: Case) {
        for (html, complaint) in tested.broken {
            let problems = Markup.check(html, as: .fragment, rules: [tested.rule]).filter {
                $0.rule == tested.rule.name
            }
            #expect(problems.count == 1, "\(html): \(problems)")
            #expect(problems.first?.description.hasPrefix(complaint) == true, "\(html): \(problems)")
        }
        for html in tested.kept {
            let problems = Markup.check(html, as: .fragment, rules: [tested.rule]).filter {
                $0.rule == tested.rule.name
            }
            #expect(problems == [], "\(html)")
        }
    }

    // L1
    @Test func `every rule is among all, and is tested here`() {
        let tested = Self.cases.map(\.rule.name) + [PageLanguage().name, PageTitle().name]
        #expect(Set(tested) == Set([any MarkupRule].all.map(\.name)))
        #expect([any MarkupRule].all.count == tested.count)
    }

    // L1
    @Test(arguments: [
        ("<html><head><title>a</title></head><body><h1>a</h1></body></html>", ["page-language"]),
        ("<html lang=\" \"><head><title>a</title></head><body></body></html>", ["page-language", "attribute-values"]),
        ("<html lang=\"en\"><head><title> </title></head><body></body></html>", ["page-title"]),
        ("<html lang=\"en\"><head><title>a</title></head><body><h2>a</h2></body></html>", ["heading-order"]),
        ("<html lang=\"en\"><head><title>a</title></head><body><h1>a</h1><h2>b</h2></body></html>", []),
    ])
    func `a page says its language and title, and begins with the first heading`(html: String, rules: [String]) {
        #expect(Set(Markup.check("<!DOCTYPE html>\(html)", as: .document).map(\.rule)) == Set(rules))
    }

    @Test func `rules can be left out and added`() {
        struct NoTables: MarkupRule {
            var name: String { "no-tables" }
            func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
                try document.elements("//table").map { $0.problem("No tables here.", of: self) }
            }
        }
        let html = "<table><tr><td>x</td></tr></table>"
        #expect(Markup.check(html, as: .fragment).map(\.rule) == ["table-headers"])
        #expect(Markup.check(html, as: .fragment, rules: .all.without("table-headers")) == [])
        #expect(
            Markup.check(html, as: .fragment, rules: [NoTables()]).map(\.description)
                == ["1:1: No tables here. (no-tables)"])
    }

    @Test func `a rule that cannot be checked says so`() {
        struct Broken: MarkupRule {
            var name: String { "broken" }
            func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
                try document.elements("//[").map { $0.problem("x", of: self) }
            }
        }
        let problems = Markup.check("<p>x</p>", as: .fragment, rules: [Broken()])
        #expect(problems.map(\.rule) == ["broken"])
        #expect(problems.first?.sentence.hasPrefix("The rule could not be checked: ") == true)
    }
}
