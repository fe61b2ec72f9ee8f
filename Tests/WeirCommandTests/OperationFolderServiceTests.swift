import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirOperations
@testable import WeirPages
import WeirStates

@testable import WeirCommand

@Suite struct OperationFolderServiceTests {
    private func operations(
        _ files: [String: String], _ body: (OperationFolderService, URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        let own = folder.appending(path: "operations")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for (name, text) in files {
            let file = own.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let settings = try Settings(flags: [String: String](), environment: [:], file: nil)
        let config = folder.appending(path: "weir.yml").path
        try body(try OperationFolderService(settings, config: config, environment: [:]), folder)
    }

    private static let backup = """
        title: {en: Back up, pt-BR: Copiar}
        description: Copies it.
        tags: [database]
        inputs: [{name: table, label: {en: Table, pt-BR: Tabela}}]
        command: [pg_dump]
        overlap: queue
        timeout: 2h
        stop_grace_period: 7s
        states: {dumping: {match: 'table (?<table>.+)', title: {en: Dumping, pt-BR: Copiando}}, uploading: {show: "Uploading {{file}}"}}
        """

    @Test func `the log says at the start what was read, and what is wrong with it`() throws {
        func said(_ files: [String: String]) throws -> [String] {
            let log = CapturedLog()
            try operations(files) { files, _ in files.report(to: log.logger) }
            return log.messages().filter { !$0.contains("weir-exec") }
        }
        let read = "Operations were read from files."
        #expect(try said([:]) == [])
        #expect(try said(["backup.yml": Self.backup]) == [read])
        let mistakes = try said(["backup.yml": "{title: T}"])
        #expect(mistakes.count == 2 && mistakes.last == read)
        #expect(mistakes.first?.hasPrefix("An operation's file has a mistake and is not in force.") == true)
    }

    @Test func `a schedule whose days have passed is remarked, and each part of several is tested`() throws {
        let text = """
            title: T
            command: [echo]
            schedule:
              - {cron: "0 3 * * *", only: [2026-01-01..2026-02-01]}
              - {cron: "0 4 * * *"}
            """
        try operations(["nightly.yml": text]) { files, _ in
            #expect(files.remarks(at: try #require(Timestamp("2026-02-01T02:00:00Z"))) == [])
            let remarks = files.remarks(at: try #require(Timestamp("2026-02-01T03:00:00Z")))
            #expect(
                remarks.count == 1 && remarks[0].hasPrefix("nightly: the schedule “0 3 * * *” has no further start"))
        }
    }

    @Test func `the folder beside the settings' file makes operations, and pages that show each of their states`()
        throws
    {
        try operations(["backup.yml": Self.backup, "backup/uploading.mustache": "<p>{{show}} {{values.file}}</p>"]) {
            files, _ in
            var catalog = Catalog()
            files.add(to: &catalog)
            let entry = try #require(catalog["backup"])
            #expect(entry.title == "Back up" && entry.summary == "Copies it." && entry.tags == ["database"])
            #expect(entry.reentry == .queue && entry.timeout == .seconds(7_200) && entry.prints)
            #expect(entry.samples.map(\.caseName).contains("dumping") && entry.problems == [])
            #expect(files.stopGracePeriod == .seconds(7))
            #expect(files.drainTimeout == .seconds(8))
            let templates = try TemplateSet(overlay: nil, declared: files.texts)
            let problems = PageRenderer(catalog: catalog, templates: templates).check()
            #expect(problems.filter { $0.file.hasPrefix("operations") } == [])
        }
    }

    @Test func `the page of a run says in each language that a pattern was given up`() throws {
        try operations(["plain.yml": "title: Plain\ncommand: [pg_dump]"]) { files, _ in
            var catalog = Catalog()
            files.add(to: &catalog)
            let renderer = PageRenderer(
                catalog: catalog, templates: try TemplateSet(overlay: nil, declared: files.texts))
            let samples = try #require(catalog["plain"]).samples.filter { $0.payload["slow"] == "uploading" }
            #expect(samples.map(\.phase) == [.active, .succeeded, .failed])
            for (language, words) in [("en", "given up"), ("es", "se abandonó"), ("pt-BR", "foi abandonado")] {
                let locale = renderer.locale(choice: language, acceptLanguage: nil)
                for sample in samples {
                    let page = renderer.stateBody(sample, of: "plain", locale: locale, isCompact: false)
                    #expect(page.contains(words) && page.lowercased().contains("“uploading”"))
                }
            }
        }
    }

    @Test func `a file makes an operation whose runs are reported from elsewhere, and which nobody starts here`() throws
    {
        let files = ["import.yml": "{title: Nightly import, tags: [database], reported: true}"]
        try operations(files) { operations, _ in
            var catalog = Catalog()
            operations.add(to: &catalog)
            let entry = try #require(catalog["import"])
            #expect(entry.isReported)
            #expect(entry.title == "Nightly import")
            #expect(entry.tags == ["database"])
        }
        try operations(["import.yml": "{title: Import, reported: true, command: [true]}"]) { operations, _ in
            #expect(operations.texts.problems.map(\.line) == [1])
            #expect(operations.texts.problems[0].message.contains("Remove it, or `reported`."))
        }
    }

    @Test func `a wrong file is reported with its place, and a wrong template with its file`() throws {
        let wrong = ["wrong.yml": "title: W\ncomand: [ls]\n", "backup/nowhere.mustache": "<p/>"]
        try operations(["backup.yml": Self.backup].merging(wrong) { $1 }) { files, _ in
            var catalog = Catalog()
            files.add(to: &catalog)
            let templates = try TemplateSet(overlay: nil, declared: files.texts)
            let problems = PageRenderer(catalog: catalog, templates: templates).check().map(\.description)
            #expect(catalog.entries.map(\.id) == ["backup"])
            #expect(problems.contains { $0.hasPrefix("wrong.yml:2:1: An operation has no `comand`.") })
            #expect(problems.contains { $0.hasPrefix("operations/backup/nowhere.mustache: no sample of backup") })
        }
    }

    @Test func `a server that runs no programs waits less than a second for its runs when it ends`() throws {
        try operations([:]) { operations, _ in
            #expect(operations.drainTimeout > .zero && operations.drainTimeout < .seconds(1))
        }
    }

    @Test func `a folder that is set and missing stops the start`() throws {
        let settings = try Settings(flags: ["operations": "/no/such/folder"], environment: [:], file: nil)
        let error = #expect(throws: StartError.self) {
            try OperationFolderService(settings, config: nil, environment: [:])
        }
        #expect(error?.exitCode == 78)
    }
}
