public import Foundation

/// Markup kept in files beside the test that made it, so that every change of it is seen in review.
///
/// A snapshot lies in `__Snapshots__/<suite>/<name>.html` beside the test's file, in canonical form. One that is not
/// there yet is written, and the test fails once to say so. With `WEIR_RECORD_SNAPSHOTS=1` in the environment each is
/// written anew, and every test fails, so that nobody leaves it on unnoticed.
public struct MarkupSnapshots: Sendable {
    /// The environment variable that has snapshots written anew, if it is `1`.
    public static let recordingVariable = "WEIR_RECORD_SNAPSHOTS"

    /// The folder the snapshots lie in.
    public let folder: String

    private let isRecording: Bool
    private let files: any SnapshotFiles

    /// Finds the snapshots of a suite.
    /// - Parameters:
    ///   - suite: The suite's name, which is the folder's.
    ///   - testFile: The file of the test, beside which the snapshots lie.
    ///   - environment: The environment, looked at for ``recordingVariable``.
    ///   - files: How files are read and written.
    public init(
        suite: String, testFile: String = #filePath,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        files: any SnapshotFiles = DiskSnapshotFiles()
    ) {
        folder =
            URL(fileURLWithPath: testFile).deletingLastPathComponent()
            .appendingPathComponent("__Snapshots__").appendingPathComponent(suite).path
        isRecording = environment[Self.recordingVariable] == "1"
        self.files = files
    }

    /// Compares markup with the snapshot of a name, after it is brought to canonical form.
    /// - Parameters:
    ///   - html: The markup of now.
    ///   - kind: Whether it is a whole page or a piece of one.
    ///   - name: The snapshot's name: letters, digits, spaces, and `.`, `-`, `_` inside.
    /// - Throws: ``SnapshotError`` if they differ, if the snapshot was written just now, or if either cannot be read.
    public func verify(_ html: String, as kind: MarkupKind, named name: String) throws(SnapshotError) {
        let path = try path(of: name)
        let current: String
        do {
            current = try Markup.canonical(html, as: kind)
        } catch {
            throw .notWellFormed(error)
        }
        guard !isRecording, let stored = try accessing(path, { try files.text(of: path) }) else {
            try accessing(path) { try files.write(current, to: path) }
            throw .recorded(file: path, isAnew: isRecording)
        }
        guard stored == current else {
            throw .differs(file: path, difference: LineDifference(from: stored, to: current).description)
        }
    }

    /// The snapshots in the folder that no test uses any more.
    /// - Parameter used: The names of all that are used.
    /// - Returns: The names of the others, sorted.
    /// - Throws: ``SnapshotError`` if the folder cannot be read.
    public func unused(besides used: some Sequence<String>) throws(SnapshotError) -> [String] {
        let used = Set(used)
        return try accessing(folder) { try files.names(in: folder) }
            .filter { $0.hasSuffix(".html") }.map { String($0.dropLast(".html".count)) }
            .filter { !used.contains($0) }.sorted()
    }

    private func path(of name: String) throws(SnapshotError) -> String {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789 .-_".unicodeScalars.contains(scalar)
        }
        guard isPlain, !name.isEmpty, !name.hasPrefix(".") else { throw .badName(name) }
        return "\(folder)/\(name).html"
    }

    private func accessing<Result>(_ path: String, _ access: () throws -> Result) throws(SnapshotError) -> Result {
        do {
            return try access()
        } catch {
            throw .inaccessible(file: path, reason: "\(error)")
        }
    }
}
