public import Foundation

/// Markup in files beside the test that produces it, so that every change is visible in review.
///
/// A snapshot is `__Snapshots__/<suite>/<name>.html` beside the test's file, in canonical form. A missing one is
/// written, and the test fails once with a message that says so. With `WEIR_RECORD_SNAPSHOTS=1` in the environment,
/// each is rewritten, and every test fails, so that the setting is not left on.
public struct MarkupSnapshots: Sendable {
    /// The environment variable that makes tests rewrite their snapshots, if it is `1`.
    static let recordingVariable = "WEIR_RECORD_SNAPSHOTS"

    let folder: String

    private let isRecording: Bool
    private let files: any SnapshotFiles

    /// Locates the snapshots of a suite.
    /// - Parameters:
    ///   - suite: The suite's name, which is the folder's.
    ///   - testFile: The file of the test, beside which the snapshots are.
    ///   - environment: The environment, checked for `WEIR_RECORD_SNAPSHOTS`.
    public init(
        suite: String, testFile: String = #filePath,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.init(suite: suite, testFile: testFile, environment: environment, files: DiskSnapshotFiles())
    }

    init(suite: String, testFile: String, environment: [String: String], files: any SnapshotFiles) {
        folder =
            URL(fileURLWithPath: testFile).deletingLastPathComponent()
            .appendingPathComponent("__Snapshots__").appendingPathComponent(suite).path
        isRecording = environment[Self.recordingVariable] == "1"
        self.files = files
    }

    /// Compares markup with a snapshot, in canonical form.
    /// - Parameters:
    ///   - html: The current markup.
    ///   - kind: Whether it is a whole page or a fragment.
    ///   - name: The snapshot's name: letters, digits, spaces, and `.`, `-`, `_` inside.
    /// - Throws: ``SnapshotError`` if they differ, if the snapshot was just written, or if either cannot be read.
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

/// Why a snapshot does not match the current markup.
public enum SnapshotError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The markup differs from the snapshot; the difference is a unified diff from the snapshot to the markup.
    case differs(file: String, difference: String)

    /// The snapshot was just written: again because the environment requests it, or because there was none.
    case recorded(file: String, isAnew: Bool)

    /// The markup has no canonical form.
    case notWellFormed(MarkupError)

    /// The name is not a valid file name.
    case badName(String)

    /// The snapshot cannot be read or written.
    case inaccessible(file: String, reason: String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .differs(let file, let difference):
            "The markup differs from \(file). If the new markup is correct, run again with "
                + "\(MarkupSnapshots.recordingVariable)=1 and review the changes.\n\(difference)"
        case .recorded(let file, isAnew: true):
            "Recorded \(file). Review it, and run again without \(MarkupSnapshots.recordingVariable)."
        case .recorded(let file, isAnew: false):
            "There was no snapshot, so it was recorded: \(file). Review it, and run again."
        case .notWellFormed(let error):
            "The markup is not well-formed.\n\(error)"
        case .badName(let name):
            "“\(name)” is not a valid name of a snapshot. Use letters, digits, spaces, and . - _ inside."
        case .inaccessible(let file, let reason):
            "The snapshot \(file) cannot be read or written: \(reason)"
        }
    }
}

/// Where snapshots are stored.
protocol SnapshotFiles: Sendable {
    /// The text of a file, or nil if it does not exist.
    /// - Parameter path: The file's path.
    /// - Returns: Its contents.
    /// - Throws: If it exists but cannot be read.
    func text(of path: String) throws -> String?

    /// Writes a whole file, and creates the folders above it.
    /// - Parameters:
    ///   - text: Its contents.
    ///   - path: The file's path.
    /// - Throws: If it cannot be written.
    func write(_ text: String, to path: String) throws

    /// The names of the files in a folder; none if there is no folder.
    /// - Parameter folder: The folder's path.
    /// - Returns: The names, in any order.
    /// - Throws: If it exists but cannot be read.
    func names(in folder: String) throws -> [String]
}

struct DiskSnapshotFiles: SnapshotFiles {
    func text(of path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    /// Writes atomically.
    func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    func names(in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
