import Testing

@testable import WeirPages

/// Templates and strings that would be rendered without end are boxes instead.
@Suite struct BoundedTemplateTests {
    private func found(_ overlay: [String: String], line: Int = 1) throws -> [String] {
        var fixture = try Fixture(overlay: overlay)
        try fixture.fill()
        // Rendering ends.
        for page in fixture.everyPage() { #expect(!page.html.isEmpty) }
        return fixture.pages.check().map(\.description)
    }

    private let itself = "the template includes itself, directly or through another; remove one of these tags"

    @Test func `a template that includes itself is reported and shown as a box`() throws {
        let overlay = ["operations/copy/done.mustache": "a\n{{#target}}{{>operations/copy/done}}{{/target}}"]
        #expect(try found(overlay).contains("operations/copy/done.mustache:2: \(itself)"))
        let gallery = try Fixture(overlay: overlay).pages.gallery(frame: PageFrame())
        #expect(gallery.contains("<code>operations/copy/done.mustache:2</code> the template includes itself"))
    }

    @Test func `of templates that include each other, those of the folder are boxes, and others that use them work`()
        throws
    {
        let found = try found([
            "operations/copy/done.mustache": "{{>partials/one}}", "partials/one.mustache": "{{>partials/two}}",
            "partials/two.mustache": "{{target}}{{>partials/one}}",
        ])
        #expect(
            found.filter { $0.hasSuffix(itself) }
                == ["partials/one", "partials/two"].map { "\($0).mustache:1: \(itself)" })
    }

    @Test func `a bundled partial is not blamed for one of the folder that leads back to it`() throws {
        let found = try found(["partials/chip.mustache": "{{word}}{{>partials/card}}"])
        #expect(found.filter { $0.hasSuffix(itself) } == ["partials/chip.mustache:1: \(itself)"])
    }

    @Test func `a page of the folder that includes itself gives way to the bundled one`() throws {
        let html = try Fixture(overlay: ["pages/gallery.mustache": "{{>pages/gallery}}"]).pages
            .gallery(frame: PageFrame())
        #expect(html.contains("pages/gallery.mustache:1"))
        #expect(html.contains("gallery-copy"))
    }

    @Test func `partials that multiply are reported before they are rendered`() throws {
        var overlay = ["operations/copy/done.mustache": "{{>partials/m0}}"]
        for level in 0..<12 {
            overlay["partials/m\(level).mustache"] = String(repeating: "{{>partials/m\(level + 1)}}", count: 10)
        }
        overlay["partials/m12.mustache"] = "{{target}}"
        let found = try found(overlay)
        #expect(
            found.contains(
                "partials/m0.mustache: the template and its partials are too large together; include fewer of them"),
            "\(found)")
    }

    @Test func `a template whose partials lie more than twenty deep is reported, and one with twenty is not`() throws {
        let large =
            "operations/copy/done.mustache: the template and its partials are too large together; include fewer of them"
        for levels in [20, 21] {
            var overlay = ["operations/copy/done.mustache": "{{>partials/d1}}"]
            for level in 1..<levels { overlay["partials/d\(level).mustache"] = "{{>partials/d\(level + 1)}}" }
            overlay["partials/d\(levels).mustache"] = "{{target}}"
            #expect(try found(overlay).filter { $0.contains("too large") } == (levels == 20 ? [] : [large]))
        }
    }

    @Test func `a bundled page takes the place of one of the folder, however large its partials of the folder are`() {
        let set = TemplateSet(
            bundled: ["pages/p.mustache": "{{>partials/q}}{{>partials/q}}"],
            overlay: [
                "pages/p.mustache": "{{>pages/p}}",
                "partials/q.mustache": String(repeating: "{{a}}", count: PartialOrder.maximumTags / 2),
            ])
        let library = TemplateLibrary(set)
        #expect(library.problems.map(\.description) == ["pages/p.mustache:1: \(itself)"])
        #expect(library.covered == library.problems)
    }

    @Test(arguments: [
        ("{{>*target}}", "{{>*target}} is not supported in templates"),
        (
            "{{<operations/copy/done}}{{/operations/copy/done}}",
            "{{<operations/copy/done}} is not supported in templates"
        ),
        ("{{#t.nav}}{{runs}}{{/t.nav}}", "{{#t.nav}} is not supported in templates"),
        (
            String(repeating: "{{#target}}", count: 50_000),
            "sections are nested more than 50 deep; make the template flatter"
        ),
    ])
    func `what is known only when it is rendered is not supported`(template: String, problem: String) throws {
        #expect(
            try found(["operations/copy/done.mustache": template]).contains(
                "operations/copy/done.mustache:1: \(problem)"))
    }

    @Test(arguments: ["{{t.copy.done}}", "{{t.word.yes}}", "{{>operations/copy/done}}", "{{#t}}{{target}}{{/t}}"])
    func `a string that leads to others stays a text`(text: String) throws {
        let found = try found([
            "operations/copy/done.mustache": "{{t.copy.done}}", "strings/en.json": "{\n\"copy.done\": \"\(text)\"\n}",
        ])
        #expect(found.contains { $0.hasPrefix("strings/en.json:2: copy.done: ") }, "\(found)")
    }
}
