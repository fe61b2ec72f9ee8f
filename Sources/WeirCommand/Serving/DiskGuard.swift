import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates
import WeirTelemetry

/// Watches the free space of the data folder's disk, and reserves some in a file that is removed when nothing can be recorded.
final class DiskGuard: DiskWatch, ServiceLifecycle.Service {
    /// The size of the reserve, in pieces of a mebibyte.
    private static let reserve = 16
    private static let file = "reserve"
    /// How long a reading is used.
    private static let age = Duration.milliseconds(100)

    private struct State {
        var readAt: ContinuousClock.Instant?
        var isAlmostFull = false
    }

    private let folder: URL
    private let keepFree: ByteCount
    private let logger: Logger
    private let since = MutableStateFlow<Timestamp?>(nil)
    private let state = Mutex(State())

    init(_ folder: URL, keepFree: ByteCount, logger: Logger) {
        self.folder = folder
        self.keepFree = keepFree
        self.logger = logger
    }

    var isAlmostFull: Bool {
        let (isAlmostFull, hasChanged) = state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.readAt, last.duration(to: now) < Self.age { return (state.isAlmostFull, false) }
            state.readAt = now
            let before = state.isAlmostFull
            state.isAlmostFull = free.map { $0 < Double(keepFree.bytes) } ?? false
            return (state.isAlmostFull, state.isAlmostFull != before)
        }
        if hasChanged { tell(isAlmostFull) }
        return isAlmostFull
    }

    var almostFullSince: ReadOnlyStateFlow<Timestamp?> { since.asStateFlow() }

    /// Makes the reserve if there is room for it, and watches the disk until the server is stopped.
    func run() async {
        await cancelWhenGracefulShutdown {
            while true {
                // A failure is tried again.
                if !self.isAlmostFull { try? await WorkPool.files.run { self.makeReserve() } }
                try? await Task.sleep(for: .seconds(1))
                if Task.isCancelled { return }
            }
        }
    }

    func freeReserve() {
        do {
            try FileManager.default.removeItem(at: reserve)
            logger.warning("The disk of the data folder is full; the space that was reserved on it is freed.")
        } catch {
            return  // It is freed already.
        }
    }

    /// Frees the reserve before the journal is opened on a disk that is almost full; the guard makes it again later.
    func prepare() {
        if isAlmostFull { freeReserve() }
    }

    private var reserve: URL { folder.appending(path: Self.file) }

    private func makeReserve() {
        guard !FileManager.default.fileExists(atPath: reserve.path),
            let free, free > Double(keepFree.bytes) + Double(Self.reserve << 20),
            FileManager.default.createFile(
                atPath: reserve.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { return }
        do {
            let handle = try FileHandle(forWritingTo: reserve)
            defer { try? handle.close() }  // What could not be written is not reserved.
            for _ in 0..<Self.reserve { try handle.write(contentsOf: Data(count: 1 << 20)) }
        } catch {
            freeReserve()
        }
    }

    /// The space that is free for this user, or nil if it is unknown.
    private var free: Double? { ProcessUsage.freeBytes(at: folder.path) }

    private func tell(_ isAlmostFull: Bool) {
        since.value = isAlmostFull ? Timestamp(Date()) : nil
        if isAlmostFull {
            logger.error(
                "The disk of the data folder is almost full: no run starts, and output is not kept.",
                metadata: ["keep-free": "\(keepFree)"])
        } else {
            logger.notice("The disk of the data folder has space again: runs start, and output is kept.")
        }
    }
}
