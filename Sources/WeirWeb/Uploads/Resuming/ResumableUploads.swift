import Foundation
import Logging
import NIOConcurrencyHelpers
import WeirStates

/// The uploads that can be continued: for each, in a folder, `<id>.json` with what is known of it and `<id>.bytes`.
///
/// What is on the disk counts: after a restart, however the process ended, each continues where its file ends.
final class ResumableUploads: Sendable {
    /// One of them.
    struct Entry: Sendable {
        let upload: ResumableUpload
        let file: ResumableFile
    }

    private struct State {
        var open: [String: Entry] = [:]
        /// Whose the last ones were that are over, so that a late request is told so.
        var over: [String: String] = [:]
        var order: [String] = []
        var isSweeping = false
    }

    /// How many that are over are known.
    private static let memory = 1_000
    /// How often what is old is removed, in milliseconds.
    private static let interval: Int64 = 5_000

    private let folder: URL
    private let clock: any WaitClock
    private let logger: Logger
    private let state = NIOLockedValueBox(State())
    let limits: UnfinishedUploadLimits

    /// Keeps uploads in a folder, which is made when the first one comes.
    init(folder: URL, limits: UnfinishedUploadLimits, clock: any WaitClock, logger: Logger) {
        self.folder = folder
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    /// Makes an upload, empty; gives the one of that id if another request has just made it.
    ///
    /// Throws a problem when its owner has too many, or the disk does not take it.
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
                try JSONEncoder().encode(upload).write(to: place(upload.id, "json"), options: .atomic)
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

    /// The upload of an id, an operation and an owner.
    ///
    /// Throws 404 for what is not there or somebody else's, and 410 for what is over.
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

    /// When an upload goes that nobody continues, in milliseconds since 1970.
    func expiry(_ id: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: place(id, "bytes").path)
        guard let date = attributes?[.modificationDate] as? Date else { return 0 }
        return Int64(clamping: date.timeIntervalSince1970 * 1_000).addingReportingOverflow(limits.age).partialValue
    }

    /// Removes an upload and what is kept of it.
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

    /// Removes what has expired, and lets those runs go whose senders have been away for too long.
    func sweep() {
        for entry in state.withLockedValue({ Array($0.open.values) }) {
            entry.file.stopIfSilent(for: limits.silence, length: entry.upload.length, now: clock.uptime)
        }
        let busy = state.withLockedValue { state in state.open.filter { $0.value.file.isBusy } }
        for id in ids() where busy[id] == nil && expiry(id) <= clock.wall {
            remove(id)
            logger.info("An upload that nobody continued was removed.", metadata: ["upload": "\(id)"])
        }
    }

    /// Looks every few seconds from now on.
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

    /// Whether nobody else can put anything into the folder, which may lie where everybody can make folders.
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
