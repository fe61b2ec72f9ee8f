import Foundation
import Logging
import NIOConcurrencyHelpers
import WeirStates

/// The resumable uploads in a folder: for each, `<id>.json` with its metadata and `<id>.bytes`.
///
/// The files are the only state: after any kind of restart, each upload continues at the end of its file.
final class ResumableUploads: Sendable {
    struct Entry: Sendable {
        let upload: ResumableUpload
        let file: ResumableFile
    }

    private struct State {
        var open: [String: Entry] = [:]
        /// The owners of the uploads that ended last, for responses to late requests.
        var over: [String: String] = [:]
        var order: [String] = []
        var isSweeping = false
    }

    private static let memory = 1_000
    /// The interval between sweeps, in milliseconds.
    private static let interval: Int64 = 5_000

    private let folder: URL
    private let clock: any WaitClock
    private let logger: Logger
    private let state = NIOLockedValueBox(State())
    let limits: UnfinishedUploadLimits

    /// Creates a store in `folder`, which is created with the first upload.
    init(folder: URL, limits: UnfinishedUploadLimits, clock: any WaitClock, logger: Logger) {
        self.folder = folder
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    /// Creates an empty upload, or returns the existing one of that id.
    ///
    /// Throws a problem if the owner has too many uploads, or a write fails.
    func create(_ upload: ResumableUpload) throws(Problem) -> (Entry, isNew: Bool) {
        let made = state.withLockedValue { state -> Result<(Entry, isNew: Bool), Problem> in
            if let known = state.open[upload.id] { return .success((known, false)) }
            let others = ids().compactMap(read).filter { $0.owner == upload.owner && $0.id != upload.id }
            let bytes = others.reduce(upload.length) { $0.addingReportingOverflow($1.length).partialValue }
            guard others.count < limits.count, bytes <= limits.bytes, bytes >= 0 else {
                return .failure(.tooManyUploads)
            }
            do {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                guard isOwn else { return .failure(.uploadNotStored) }
                try Data().write(to: place(upload.id, "bytes"))
                try Data(JSONValue(encoding: upload).text().utf8).write(to: place(upload.id, "json"), options: .atomic)
                let file = try ResumableFile(place(upload.id, "bytes"), now: clock.uptime)
                let entry = Entry(upload: upload, file: file)
                state.open[upload.id] = entry
                return .success((entry, true))
            } catch {
                delete(upload.id)
                return .failure(.uploadNotStored)
            }
        }
        return try made.get()
    }

    /// Returns the upload with an id, an operation and an owner.
    ///
    /// Throws 404 if this owner has no such upload, and 410 if it has ended.
    func find(_ id: String, of operation: String, owner: String) throws(Problem) -> Entry {
        guard ResumableUpload.isID(id) else { throw .unknownUpload }
        let entry = state.withLockedValue { state -> Entry? in
            if let entry = state.open[id] { return entry }
            guard let upload = read(id), let file = try? ResumableFile(place(id, "bytes"), now: clock.uptime) else {
                return nil
            }
            let entry = Entry(upload: upload, file: file)
            state.open[id] = entry
            return entry
        }
        guard let entry else {
            throw state.withLockedValue { $0.over[id] == owner } ? .uploadOver : .unknownUpload
        }
        guard entry.upload.owner == owner, entry.upload.operation == operation else { throw .unknownUpload }
        guard entry.file.isBusy || expiry(id) > clock.wall else {
            remove(id)
            throw .uploadOver
        }
        return entry
    }

    func expiry(_ id: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: place(id, "bytes").path)
        guard let date = attributes?[.modificationDate] as? Date else { return 0 }
        return Int64(clamping: date.timeIntervalSince1970 * 1_000).addingReportingOverflow(limits.age).partialValue
    }

    func remove(_ id: String) {
        let entry = state.withLockedValue { state in
            let entry = state.open.removeValue(forKey: id)
            if let owner = entry?.upload.owner ?? read(id)?.owner, state.over.updateValue(owner, forKey: id) == nil {
                state.order.append(id)
                if state.order.count > Self.memory { state.over[state.order.removeFirst()] = nil }
            }
            delete(id)
            return entry
        }
        entry?.file.close()
    }

    /// Removes expired uploads, and stops runs whose senders have been silent for too long.
    func sweep() {
        for entry in state.withLockedValue({ Array($0.open.values) }) {
            entry.file.stopIfSilent(for: limits.silence, length: entry.upload.length, now: clock.uptime)
        }
        let busy = state.withLockedValue { state in state.open.filter { $0.value.file.isBusy } }
        for id in ids() where busy[id] == nil && expiry(id) <= clock.wall {
            remove(id)
            logger.info("An abandoned upload was removed.", metadata: ["upload": "\(id)"])
        }
    }

    /// Starts periodic sweeps; further calls have no effect.
    func startSweeping() {
        let isFirst = state.withLockedValue { state in
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        if isFirst { schedule() }
    }

    private func schedule() {
        clock.schedule(at: clock.uptime + Self.interval) { [weak self] in
            guard let self else { return }
            sweep()
            schedule()
        }
    }

    // MARK: The folder

    private func place(_ id: String, _ kind: String) -> URL { folder.appending(path: id + "." + kind) }

    /// Whether only this user can write to the folder, which may lie in a shared directory.
    private var isOwn: Bool {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path) else { return false }
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        return (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid() && mode & 0o022 == 0
    }

    private func ids() -> [String] {
        guard isOwn else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter(ResumableUpload.isID)
    }

    private func read(_ id: String) -> ResumableUpload? {
        guard isOwn, let bytes = try? Data(contentsOf: place(id, "json")) else { return nil }
        return (try? ResumableUpload(json: bytes)).flatMap { $0.id == id ? $0 : nil }
    }

    private func delete(_ id: String) {
        for kind in ["json", "bytes"] { try? FileManager.default.removeItem(at: place(id, kind)) }
    }
}

/// The metadata of a resumable upload, stored beside its bytes.
struct ResumableUpload: Codable, Sendable {
    let id: String
    let operation: String
    /// The principal that may continue the upload; empty if authentication is off.
    let owner: String
    let length: Int64
    /// The sender's `Upload-Metadata`, unparsed.
    let metadata: String?
    let input: JSONValue

    /// Whether a text is a valid id, and hence a safe file name.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
