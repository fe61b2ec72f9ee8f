import Foundation
import MarkupTesting
import Testing
import WeirBoards
import WeirOperations
import WeirPages
import WeirStates
import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct StateRendererTests {
    struct Backup: SimpleOperation {
        struct Summary: OperationResult {
            var files: Int
            var bytes: Int
            static let sample = Summary(files: 12, bytes: 34_567)
        }

        func run(_ input: NoInput, report: RunReporter) async throws -> Summary { .sample }
    }

    /// A folder of templates, which goes with the test.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "templates-\(UUID().uuidString)")

        init(_ files: [String: String]) throws {
            for (path, text) in files {
                let file = url.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private var catalog: Catalog {
        var catalog = Catalog()
        catalog.add(Backup(), id: "backup", title: "Backup", summary: "Copies a folder.")
        return catalog
    }

    @Test func `a state is rendered by its own template, without anything of Weir's around it`() throws {
        let folder = try Folder([
            "operations/backup/succeeded.mustache": "<p>{{files}} files{{^compact}}, {{bytes(bytes)}}{{/compact}}</p>\n"
        ])
        let renderer = try StateRenderer(Backup(), id: "backup", templates: folder.url)
        let state = SimpleState.succeeded(Backup.Summary.sample)
        #expect(try renderer.html(state) == "<p>12 files, 34.6\u{A0}kB</p>")
        #expect(try renderer.html(state, isCompact: true) == "<p>12 files</p>")
        #expect(try renderer.html(state, language: "pt-BR") == "<p>12 files, 34,6\u{A0}kB</p>")
    }

    @Test func `an operation without templates is shown by ready-made ones, in each language`() throws {
        struct Plain: SimpleOperation {
            func run(_ input: NoInput, report: RunReporter) async throws -> String { "" }
        }
        let renderer = try StateRenderer(Plain(), id: "plain")
        #expect(try renderer.html(.succeeded("Copied 3 files.")) == "<p class=\"big\">Copied 3 files.</p>\n")
        #expect(try renderer.html(.failed(message: "<No>")) == "<p class=\"message\">&lt;No&gt;</p>")
        #expect(try renderer.html(.waiting) == "<p class=\"muted\">It has not started yet.</p>")
        #expect(try renderer.html(.waiting, language: "pt-BR") == "<p class=\"muted\">Ainda não começou.</p>")
        let working = try renderer.html(.working(note: "a.txt", progress: WorkProgress(1, of: 2)))
        #expect(working.contains("<p>a.txt</p>") && !working.contains("<progress"), "\(working)")
        #expect(try renderer.html(.working(note: nil, progress: nil)).contains("<progress"))
        for state in SimpleState<String>.samples {
            for language in ["en", "pt-BR"] {
                try Markup.validate(renderer.html(state, language: language), as: .fragment)
            }
        }
    }

    @Test func `the members of a result are shown as facts where the operation has no template`() throws {
        let html = try StateRenderer(Backup(), id: "backup").html(.succeeded(.sample))
        #expect(html.contains(/<dt>Files<\/dt><dd[^>]*>12<\/dd>/), "\(html)")
        #expect(html.contains(/<dt>Bytes<\/dt><dd[^>]*>34567<\/dd>/), "\(html)")
    }

    @Test func `a catalog without a fault has no problems`() throws {
        #expect(try templateProblems(in: catalog) == [])
        let folder = try Folder(["operations/backup/succeeded.mustache": "{{files}}"])
        #expect(try templateProblems(in: catalog, templates: folder.url) == [])
    }

    @Test func `a wrong variable and a template of no operation are found, by file and line`() throws {
        let folder = try Folder([
            "operations/backup/succeeded.mustache": "<p>\n{{fils}}</p>", "operations/bakcup/failed.mustache": "x",
            "operations/bakcup/waiting.mustache": "x",
        ])
        let found = try templateProblems(in: catalog, templates: folder.url).map(\.description)
        #expect(found.count == 2)
        #expect(found.first == "operations/backup/succeeded.mustache:2: there is no variable fils here")
        #expect(found.last?.hasPrefix("operations/bakcup: there is no operation bakcup here.") == true, "\(found)")
    }
}
