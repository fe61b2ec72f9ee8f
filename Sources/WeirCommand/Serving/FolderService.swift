import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import WeirFiles
import WeirFlows
import WeirStates

/// Applies changes of the operations folder while the server runs.
final class FolderService: ServiceLifecycle.Service {
    /// The polling interval of the folder; a change is applied once two consecutive polls find it the same.
    static let interval = Duration.seconds(1)

    private let tracker: Locked<FolderTracker>
    private let choices: ChoiceLists
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let thread = DispatchQueue(label: "weir.operations")
    private let isAsked = Locked(false)
    private let (looks, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let failure = Locked<String?>(nil)
    private let take: @Sendable (OperationFolder) async throws -> Void

    /// Creates a service; if `take` throws, it must have changed nothing.
    init(
        _ tracker: FolderTracker, _ choices: ChoiceLists, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger,
        take: @escaping @Sendable (OperationFolder) async throws -> Void
    ) {
        self.tracker = Locked(tracker)
        self.choices = choices
        self.clock = clock
        self.logger = logger
        self.take = take
    }

    private static let programs = 4
    /// How many of them can be programs that exceeded their last time limit.
    private static let slowPrograms = 2

    /// Polls the folder and lists the values of choices until the server shuts down.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in self.looks { await self.look() } }
                group.addTask { await self.again { self.wake.yield() } }
                for number in 0..<Self.programs {
                    group.addTask {
                        await self.again { await self.listChoices(takesSlow: number < Self.slowPrograms) }
                    }
                }
            }
        }
    }

    private func again(_ act: () async -> Void) async {
        while !Task.isCancelled {
            await act()
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }

    /// Runs the due programs of choices sequentially.
    ///
    /// The next poll applies changed values. It runs at once when no more programs are due.
    func listChoices(takesSlow: Bool = true) async {
        var isChanged = false
        while let refresh = await choices.runNext(
            tracker.withLock { $0.current.definitions }, takesSlow: takesSlow)
        {
            // A program that the shutdown stopped has not failed.
            if Task.isCancelled { return }
            if let failure = refresh.failure { logger.warning("\(failure)") }
            if refresh.isChanged { readAgain() }
            isChanged = isChanged || refresh.isChanged
        }
        if isChanged { wake.yield() }
    }

    var current: OperationFolder { tracker.withLock { $0.current } }

    /// Makes the next poll read the files even if they are unchanged.
    func readAgain() { isAsked.withLock { $0 = true } }

    func look() async {
        let atOnce = isAsked.withLock { isAsked in
            defer { isAsked = false }
            return isAsked
        }
        guard let next = await next(atOnce: atOnce) else { return }
        let before = current
        do {
            try await take(next)
        } catch {
            let cause = "\(Quoted(error))"
            // Logs each cause once, because the attempt is repeated every second.
            let isNews = failure.withLock { failure in
                defer { failure = cause }
                return failure != cause
            }
            if isNews {
                logger.error(
                    "Changed operation files were not taken up; it is tried again.", metadata: ["cause": .string(cause)]
                )
            }
            return readAgain()
        }
        failure.withLock { $0 = nil }
        tracker.withLock { $0.took(next) }
        report(next, after: before)
    }

    /// Returns the changed folder, read on a dedicated thread, so that an unresponsive disk blocks nothing else.
    ///
    /// Reads are serialized. A cancelled caller returns at once.
    private func next(atOnce: Bool) async -> OperationFolder? {
        let found = OneShot<OperationFolder?>()
        return await withTaskCancellationHandler {
            thread.async { [self] in
                var looking = tracker.withLock { $0 }
                let next = looking.look(atOnce: atOnce)
                // Files are read without the lock, because other tasks read the operations in force.
                tracker.withLock { $0 = looking }
                found.send(next)
            }
            return await found.value()
        } onCancel: {
            found.send(nil)
        }
    }

    private func report(_ folder: OperationFolder, after before: OperationFolder) {
        let (ids, known) = (folder.definitions.map(\.id), before.definitions.map(\.id))
        let changed = ids.filter { known.contains($0) && folder.texts[$0] != before.texts[$0] }
        for mistake in folder.mistakes where !before.mistakes.contains(mistake) {
            logger.error("An operation's file has a mistake and is not in force. \(mistake)")
        }
        // Changed values of choices are not logged.
        guard changed != [] || ids != known || folder.mistakes != before.mistakes else { return }
        logger.notice(
            "Operations were read from files.",
            metadata: [
                "added": Self.names(ids.filter { !known.contains($0) }), "changed": Self.names(changed),
                "removed": Self.names(known.filter { !ids.contains($0) }), "mistakes": "\(folder.mistakes.count)",
            ])
    }

    private static func names(_ ids: [String]) -> Logger.MetadataValue {
        .string(ids.isEmpty ? "none" : ids.joined(separator: ", "))
    }
}
