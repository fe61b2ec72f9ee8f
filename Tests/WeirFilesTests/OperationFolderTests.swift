import Foundation
import Testing
import TestSupport

@testable import WeirFiles

@Suite(.timeLimit(.minutes(15))) struct OperationFolderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")

    private func write(_ files: [String: String]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    @Test func `a wrong file leaves the right ones alone`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write([
            "right.yml": "{title: Right, command: [ls]}", "wrong.yaml": "{title: Wrong}", "Bad Name.yml": "{}",
            "greeting.yml": "{title: G, command: [ls]}", "right.yaml": "{title: Twice, command: [ls]}",
            "notes.txt": "x",
            "right/running.mustache": "<p/>",
        ])
        let read = try OperationFolder(folder, reserved: ["greeting": []])
        #expect(read.definitions.map(\.id) == ["right"])
        #expect(read.definitions.first?.title.text == "Twice", "files are read in the order of their names")
        #expect(read.mistakes.map(\.file) == ["Bad Name.yml", "greeting.yml", "right.yml", "wrong.yaml"])
        #expect(read.templates == ["right/running.mustache": "<p/>"])
    }

    @Test func `a file of 256 KiB is read, and one more byte is too much`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = "title: T\ncommand: [ls]\n# "
        let whole = start + String(repeating: "x", count: 262_144 - start.utf8.count)
        try write(["a.yml": whole, "b.yml": whole + "x"])
        let read = try OperationFolder(folder)
        #expect(read.definitions.map(\.id) == ["a"])
        #expect(read.mistakes.map(\.file) == ["b.yml"])
    }

    @Test func `an edition tells apart folders of which one has in a file what another has in a comment`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lists = ChoiceLists(in: CommandEnvironment(folder: folder, environment: [:], helper: nil))
        let file = "{title: A, command: [ls]} #"
        try write(["a.yml": file, "a/running.mustache": "<p/>"])
        let edition = try OperationFolder(folder).edition(lists)
        try FileManager.default.removeItem(at: folder)
        try write(["a.yml": file + "a/running.mustache<p/>"])
        let other = try OperationFolder(folder)
        #expect(other.mistakes == [] && other.templates == [:])
        #expect(other.edition(lists) != edition)
    }

    @Test func `of more files than the limit the first by name are read, and the mistake names the setting`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(Dictionary((10..<16).map { ("job-\($0).yml", "{title: A, command: [ls]}") }) { $1 })
        let read = try OperationFolder(folder, limit: 4)
        #expect(read.definitions.map(\.id) == ["job-10", "job-11", "job-12", "job-13"])
        #expect(
            read.mistakes.map(\.detail) == [
                "The folder has 6 files, and the first 4 by name are read. Raise the setting operations.maximum, or remove files."
            ])
        #expect(try OperationFolder(folder, limit: 6).mistakes.isEmpty)
    }

    @Test func `what is no file, or an empty one, is told as what it is and keeps nobody waiting`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(["dir.yml/x": "", "empty.yml": "", "right.yml": "{title: A, command: [ls]}", "right/x": ""])
        let pipes = try ["pipe.yml", "right/done.mustache"].map { try NamedPipe(at: folder.appending(path: $0)) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "link.yml").path, withDestinationPath: "nowhere")
        let read = try OperationFolder(folder)
        #expect(read.definitions.map(\.id) == ["right"] && read.templates.isEmpty)
        let noFile = "This is a folder, a pipe or a device, and not a file. Remove it, or give it another name."
        #expect(
            read.mistakes.map { "\($0.file): \($0.detail)" } == [
                "dir.yml: \(noFile)", "empty.yml: The file is empty. Begin with a title and a command.",
                "link.yml: The file is not there. Correct the link to it, or remove the link.", "pipe.yml: \(noFile)",
                "right/done.mustache: \(noFile)",
            ])
        withExtendedLifetime(pipes) {}
    }

    @Test func `the mistakes of a file that is no operation, or that only a link brings in, quote nothing of it`()
        throws
    {
        let outside = FileManager.default.temporaryDirectory.appending(path: "weir-outside-\(UUID()).yml")
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: outside)
        }
        try Data("title: A\ncommand: [ls]\nsecretword: x\n".utf8).write(to: outside)
        try write([
            "shadow.yml": "root:$6$secretword:19000:0\nsecretword:*:1:2\n", "secretword.txt": "",
            "own.yml": "title: A\ncommand: [ls]\nsecretword: x\n",
        ])
        for (name, target) in [("link.yml", outside.path), ("inner.yml", "own.yml")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path, withDestinationPath: target)
        }
        let mistakes = try OperationFolder(folder).mistakes
        #expect(mistakes.map(\.file) == ["inner.yml", "link.yml", "own.yml", "shadow.yml"])
        #expect(mistakes.map { $0.detail.contains("secretword") } == [true, false, true, false])
    }

    @Test func `a byte order mark before a file is no part of it`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(["a.yml": "\u{FEFF}{title: A, command: [ls]}"])
        let read = try OperationFolder(folder)
        #expect(read.mistakes == [] && read.texts["a"] == "{title: A, command: [ls]}")
    }

    @Test func `a folder that is not there is told`() {
        #expect(throws: OperationFolder.Unreadable.self) { try OperationFolder(folder) }
    }

    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: [
        "README.md", "Documentation/operations-file.md", "Documentation/hooks.md", "Documentation/schedules.md",
    ])
    func `the files that a document shows have no mistakes`(_ document: String) throws {
        let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
        let blocks = text.split(separator: "```yaml\n").dropFirst().map { $0.prefix { $0 != "`" } }
            .filter { $0.hasPrefix("title:") }
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(DefinitionReader.read(String(block), id: "a", file: document).1 == []) }
    }

    @Test func `the examples have no mistakes`() throws {
        let read = try OperationFolder(root.appending(path: "Examples/operations"))
        #expect(read.mistakes == [])
        #expect(read.definitions.count >= 5)
    }
}
