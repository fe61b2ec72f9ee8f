import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates
import WeirWeb

/// Makes backups by the schedule of the settings, and when asked to, one at a time.
final class BackupService: ServiceLifecycle.Service, BackupKeeper {
    /// The longest sleep, after which a change of the system time is noticed.
    private static let longestSleep: Int64 = 30_000

    private let settings: Settings
    private let config: String?
    private let folder: DataFolder
    private let schedule: Schedule?
    private let target: URL?
    private let key: BackupKey?
    private let quiet: ReadOnlyStateFlow<QuietStart?>
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let started: Timestamp
    private let known: Mutex<BackupRecord>
    private let isMaking = Mutex(false)
    private let (asks, ask) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates an idle service; throws `StartError` if the settings do not fit together.
    init(
        _ settings: Settings, config: String?, quiet: ReadOnlyStateFlow<QuietStart?>,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        logger: Logger
    ) throws {
        self.settings = settings
        self.config = config
        (self.quiet, self.clock, self.now, self.logger) = (quiet, clock, now, logger)
        folder = DataFolder(settings)
        target = settings.text("backup.folder").map { URL(filePath: $0, directoryHint: .isDirectory) }
        key = try Self.check(settings)
        schedule = try settings.text("backup.schedule").map {
            try Schedule(cron: $0, timezone: settings.text("timezone"))
        }
        started = now()
        known = Mutex(BackupRecord.read(in: folder))
    }

    /// Returns the key of backups; throws `StartError` if the settings do not fit together.
    @discardableResult
    static func check(_ settings: Settings) throws -> BackupKey? {
        guard settings.text("backup.schedule") == nil || settings.text("backup.folder") != nil else {
            throw StartError.misconfigured(
                "backup.schedule is set, but backup.folder is not. Name the folder for the backups.")
        }
        return try settings.text("backup.key-file").map { try BackupKey(file: $0) }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.followSchedule() }
                group.addTask { for await _ in self.asks { await self.make() } }
                group.addTask { await self.followRecord() }
            }
        }
    }

    func begin() -> Bool {
        guard target != nil else { return false }
        ask.yield()
        return true
    }

    var standing: BackupStanding {
        let record = known.withLock { $0 }
        var standing = BackupStanding()
        (standing.last, standing.bytes) = (record.made, record.bytes)
        (standing.isVerified, standing.problem) = (record.isVerified, record.problem)
        standing.isMaking = isMaking.withLock { $0 }
        guard let schedule, quiet.value == nil else { return standing }
        standing.next = schedule.next(after: now())
        let due = schedule.upcoming(after: record.made ?? started, count: 2).last
        standing.isLate = due.map { $0 < now() } ?? false
        return standing
    }

    /// Makes a backup at each time of the schedule, and one at once if a time has passed since the last backup.
    private func followSchedule() async {
        guard let schedule else { return }
        var mark = known.withLock { $0 }.made ?? started
        while !Task.isCancelled, let next = schedule.next(after: mark) {
            if next > now() || quiet.value != nil {
                let wait = min(max(100, next - now()), Self.longestSleep)
                do { try await clock.sleep(for: .milliseconds(wait)) } catch { return }
                continue
            }
            mark = now()
            ask.yield()
        }
    }

    /// Notices backups that `weir backup` makes.
    private func followRecord() async {
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: .seconds(5))
                let record = try await WorkPool.files.run { [folder] in BackupRecord.read(in: folder) }
                known.withLock { $0 = record }
            } catch { return }
        }
    }

    /// Makes and verifies a backup, removes old ones, and records and logs the outcome.
    func make() async {
        guard let target else { return }
        isMaking.withLock { $0 = true }
        defer { isMaking.withLock { $0 = false } }
        var record = known.withLock { $0 }
        let name = Self.name(at: now())
        do {
            guard
                let (result, faults) = try await unlessStopped({ [self] in
                    try make(target.appending(path: name).path)
                })
            else { return }
            (record.made, record.bytes, record.problem) = (result.manifest.created, result.bytes, faults?.first)
            record.isVerified = faults?.isEmpty
            for sentence in result.omitted { logger.warning("\(sentence)") }
            logger.log(
                level: faults?.isEmpty == false ? .error : .notice, "A backup was made.",
                metadata: [
                    "file": "\(name)", "bytes": "\(result.bytes)",
                    "verified": .string(faults.map { $0.isEmpty ? "yes" : $0.joined(separator: " ") } ?? "no"),
                ])
            if faults?.isEmpty != false { _ = try await unlessStopped { [self] in try removeOld(in: target) } }
        } catch {
            record.problem = VisibleText.line(String("\(error)".prefix(1_000)))
            logger.error("A backup was not made.", metadata: ["cause": "\(Quoted(error))"])
        }
        record.keep(in: folder)
        known.withLock { [record] in $0 = record }
    }

    /// Runs work on a thread; returns nil at once if the server stops, and the end of the process then ends the work.
    private func unlessStopped<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value? {
        let outcome = OneShot<Result<Value, any Error>?>()
        Task {
            do {
                outcome.send(.success(try await WorkPool.backups.run(work)))
            } catch {
                outcome.send(.failure(error))
            }
        }
        return try await withTaskCancellationHandler {
            try await outcome.value()?.get()
        } onCancel: {
            outcome.send(nil)
        }
    }

    private func make(_ file: String) throws -> (BackupMaker.Result, faults: [String]?) {
        if let target { try NewFile.folder(target) }
        let result = try BackupMaker(settings, config: config, key: key, now: now()).make(file)
        guard settings.text("backup.verify") != "no" else { return (result, nil) }
        return (result, try BackupVerification(file, key: key).faults)
    }

    /// Removes the oldest backups, and what interrupted ones have left.
    private func removeOld(in target: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: target.path)
        let whole = names.filter(Self.isName).sorted()
        let left = names.filter { name in
            [".unfinished-", ".trial-"].contains { name.contains($0) }
                && Self.isName(String(name.prefix(Self.nameLength)))
        }
        for name in left + whole.dropLast(settings.integer("backup.keep") ?? 14) {
            try FileManager.default.removeItem(at: target.appending(path: name))
        }
    }

    private static let nameLength = "weir-20261127T030000Z.backup".count

    /// The name of a backup, which sorts by time.
    static func name(at moment: Timestamp) -> String {
        let time = moment.description.prefix(19).filter { $0.isLetter || $0.isNumber }
        return "weir-\(time)Z.backup"
    }

    static func isName(_ name: String) -> Bool { name.wholeMatch(of: /weir-[0-9]{8}T[0-9]{6}Z\.backup/) != nil }
}
