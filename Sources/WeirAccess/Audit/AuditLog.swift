import Dispatch
package import Foundation
package import Logging
import Synchronization
import WeirFlows
import WeirStates

/// Where everything that somebody does, or is refused, is written down.
///
/// ``record(_:)`` never waits: a thread of the log's own writes. What cannot be written is kept and tried again, up to a
/// bound; beyond it the audit says how much is missing. Refusals, and looks at output, are counted together for a minute.
package final class AuditLog: Sendable {
    private struct State {
        var waiting: [AuditEntry] = []
        var lost: Int64 = 0
        var counts = AuditCounts()
        var flushedAt: Int64 = 0
        var isWriting = false
        var isFailing = false
        var head = AuditChain.start
    }

    /// What only the writing thread touches.
    private final class Writer: @unchecked Sendable {
        let folder: AuditFolder
        var chain = AuditChain.start
        var pruned = ""

        init(_ folder: AuditFolder) { self.folder = folder }
    }

    /// How many entries wait while the disk cannot be written.
    static let waitingLimit = 10_000
    /// For how long refusals are counted together, in milliseconds.
    static let countedFor: Int64 = 60_000

    private let state = Mutex(State())
    private let folder: URL?
    private let writer: Writer?
    private let queue = DispatchQueue(label: "weir.audit")
    private let days: Int
    let now: @Sendable () -> Int64
    private let onHead: @Sendable (String) -> Void
    let logger: Logger

    /// Opens the audit.
    ///
    /// - Parameters:
    ///   - folder: Where its files are; nil to keep nothing.
    ///   - days: For how many days entries are kept.
    ///   - now: The time in milliseconds since 1970.
    ///   - logger: Says what could not be written.
    ///   - onHead: Called with the end of the chain after entries were written, on the log's thread, so that it can be
    ///     kept elsewhere.
    /// - Throws: What the file system says; `CocoaError` when the last line cannot be read.
    package init(
        folder: URL?, days: Int = 365, now: @escaping @Sendable () -> Int64 = AuditLog.time,
        logger: Logger = Logger(label: "weir.audit"), onHead: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.days = days
        self.now = now
        self.logger = logger
        self.onHead = onHead
        self.folder = folder
        guard let folder else {
            writer = nil
            return
        }
        let files = AuditFolder(folder)
        try files.make()
        let (chain, cut) = try files.end()
        let writer = Writer(files)
        writer.chain = chain
        self.writer = writer
        state.withLock { $0.head = chain }
        var opening = AuditEntry(at: now(), principal: .system, .open)
        if cut > 0 { opening.detail = "The last line was cut short, of \(cut) bytes, and was removed." }
        record(opening)
    }

    /// The time of day, in milliseconds since 1970.
    package static let time: @Sendable () -> Int64 = {
        Int64(clamping: (Date().timeIntervalSince1970 * 1_000).rounded())
    }

    /// The end of the chain, as far as it is written: what to keep elsewhere.
    package var head: String { state.withLock { $0.head.head } }

    /// Writes an entry down, soon; a refusal, or a look at output, with others like it within a minute.
    ///
    /// Does not wait.
    package func record(_ entry: AuditEntry) {
        guard writer != nil else { return }
        let isDue = state.withLock { state in
            if entry.isCounted {
                if state.counts.isEmpty { state.flushedAt = entry.at }
                state.counts.count(entry)
            } else if state.waiting.count < Self.waitingLimit {
                state.waiting.append(entry)
            } else {
                state.lost = state.lost.addingReportingOverflow(entry.count).partialValue
            }
            let isLate = !state.counts.isEmpty && entry.at - state.flushedAt >= Self.countedFor
            guard !state.isWriting, isLate || !entry.isCounted else { return false }
            state.isWriting = true
            return true
        }
        if isDue { queue.async { [self] in write() } }
    }

    /// Says what somebody did.
    package func record(
        _ action: AuditAction, by principal: Principal, from origin: AuditOrigin = .none, subject: String? = nil,
        outcome: AuditEntry.Outcome = .done, detail: String? = nil
    ) {
        record(
            AuditEntry(
                at: now(), principal: principal, address: origin.address, action, subject: subject, outcome: outcome,
                request: origin.request, detail: detail))
    }

    /// Writes everything that waits, also what was counted together, and returns when it is written or has failed.
    ///
    /// Returns whether all of it is written.
    @discardableResult package func flush() async -> Bool {
        guard writer != nil else { return true }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                state.withLock { state in
                    state.waiting += state.counts.take()
                    state.isWriting = true
                }
                write()
                continuation.resume(returning: state.withLock { $0.waiting.isEmpty })
            }
        }
    }

    /// Looks whether refusals have been counted for long enough; to be called every few seconds.
    package func tick() {
        guard writer != nil else { return }
        let time = now()
        let isDue = state.withLock { state in
            let isLate = !state.counts.isEmpty && time - state.flushedAt >= Self.countedFor
            guard !state.isWriting, isLate || !state.waiting.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if isDue { queue.async { [self] in write() } }
    }

    /// On the log's thread.
    private func write() {
        guard let writer else { return }
        while let (entries, lost) = next() {
            var chain = writer.chain
            do {
                var missing: [AuditEntry] = []
                if lost > 0 {
                    missing = [AuditEntry(at: now(), principal: .system, .lose, outcome: .failed, count: lost)]
                }
                let lines = try (entries + missing).map { try chain.append($0) }
                let today = AuditFolder.day(of: entries.last?.at ?? now())
                try writer.folder.append(lines, on: today, after: writer.chain)
                writer.chain = chain
                let isNews = state.withLock { state in
                    state.head = chain
                    defer { state.isFailing = false }
                    return state.isFailing
                }
                if isNews { logger.notice("The audit is written again.") }
                onHead(chain.head)
                prune(writer)
            } catch {
                keep(entries, lost: lost, error)
                return
            }
        }
    }

    private func next() -> (entries: [AuditEntry], lost: Int64)? {
        let time = now()
        return state.withLock { state in
            if !state.counts.isEmpty, time - state.flushedAt >= Self.countedFor {
                state.waiting += state.counts.take()
            }
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer {
                state.waiting = []
                state.lost = 0
            }
            return (state.waiting, state.lost)
        }
    }

    private func keep(_ entries: [AuditEntry], lost: Int64, _ error: any Error) {
        let isNews = state.withLock { state in
            state.waiting = entries + state.waiting
            let excess = max(0, state.waiting.count - Self.waitingLimit)
            state.waiting.removeLast(excess)
            state.lost += lost + Int64(excess)
            state.isWriting = false
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNews { logger.error("The audit cannot be written.", metadata: ["cause": "\(Quoted(error))"]) }
    }

    /// Removes old days, as they are seen from the day before the newest: a clock that is years ahead removes nothing on its
    /// first day, and somebody has that long to notice.
    private func prune(_ writer: Writer) {
        let today = AuditFolder.day(of: now())
        guard writer.pruned != today else { return }
        writer.pruned = today
        do {
            guard let last = try writer.folder.days().dropLast().last.flatMap(AuditFolder.moment) else { return }
            let old = try writer.folder.remove(before: AuditFolder.day(of: last - Int64(days) * 86_400_000))
            if !old.isEmpty { logger.notice("Old days of the audit were removed.", metadata: ["days": "\(old.count)"]) }
        } catch {
            logger.error("Old days of the audit could not be removed.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    // MARK: Reading

    /// How many lines are searched for one page at most, and for how long.
    private static let (scanLimit, scanTime) = (100_000, Duration.seconds(1))

    /// The newest entries that pass a filter.
    ///
    /// - Parameters:
    ///   - filter: Which.
    ///   - number: Only those before this number; nil for the newest.
    ///   - limit: How many at most.
    /// - Returns: The entries; fewer than the limit, with a place to look on from, where many had to be gone through.
    /// - Throws: What the file system says.
    package func page(_ filter: AuditFilter = AuditFilter(), before number: Int64? = nil, limit: Int = 100) async throws
        -> AuditPage
    {
        try await page(before: number, limit: limit) { filter.matches($0) }
    }

    /// The newest entries of which something is so.
    func page(before number: Int64? = nil, limit: Int, where matches: @escaping @Sendable (AuditEntry) -> Bool)
        async throws -> AuditPage
    {
        await flush()
        return try await onFolder(or: AuditPage(records: [], older: nil)) { folder in
            var records: [AuditRecord] = []
            var scanned = 0
            let budget = WorkBudget(Self.scanTime)
            for day in try folder.days().reversed() {
                for line in Self.lines(try folder.lines(of: day).lines, before: number).reversed() {
                    guard let record = AuditRecord(line: line), record.number < number ?? .max else { continue }
                    scanned += 1
                    if matches(record.entry) {
                        guard records.count < limit else {
                            return AuditPage(records: records, older: records.last?.number)
                        }
                        records.append(record)
                    }
                    if scanned >= Self.scanLimit || budget.isExceeded {
                        return AuditPage(records: records, older: record.number)
                    }
                }
            }
            return AuditPage(records: records, older: nil)
        }
    }

    /// The lines of a day without those that certainly do not come before a number, as numbers count on from line to line.
    private static func lines(_ lines: [Substring], before number: Int64?) -> ArraySlice<Substring> {
        guard let number, let first = lines.first.flatMap({ AuditRecord(line: $0) })?.number else { return lines[...] }
        return lines.prefix(Int(clamping: max(0, number.subtractingReportingOverflow(first).partialValue)))
    }

    /// The lines of one day after another, as they are in the files, for whoever exports them.
    package func days() async throws -> [String] {
        await flush()
        return try await onFolder(or: []) { try $0.days() }
    }

    /// The file of a day, as it is.
    package func file(of day: String) async throws -> Data {
        try await onFolder(or: Data()) { try Data(contentsOf: $0.file(of: day)) }
    }

    /// Reads the files while others are written, on threads where it can take long; returns `nothing` if none are kept.
    ///
    /// Throws `WorkPool.Busy` if too much waits for these threads.
    func onFolder<Result: Sendable>(
        or nothing: Result, _ body: @escaping @Sendable (AuditFolder) throws -> Result
    ) async throws -> Result {
        guard let folder else { return nothing }
        return try await WorkPool.bulk.run { try body(AuditFolder(folder)) }
    }
}
