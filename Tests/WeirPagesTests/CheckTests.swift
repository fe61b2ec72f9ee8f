import Testing

@testable import WeirPages

@Suite struct CheckTests {
    /// What the check says of the bundled templates with this file laid over them.
    private func problems(_ file: String, _ text: String) throws -> [String] {
        try Fixture(overlay: [file: text]).pages.check().map(\.description)
    }

    // L3, L4
    @Test func `a check that trusts bundled templates renders samples only for templates of others`() throws {
        var (bundled, overridden) = (0, 0)
        _ = try Fixture().pages.check(trustsBundled: true) { bundled += 1 }
        let mistaken = try Fixture(overlay: ["pages/runs.mustache": "{{nothingLikeIt}}"]).pages
        let found = mistaken.check(trustsBundled: true) { overridden += 1 }
        #expect(bundled == 0)
        #expect(overridden > 0)
        #expect(found.contains { $0.message.contains("nothingLikeIt") })
    }

    @Test func `the bundled templates and strings are without a fault`() throws {
        let problems = try Fixture().pages.check().map(\.description)
        #expect(problems == [])
    }

    // L3
    @Test func `a variable that no sample has is reported with its line`() throws {
        let template = "<p>{{target}}</p>\n<p>\n{{targett}} {{run.shortt}}</p>\n"
        #expect(
            try problems("operations/copy/done.mustache", template).filter { $0.contains("done.mustache:") } == [
                "operations/copy/done.mustache:3: there is no variable run.shortt here",
                "operations/copy/done.mustache:3: there is no variable targett here",
            ])
    }

    // L3
    @Test func `a variable of another case is reported, also inside sections and partials`() throws {
        let found = try Fixture(overlay: [
            "operations/copy/writing.mustache": "{{#note}}\n{{>partials/mine}}{{/note}}{{#bytes}}x{{/bytes}}",
            "partials/mine.mustache": "{{part}}\n\n{{total}}",
        ]).pages.check().map(\.description)
        #expect(found.contains("partials/mine.mustache:3: there is no variable total here"))
        #expect(found.contains("operations/copy/writing.mustache:2: there is no variable bytes here"))
        #expect(!found.contains { $0.contains("variable part") || $0.contains("variable note") })
    }

    // L3
    @Test func `a variable that no page has is reported also where something is not there`() throws {
        let found = try problems("operations/copy/writing.mustache", "{{^note}}\n{{targett}}{{/note}}")
        #expect(found.contains("operations/copy/writing.mustache:2: there is no variable targett here"))
    }

    // L3
    @Test func `every page is looked at`() throws {
        let set = try TemplateSet()
        let names = set.files.keys.filter { $0.hasPrefix("pages/") }.sorted()
        #expect(names.count > 20)
        let mistaken = Dictionary(
            uniqueKeysWithValues: names.map { ($0, (set.files[$0] ?? "") + "\n{{nothingLikeIt}}") })
        let found = try Fixture(overlay: mistaken).pages.check().filter { $0.message.contains("nothingLikeIt") }
        #expect(Set(names).subtracting(found.map(\.file)) == [])
    }

    // L2, L3
    @Test func `what a page has only for some is known too`() throws {
        let found = try problems("pages/run.mustache", "{{{exportURL}}}\n{{exportURLL}}")
        #expect(
            found.contains { $0.hasPrefix("pages/run.mustache:1: {{{exportURL}}} would not be escaped") }, "\(found)")
        #expect(found.contains("pages/run.mustache:2: there is no variable exportURLL here"))
    }

    // L3
    @Test func `a transform of the page's words, which know none, is reported`() throws {
        let found = try problems("operations/copy/done.mustache", "<p>\n{{bytes(t.run.timeline)}}</p>")
        let file = "operations/copy/done.mustache:2: "
        #expect(found.contains { $0.hasPrefix(file) && $0.contains("transform bytes") }, "\(found)")
    }

    // L3
    @Test func `a partial that does not exist is reported`() throws {
        #expect(
            try problems("operations/copy/done.mustache", "\n{{>partials/none}}").contains(
                "operations/copy/done.mustache:2: there is no template partials/none.mustache"))
    }

    // L3
    @Test func `a template for a case that no sample is in, or for no operation, is reported`() throws {
        #expect(
            try problems("operations/copy/dnoe.mustache", "x").contains(
                "operations/copy/dnoe.mustache: no sample of copy is in the case dnoe"))
        let found = try problems("operations/cpoy/done.mustache", "x")
        #expect(found.contains { $0.hasPrefix("operations/cpoy: there is no operation cpoy here.") }, "\(found)")
    }

    // L3
    @Test func `a case without a template where its neighbours have one is reported`() throws {
        let found = try problems("operations/copy/done.mustache", "x")
        #expect(
            found.contains(
                "operations/copy/writing.mustache: the case writing has no template, unlike its neighbours"))
        #expect(!found.contains { $0.contains("done.mustache") })
    }

    // L3
    @Test(arguments: [
        ("a\n{{#note}}", "2: a section is not closed"),
        ("{{#note}}\n\n{{/not}}", "3: a section is closed that was not opened last"),
        ("\n{{a b}}", "2: a tag is not closed, or its name has invalid characters"),
        ("\n{{=<% %>=}}", "2: {{=<% %>=}} is not supported in templates"),
    ])
    func `a template that cannot be read is reported with its line`(template: String, problem: String) throws {
        #expect(
            try problems("operations/copy/done.mustache", template).contains(
                "operations/copy/done.mustache:\(problem)"))
    }

    // L3
    @Test func `a transform that a value does not know is reported`() throws {
        let found = try problems(
            "operations/copy/done.mustache", "{{percent(ratio)}}\n{{bytes(target)}}{{nope(ratio)}}")
        #expect(found.contains("operations/copy/done.mustache:2: target has no transform bytes"))
        #expect(found.contains("operations/copy/done.mustache:2: ratio has no transform nope"))
        #expect(!found.contains { $0.contains("percent") })
    }

    // L2, L3
    @Test func `text that would not be escaped is reported`() throws {
        #expect(
            try problems("operations/copy/done.mustache", "{{{target}}}").contains(
                "operations/copy/done.mustache:1: {{{target}}} would not be escaped; write {{target}}"))
    }

    // L2, L3
    @Test func `a number that would not be escaped is reported as a text is`() throws {
        #expect(
            try problems("operations/copy/done.mustache", "{{{ratio}}}").contains(
                "operations/copy/done.mustache:1: {{{ratio}}} would not be escaped; write {{ratio}}"))
    }

    // L4
    @Test func `a string that is used and not defined is reported`() throws {
        #expect(
            try problems("operations/copy/done.mustache", "\n{{t.copy.done}}").contains(
                "operations/copy/done.mustache:2: there is no string copy.done"))
    }

    // L4
    @Test func `a string that a locale lacks is reported, and one or a part of one that English lacks`() throws {
        #expect(
            try problems("strings/en.json", #"{"copy.done": "Done"}"#).contains(
                "strings/pt-BR.json: the string copy.done is missing"))
        #expect(
            try problems("strings/pt-BR.json", "{\n  \"cause.actor\": \"Cancelada por {quem}\"\n}").contains(
                "strings/pt-BR.json:2: cause.actor: the English string has no place {quem}"))
        #expect(
            try problems("strings/pt-BR.json", "{\n  \"copy.done\": \"Pronto\"\n}").contains(
                "strings/pt-BR.json:2: English has no string copy.done, so nothing uses it"))
    }

    // L3, L4
    @Test func `a variable inside a string is looked for where the string is used`() throws {
        let found = try Fixture(overlay: [
            "operations/copy/done.mustache": "{{t.copy.done}}",
            "strings/en.json": "{\n\"copy.done\": \"{{target}} {{nothing}}\"\n}",
            "strings/pt-BR.json": "{\n\n\"copy.done\": \"{{tagret}}\"\n}",
        ]).pages.check().map(\.description)
        #expect(found.contains("strings/en.json:2: there is no variable nothing here"))
        #expect(found.contains("strings/pt-BR.json:3: there is no variable tagret here"))
        #expect(!found.contains { $0.contains("variable target") })
    }

    // L4
    @Test(arguments: [
        ("strings/en.json", "{\"a\": 1}", "strings/en.json: must be a JSON object whose values are all strings"),
        (
            "strings/english.json", "{}",
            "strings/english.json: name the file for a locale, such as en.json or pt-BR.json"
        ),
        (
            "strings/en.json", "{\n\"word.yes\": \"a\",\n\"word.yes\": \"b\"\n}",
            "strings/en.json:3: the key word.yes is defined twice"
        ),
    ])
    func `a table that cannot be used is reported`(file: String, text: String, problem: String) throws {
        #expect(try problems(file, text).contains(problem))
    }
}
