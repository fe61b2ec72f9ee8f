import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import WeirFiles
import WeirFlows
import WeirStates

/// Takes up the files of the operations folder as they change, while the server runs.
final class FolderService: ServiceLifecycle.Service {
    /// The time between two looks at the folder; a change is taken up after the second look that finds it the same.
    static let interval = Duration.seconds(1)

    private let tracker: Locked<FolderTracker>
    private let choices: ChoiceLists
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let thread = DispatchQueue(label: "weir.operations")
    private let isAsked = Locked(false)
    private let (looks, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Why the last change was not taken up; nil if it was.
    private let failure = Locked<String?>(nil)
    private let take: @Sendable (OperationFolder) async throws -> Void

    /// - Parameters:
    ///   - tracker: Follows the folder.
    ///   - choices: The values that programs list.
    ///   - clock: Measures the time between two looks.
    ///   - logger: Reports what was taken up.
    ///   - take: Puts operations in force, or throws, and then nothing has changed.
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

    /// The number of programs of choices that run at once.
    private static let programs = 4
    /// How many of them can be programs that exceeded their time limit when they last ran.
    private static let slowPrograms = 2

    /// Follows the folder, and lists the values of choices, until the server shuts down.
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

    /// Runs the programs of choices that are due, one after the other.
    ///
    /// Changed values are taken up with the next look, and at once when no more programs are due.
    func listChoices(takesSlow: Bool = true) async {
        var isChanged = false
        while let refresh = await choices.runNext(
            tracker.withLock { $0.current.definitions }, takesSlow: takesSlow)
        {
            // A program that was stopped because the server shuts down has not failed.
            if Task.isCancelled { return }
            if let failure = refresh.failure { logger.warning("\(failure)") }
            if refresh.isChanged { readAgain() }
            isChanged = isChanged || refresh.isChanged
        }
        if isChanged { wake.yield() }
    }

    /// The operations in force.
    var current: OperationFolder { tracker.withLock { $0.current } }

    /// Has the files read at the next look, whether or not they have changed.
    func readAgain() { isAsked.withLock { $0 = true } }

    /// Looks once, and takes up what is new.
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
            // Once for each cause, as it is tried every second.
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

    /// What there is to take up, found on a thread of its own: a disk that does not answer holds up nothing else.
    ///
    /// Only one look goes on at a time. A cancelled caller is let go at once.
    private func next(atOnce: Bool) async -> OperationFolder? {
        let found = OneShot<OperationFolder?>()
        return await withTaskCancellationHandler {
            thread.async { [self] in
                var looking = tracker.withLock { $0 }
                let next = looking.look(atOnce: atOnce)
                // The lock is not held while the files are read, since others ask for the operations in force.
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
        // Values of choices are no news.
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
