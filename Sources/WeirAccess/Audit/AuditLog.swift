import Dispatch
package import Foundation
package import Logging
import Synchronization
import WeirFlows
import WeirStates

/// The audit log: records every action and every refusal.
///
/// ``record(_:)`` never blocks; a serial queue writes the entries. If writing fails, up to a bounded number of entries are kept
/// and retried; beyond it, the log records how many were lost. Repeated refusals and reads of output are merged for one minute.
package final class AuditLog: Sendable {
    private struct State {
        var waiting: [AuditEntry] = []
        var lost: Int64 = 0
        var counts = AuditCounts()
        var flushedAt: Int64 = 0
        var isWriting = false
        var isFailing = false
        var head = AuditChain.start

        /// Whether the interval of the merged entries is over, also because the clock was set back.
        func areCountsDue(at time: Int64) -> Bool {
            !counts.isEmpty && (time &- flushedAt).magnitude >= AuditLog.countedFor.magnitude
        }
    }

    /// State confined to the serial queue.
    private final class Writer: @unchecked Sendable {
        let folder: AuditFolder
        var chain = AuditChain.start
        var pruned = ""

        init(_ folder: AuditFolder) { self.folder = folder }
    }

    /// The number of entries buffered while writing fails.
    static let waitingLimit = 10_000
    /// The interval for which similar entries are merged, in milliseconds.
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
    ///   - folder: The folder of its files; nil to record nothing.
    ///   - days: The number of days to retain entries.
    ///   - now: Returns the time in milliseconds since 1970.
    ///   - logger: Logs write failures.
    ///   - onHead: Called on the log's queue with the new head of the chain after each write, to store it elsewhere.
    /// - Throws: An error of the file system, or `CocoaError` if the last line is unreadable.
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

    /// The current time in milliseconds since 1970.
    package static let time: @Sendable () -> Int64 = {
        Int64(clamping: (Date().timeIntervalSince1970 * 1_000).rounded())
    }

    /// The head of the chain as far as it is written.
    package var head: String { state.withLock { $0.head.head } }

    /// Records an entry without blocking; repeated refusals and reads of output are merged for up to a minute.
    func record(_ entry: AuditEntry) {
        entry.log(to: logger)
        guard writer != nil else { return }
        let isDue = state.withLock { state in
            var isMerged = false
            if entry.isCounted {
                if state.counts.isEmpty { state.flushedAt = entry.at }
                isMerged = !state.counts.count(entry)
            }
            if isMerged {
                // Written with the interval's other repetitions.
            } else if state.waiting.count < Self.waitingLimit {
                state.waiting.append(entry)
            } else {
                state.lost = state.lost.addingReportingOverflow(entry.count).partialValue
            }
            let isLate = state.areCountsDue(at: entry.at)
            guard !state.isWriting, isLate || !isMerged else { return false }
            state.isWriting = true
            return true
        }
        if isDue { queue.async { [self] in write() } }
    }

    package func record(
        _ action: AuditAction, by principal: Principal, from origin: AuditOrigin = .none, subject: String? = nil,
        outcome: AuditEntry.Outcome = .done, detail: String? = nil
    ) {
        record(
            AuditEntry(
                at: now(), principal: principal, address: origin.address, action, subject: subject, outcome: outcome,
                request: origin.request, detail: detail))
    }

    /// Writes all pending and merged entries.
    ///
    /// Suspends until they are written or writing fails.
    ///
    /// - Returns: Whether all entries were written.
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

    /// Writes merged entries whose interval is over; call every few seconds.
    func tick() {
        guard writer != nil else { return }
        let time = now()
        let isDue = state.withLock { state in
            let isLate = state.areCountsDue(at: time)
            guard !state.isWriting, isLate || !state.waiting.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if isDue { queue.async { [self] in write() } }
    }

    /// Runs on the log's queue.
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
            if state.areCountsDue(at: time) { state.waiting += state.counts.take() }
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

    /// Removes old days; their age is relative to the second-newest day, so that a clock set far ahead removes nothing on its
    /// first day.
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

    /// The maximum number of lines searched for one page, and the maximum duration.
    private static let (scanLimit, scanTime) = (100_000, Duration.seconds(1))

    /// Returns a page of the newest entries that match a filter.
    ///
    /// - Parameters:
    ///   - filter: The criteria.
    ///   - number: Returns only entries with smaller numbers; nil starts at the newest.
    ///   - limit: The maximum number of entries.
    /// - Returns: The page. It can hold fewer entries than `limit` and still have a successor if the search reached its limits.
    /// - Throws: An error of the file system.
    package func page(_ filter: AuditFilter = AuditFilter(), before number: Int64? = nil, limit: Int = 100) async throws
        -> AuditPage
    {
        try await page(before: number, limit: limit) { filter.matches($0) }
    }

    /// Returns a page of the newest entries that satisfy a predicate.
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

    /// Drops lines whose number cannot be smaller than `number`; numbers increase by one per line.
    private static func lines(_ lines: [Substring], before number: Int64?) -> ArraySlice<Substring> {
        guard let number, let first = lines.first.flatMap({ AuditRecord(line: $0) })?.number else { return lines[...] }
        return lines.prefix(Int(clamping: max(0, number.subtractingReportingOverflow(first).partialValue)))
    }

    package func days() async throws -> [String] {
        await flush()
        return try await onFolder(or: []) { try $0.days() }
    }

    package func file(of day: String) async throws -> Data {
        try await onFolder(or: Data()) { try Data(contentsOf: $0.file(of: day)) }
    }

    /// Reads the files on the bulk work pool, concurrently with writes; returns `nothing` if no files are kept.
    ///
    /// Throws `WorkPool.Busy` if the pool is saturated.
    func onFolder<Result: Sendable>(
        or nothing: Result, _ body: @escaping @Sendable (AuditFolder) throws -> Result
    ) async throws -> Result {
        guard let folder else { return nothing }
        return try await WorkPool.bulk.run { try body(AuditFolder(folder)) }
    }
}

extension AuditLog {
    /// Returns a user that must exist according to the audit, or nil if the audit names none.
    ///
    /// Searches the newest entries only.
    package func userThatShouldBe() async throws -> String? {
        var removed: Set<String> = []
        for record in try await page(limit: 1_000, where: { $0.user != nil }).records {
            guard let user = record.entry.user else { continue }
            if record.entry.action == .removeUser {
                removed.insert(user)
            } else if !removed.contains(user) {
                return user
            }
        }
        return nil
    }

    /// Checks that the chain contains a head recorded earlier; if it does not, logs an error and records `lose`.
    func requirePassing(through head: String) async {
        guard let known = AuditChain(head: head) else { return }
        do {
            guard try await !onFolder(or: true, { try $0.passes(through: known) }) else { return }
        } catch {
            logger.error("The audit cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            return
        }
        logger.error(
            """
            Entries of the audit are missing: it had come to this head, and does not have it any more. Its last files were \
            removed, cut or replaced, or the machine stopped before they were on the disk. If you have a copy of the audit's \
            folder, compare it.
            """, metadata: ["head": "\(head)"])
        record(
            .lose, by: .system, outcome: .failed,
            detail: "The audit had come to the head \(head), which is missing. What was before it may be missing too.")
    }
}

extension AuditEntry {
    /// The local user whose existence or removal the entry proves; nil for other entries.
    fileprivate var user: String? {
        guard outcome == .done else { return nil }
        let (kind, name): (String, String?) =
            switch action {
            case .addUser, .changeRoles, .changePassword, .removeUser: ("user:", subject)
            // The key of a person from an identity provider contains a URL, which is not a valid user name.
            case .signIn, .setUp: ("\(Principal.Kind.person.rawValue):", principal)
            default: ("", nil)
            }
        guard let name, name.hasPrefix(kind) else { return nil }
        return UserName(String(name.dropFirst(kind.count)))?.text
    }
}
