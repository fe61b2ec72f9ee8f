import Foundation
@testable import MarkupTesting
import Testing

struct SnapshotTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func snapshots(recording: Bool = false) -> MarkupSnapshots {
        MarkupSnapshots(
            suite: "Pages", testFile: folder.appendingPathComponent("PageTests.swift").path,
            environment: recording ? [MarkupSnapshots.recordingVariable: "1"] : [:])
    }

    private func withFolder(_ body: () throws -> Void) throws {
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        try body()
    }

    @Test func `a missing snapshot is recorded, and fails once`() throws {
        try withFolder {
            let file = folder.appendingPathComponent("__Snapshots__/Pages/one.html")
            #expect(throws: SnapshotError.recorded(file: file.path, isAnew: false)) {
                try snapshots().verify("<p  class=' b  a'>x\n y</p>", as: .fragment, named: "one")
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "<p class=\"b a\">x y</p>\n")
            try snapshots().verify("<p class=\"b a\">x y</p>", as: .fragment, named: "one")
        }
    }

    @Test func `a difference is told by lines`() throws {
        try withFolder {
            let lines = (1...20).map { "<p>\($0)</p>" }
            #expect(throws: SnapshotError.self) {
                try snapshots().verify(lines.joined(), as: .fragment, named: "two")
            }
            var changed = lines
            changed[9] = "<p>ten</p>"
            changed.insert("<p>more</p>", at: 19)
            let error = #expect(throws: SnapshotError.self) {
                try snapshots().verify(changed.joined(), as: .fragment, named: "two")
            }
            guard case .differs(let file, let difference) = error else {
                Issue.record("Expected a difference, got \(String(describing: error))")
                return
            }
            #expect(file.hasSuffix("__Snapshots__/Pages/two.html"))
            #expect(
                difference == """
                    @@ -7,7 +7,7 @@
                     <p>7</p>
                     <p>8</p>
                     <p>9</p>
                    -<p>10</p>
                    +<p>ten</p>
                     <p>11</p>
                     <p>12</p>
                     <p>13</p>
                    @@ -17,5 +17,6 @@
                     <p>17</p>
                     <p>18</p>
                     <p>19</p>
                    +<p>more</p>
                     <p>20</p>
                     
                    """)
        }
    }

    @Test func `recording writes anew and always fails`() throws {
        try withFolder {
            for html in ["<p>1</p>", "<p>2</p>", "<p>2</p>"] {
                let file = folder.appendingPathComponent("__Snapshots__/Pages/three.html")
                #expect(throws: SnapshotError.recorded(file: file.path, isAnew: true)) {
                    try snapshots(recording: true).verify(html, as: .fragment, named: "three")
                }
            }
            try snapshots().verify("<p>2</p>", as: .fragment, named: "three")
        }
    }

    @Test func `snapshots that nothing uses are found`() throws {
        #expect(try snapshots().unused(besides: ["a"]) == [])
        try withFolder {
            for name in ["a", "b", "c d"] {
                #expect(throws: SnapshotError.self) { try snapshots().verify("<p>x</p>", as: .fragment, named: name) }
            }
            let unused = try snapshots().unused(besides: ["b"])
            #expect(unused == ["a", "c d"])
        }
    }

    @Test(arguments: ["", "../x", "a/b", ".hidden", "a\\b", "a\u{0}"])
    func `a name that leaves the folder is refused`(name: String) {
        #expect(throws: SnapshotError.badName(name)) { try snapshots().verify("<p>x</p>", as: .fragment, named: name) }
    }

    @Test func `markup that is not well-formed is not recorded`() throws {
        let error = #expect(throws: SnapshotError.self) { try snapshots().verify("<p>", as: .fragment, named: "x") }
        guard case .notWellFormed = error else {
            Issue.record("Expected a syntax error, got \(String(describing: error))")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `files that cannot be accessed are told`() throws {
        struct Denied: Error {}
        struct Locked: SnapshotFiles {
            func text(of path: String) throws -> String? { throw Denied() }
            func write(_ text: String, to path: String) throws { throw Denied() }
            func names(in folder: String) throws -> [String] { throw Denied() }
        }
        for environment in [[:], [MarkupSnapshots.recordingVariable: "1"]] {
            let locked = MarkupSnapshots(suite: "x", testFile: "/t/a.swift", environment: environment, files: Locked())
            #expect(throws: SnapshotError.inaccessible(file: "/t/__Snapshots__/x/y.html", reason: "Denied()")) {
                try locked.verify("<p>x</p>", as: .fragment, named: "y")
            }
            #expect(throws: SnapshotError.self) { try locked.unused(besides: []) }
        }
    }

    @Test func `texts too different to be compared line by line are told as replaced`() throws {
        try withFolder {
            func page(_ range: Range<Int>) -> String { range.map { "<p>\($0)</p>" }.joined() }
            #expect(throws: SnapshotError.self) { try snapshots().verify(page(0..<3000), as: .fragment, named: "long") }
            let error = #expect(throws: SnapshotError.self) {
                try snapshots().verify(page(5000..<8000), as: .fragment, named: "long")
            }
            #expect(error?.description.contains("@@ -1,3001 +1,3001 @@") == true)
        }
    }
}
