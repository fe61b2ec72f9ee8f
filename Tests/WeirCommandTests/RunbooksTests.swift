import Foundation
import Testing
import WeirBoards
import WeirJournals
import WeirPages
@testable import WeirStandard
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct RunbooksTests {
    private func withFiles(_ texts: [String: String], _ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for (name, text) in texts { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try await body(folder)
    }

    @Test func `each file is a store that is called after it`() async throws {
        try await withFiles(["Release 2.0.md": "# The release\n- [ ] a\n", "確認.md": "- [ ] a\n"]) { folder in
            let runbooks = Runbooks(files: ["Release 2.0.md", "確認.md"].map { folder.appending(path: $0).path })
            var catalog = Catalog()
            runbooks.add(to: &catalog)
            #expect(catalog.stores.map(\.id) == ["runbook-release-2-0", "runbook"])
            #expect(catalog.stores.map(\.title) == ["The release", "確認"])
            #expect(catalog.stores.map(\.kind) == ["runbook", "runbook"])
            #expect(catalog.stores.flatMap(\.problems) == [])
        }
    }

    @Test func `a file that is no runbook is told by name and line, with what to do, and the others are served`()
        async throws
    {
        let texts = ["empty.md": "# No steps\n", "box.md": "- [ ] a\n- [ ] \n  - b\n", "good.md": "- [ ] a\n"]
        try await withFiles(texts) { folder in
            let names = ["empty.md", "box.md", "none.md", "good.md"]
            let runbooks = Runbooks(files: names.map { folder.appending(path: $0).path })
            var catalog = Catalog()
            runbooks.add(to: &catalog)
            #expect(catalog.stores.map(\.id) == ["runbook-good"])
            #expect(
                runbooks.problems.map(\.description) == [
                    "empty.md: The runbook: has no steps; write each step as an item of a task list: - [ ] what to do.",
                    "box.md:2: The runbook: this box has no text; write the step after it.",
                    "none.md: The runbook: cannot be read; choose an existing Markdown file that can be read.",
                ])
        }
    }

    @Test func `of two files of one name the first is served`() async throws {
        try await withFiles(["a b.md": "- [ ] a\n", "a-b.md": "- [ ] a\n"]) { folder in
            let runbooks = Runbooks(files: ["a b.md", "a-b.md"].map { folder.appending(path: $0).path })
            #expect(
                runbooks.problems.map(\.description)
                    == ["a-b.md: The runbook: another runbook is called a-b; rename one of the files."])
        }
    }

    @Test func `a box in a quotation is no step, and is told`() async throws {
        try await withFiles(["quoted.md": "- [ ] a\n\n> - [ ] b\n"]) { folder in
            let runbooks = Runbooks(files: [folder.appending(path: "quoted.md").path])
            #expect(
                runbooks.problems.map(\.description)
                    == ["quoted.md:3: The runbook: a box in a quotation is no step; remove the > in front of it."])
        }
    }

    @Test func `the example that comes with Weir is a runbook`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let example = try RunbookState(contentsOf: root.appending(path: "Examples/Runbooks/release.md"))
        #expect(example.title == "Release")
        #expect(example.sections.map(\.heading) == [nil, "Before", "Release", nil, "After"])
        #expect(example.steps.count == 14)
    }

    @Test func `what was edited in a file is taken in at the next start, once, and nothing is lost`() async throws {
        try await withFiles(["release.md": "- [ ] one\n- [ ] two\n"]) { folder in
            let file = folder.appending(path: "release.md")
            let journal = MemoryJournal(epoch: JournalEpoch.make())
            func serve(_ body: (Board) async throws -> Void) async throws {
                let runbooks = Runbooks(files: [file.path])
                var catalog = Catalog()
                runbooks.add(to: &catalog)
                let board = try await Board.open(catalog: catalog, journal: journal)
                try await runbooks.takeInEdits(on: board)
                try await body(board)
                await board.shutdown()
            }
            try await serve { board in
                _ = try await board.dispatch(
                    ["type": "tick", "step": "one"], to: "runbook-release", actor: "Ana", idempotencyKey: nil)
            }
            try Data("- [ ] two\n- [ ] three\n".utf8).write(to: file)
            for _ in 0..<2 {
                try await serve { board in
                    let view = try board.store("runbook-release")
                    let state = try view.state.state(as: RunbookState.self)
                    #expect(state.steps.map(\.text) == ["two", "three"])
                    #expect(state.sections.last?.steps.map(\.text) == ["one"])
                    #expect(state.sections.last?.steps.first?.mark?.signed?.by == "Ana")
                    #expect(view.log.map(\.step.kind) == [.rehydrated, .action, .opened])
                }
            }
        }
    }

    @Test func `runbooks are a list of files among the settings`() throws {
        let settings = try Settings(
            flags: [:], environment: [:], file: SettingsFile(text: "runbook: [a.md, b.md]", name: "weir.yml"))
        #expect(settings.list("runbook") == ["a.md", "b.md"])
    }
}
