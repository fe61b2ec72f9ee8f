import Foundation
import Synchronization
import WeirBoards
import WeirFlows
import WeirStandard
import WeirStates

/// Copies the files of one run that match the patterns of its operation, or that its program named, into the store.
final class ArtifactKeeper: Sendable {
    /// The number of bytes that are copied before other runs take their turn.
    private static let turn: Int64 = 8 << 20
    private static let pieceSize = 256 << 10
    /// The maximum size of all names together, which are part of the run's state.
    private static let namesLimit = 64 << 10

    private let store: ArtifactStore
    private let run: String
    private let folder: String
    private let patterns: [ArtifactPattern]
    private let mask: SecretMask
    /// The user that the program ran as, or nil for the server's.
    private let user: String?
    private let pool: WorkPool
    private let isBegun = Atomic(false)

    init(
        _ store: ArtifactStore, run: String, folder: String, _ patterns: [ArtifactPattern], user: String?,
        mask: SecretMask, on pool: WorkPool = .artifacts
    ) {
        self.pool = pool
        (self.store, self.run, self.folder, self.patterns) = (store, run, folder, patterns)
        (self.user, self.mask) = (user, mask)
    }

    /// Notes that the program has begun: without it, files of earlier runs would be kept.
    func begin() { isBegun.store(true, ordering: .relaxed) }

    /// Keeps the files.
    ///
    /// Suspends until they are copied. `paths` are those that the program named, relative to its folder or below it.
    /// - Returns: The kept files, and sentences about the others.
    func keep(_ paths: [String]) async -> (artifacts: [Artifact], remarks: [String]) {
        guard isBegun.load(ordering: .relaxed) else { return ([], []) }
        do {
            return try await copies(of: paths)
        } catch {
            // The pool for files has no room.
            return ([], ["The files of this run are not kept, because the server is busy. Start it again later."])
        }
    }

    private func copies(of paths: [String]) async throws -> (artifacts: [Artifact], remarks: [String]) {
        var (patterns, early) = (patterns, ArtifactRemarks())
        for path in paths { named(path, &patterns, &early) }
        let (all, folder) = (patterns, folder)
        let (files, root, found) = try await pool.run {
            guard let root = OpenFolder(folder) else {
                return ([ArtifactSearch.File](), OpenFolder?.none, ArtifactRemarks())
            }
            let (files, remarks) = ArtifactSearch.files(in: root, matching: all)
            return (files, root, remarks)
        }
        guard let root else {
            return ([], early.lines + ["The folder where the program ran cannot be read, so no file is kept."])
        }
        var batch = Batch(remarks: found)
        for (index, file) in files.enumerated() {
            do {
                try await keep(file, in: root, &batch)
            } catch is WorkPool.Busy {
                let rest = files.count - index
                batch.remarks.add(
                    "\(rest == 1 ? "1 file is" : "\(rest) files are") not kept, because the server is busy. "
                        + "Start the run again later.")
                break
            }
        }
        if batch.omitted > 0 {
            batch.remarks.add(
                "\(batch.omitted) more files match, and are not kept: a run keeps \(store.limits.count) "
                    + "(artifacts.maximum-count).")
        }
        return (batch.artifacts, early.lines + batch.remarks.lines)
    }

    /// Adds a path that the program named to the patterns.
    private func named(_ path: String, _ patterns: inout [ArtifactPattern], _ remarks: inout ArtifactRemarks) {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        var relative = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        while relative.hasPrefix("./") { relative = String(relative.dropFirst(2)) }
        do throws(ArtifactPattern.Mistake) {
            let pattern = try ArtifactPattern(relative)
            if !patterns.contains(pattern) { patterns.append(pattern) }
        } catch {
            remarks.add("The program named “\(path.inert(limit: 200))” to be kept. \(error.sentence)")
        }
    }

    private struct Batch {
        var artifacts: [Artifact] = []
        var remarks: ArtifactRemarks
        var bytes: Int64 = 0
        var nameBytes = 0
        var names: Set<String> = []
        var omitted = 0

        /// A name that no other file of the run has.
        func unused(_ name: String) -> String {
            guard names.contains(name) else { return name }
            return (2...).lazy.map { "\(name) (\($0))" }.first { !names.contains($0) } ?? name
        }
    }

    private func keep(_ file: ArtifactSearch.File, in root: OpenFolder, _ batch: inout Batch) async throws {
        let name = batch.unused(mask.masked(file.name))
        let shown = "“\(name.prefix(200))”"
        guard batch.artifacts.count < store.limits.count, batch.nameBytes + name.utf8.count <= Self.namesLimit else {
            batch.omitted += 1
            return
        }
        let room = store.limits.bytes.bytes - batch.bytes
        guard file.size <= room else {
            batch.remarks.add(
                "\(shown) is not kept: with its \(ByteCount(clamping: file.size)), the run would keep more than "
                    + "\(store.limits.bytes) (artifacts.maximum-size).")
            return
        }
        let index = batch.artifacts.count
        do {
            let copy = try await copy(file, from: root, to: index, name, room: room)
            if copy.isChanged {
                batch.remarks.add(
                    "\(shown) changed while it was copied, so that the kept file may be a mixture. End what writes it before "
                        + "the program ends.")
            }
            batch.artifacts.append(Artifact(name: name, bytes: copy.bytes, server: store.server()))
            batch.names.insert(name)
            batch.bytes += copy.bytes
            batch.nameBytes += name.utf8.count
        } catch let failure as Failure {
            try await remove(index, name)
            batch.remarks.add("\(shown) is not kept: \(failure.reason)")
        } catch let error as CocoaError {
            try await remove(index, name)
            batch.remarks.add(
                error.code == .fileWriteOutOfSpace
                    ? "\(shown) is not kept: the server's disk is almost full. Make room, and start again."
                    : "\(shown) is not kept: the server could not write it into its data folder, or not read it.")
        }
    }

    private func remove(_ index: Int, _ name: String) async throws {
        try await pool.run { [store, run] in store.remove(index, named: name, run: run) }
    }

    // MARK: Copying

    private struct Failure: Error {
        let reason: String
    }

    /// Copies a file in turns, up to its size when it was opened.
    private func copy(
        _ file: ArtifactSearch.File, from root: OpenFolder, to index: Int, _ name: String, room: Int64
    ) async throws -> (bytes: Int64, isChanged: Bool) {
        let (source, target, before) = try await pool.run { [store, run, user] in
            guard let source = root.file(file.path), let version = FileVersion(source) else {
                throw Failure(reason: "it is gone, is no longer a file, or cannot be read by the server.")
            }
            // The server may read more than the program, which could name any file or link one into its folder.
            if let user, SystemUser.id(of: user) != version.owner {
                throw Failure(reason: "it does not belong to “\(user)”, the user that the program ran as.")
            }
            // A copy that an earlier process of the server began.
            store.remove(index, named: name, run: run)
            return (source, try store.create(index, named: name, run: run), version)
        }
        guard before.size <= room else { throw Failure(reason: "it has grown beyond artifacts.maximum-size.") }
        var copied: Int64 = 0
        while copied < before.size {
            let (start, end) = (copied, min(copied + Self.turn, before.size))
            copied = try await pool.run { [store] in
                guard store.hasSpace(for: end - start) else { throw CocoaError(.fileWriteOutOfSpace) }
                var copied = start
                while copied < end {
                    let count = min(Self.pieceSize, Int(clamping: end - copied))
                    guard let piece = try source.read(upToCount: count), !piece.isEmpty else { break }
                    try target.write(contentsOf: piece)
                    copied += Int64(piece.count)
                }
                return copied
            }
            // The file has become shorter.
            if copied < end { break }
        }
        let isSame = try await pool.run { FileVersion(source) == before }
        return (copied, !isSame || copied != before.size)
    }
}
