import Foundation
import NIOConcurrencyHelpers
import NIOCore
import WeirOperations

/// The bytes of an upload on the disk; one request at a time appends to them, and one run reads them.
///
/// The length of the file is the upload's offset, which therefore survives the process.
final class ResumableFile: Sendable {
    enum Refusal: Error, Equatable {
        /// The upload's offset, which differs from the one in the request.
        case elsewhere(Int64)
        case busy
        case gone
        case unwritten
    }

    /// How long an idle request blocks the next one, in milliseconds.
    ///
    /// A lost connection is detected late, and its client may reconnect earlier.
    static let patience: Int64 = 2_000

    private struct State {
        var offset: Int64
        var writer: (number: Int, handle: FileHandle)?
        var last = 0
        var touched: Int64
        var content: ResumableContent?
        var run: String?
        var isGone = false
    }

    let url: URL
    private let state: NIOLockedValueBox<State>

    init(_ url: URL, now: Int64) throws {
        self.url = url
        let handle = try FileHandle(forReadingFrom: url)
        let offset = try handle.seekToEnd()
        state = NIOLockedValueBox(State(offset: Int64(clamping: offset), touched: now))
    }

    var offset: Int64 { state.withLockedValue { $0.offset } }
    var run: String? { state.withLockedValue { $0.content?.failure == nil ? $0.run : nil } }
    var isBusy: Bool { state.withLockedValue { $0.writer != nil } }

    /// Starts a write at an offset; returns the number to pass to ``append(_:by:now:)`` and ``end(_:)``.
    func begin(at offset: Int64, now: Int64) throws(Refusal) -> Int {
        try locked { state throws(Refusal) in
            guard !state.isGone else { throw .gone }
            guard state.writer == nil || now - state.touched >= Self.patience else { throw .busy }
            guard state.offset == offset else { throw .elsewhere(state.offset) }
            guard let handle = try? FileHandle(forWritingTo: url) else { throw .unwritten }
            state.last &+= 1
            state.writer = (state.last, handle)
            state.touched = now
            return state.last
        }
    }

    func append(_ bytes: ByteBuffer, by writer: Int, now: Int64) throws(Refusal) {
        try locked { state throws(Refusal) in
            guard !state.isGone else { throw .gone }
            guard let current = state.writer, current.number == writer else { throw .busy }
            do {
                try current.handle.seek(toOffset: UInt64(clamping: state.offset))
                try current.handle.write(contentsOf: Data(bytes.readableBytesView))
            } catch {
                // Discards a partial write, so that the next one starts at the same offset.
                try? current.handle.truncate(atOffset: UInt64(clamping: state.offset))
                throw .unwritten
            }
            state.offset += Int64(bytes.readableBytes)
            state.touched = now
            state.content?.grow(to: state.offset)
        }
    }

    func end(_ writer: Int) {
        state.withLockedValue { state in
            guard let current = state.writer, current.number == writer else { return }
            try? current.handle.synchronize()
            state.writer = nil
        }
    }

    func attach(length: Int64) throws -> ResumableContent {
        try state.withLockedValue { state in
            let content = try ResumableContent(url, available: state.offset, length: length)
            state.content = content
            return content
        }
    }

    /// Sets the run that reads the content; nil if it did not start.
    func began(_ run: String?) {
        state.withLockedValue { state in
            state.run = run
            if run == nil { state.content = nil }
        }
    }

    /// Detaches an ended run; a later request starts another one.
    func ended(_ content: ResumableContent) {
        state.withLockedValue { state in
            guard state.content === content else { return }
            (state.content, state.run) = (nil, nil)
        }
    }

    /// Stops the run if no request has arrived for `silence` milliseconds.
    func stopIfSilent(for silence: Int64, length: Int64, now: Int64) {
        let (content, offset) = state.withLockedValue { state -> (ResumableContent?, Int64) in
            let isSilent = state.writer == nil && now - state.touched >= silence && state.offset < length
            return (isSilent ? state.content : nil, state.offset)
        }
        content?.stop(.silent(received: offset, announced: length))
    }

    func close() {
        state.withLockedValue { state in
            state.isGone = true
            state.writer = nil
            return state.content
        }?.stop(.closed)
    }

    private func locked<Result>(
        _ body: (inout State) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let result = state.withLockedValue { state -> Swift.Result<Result, Refusal> in
            do throws(Refusal) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// The bytes of an upload as a run reads them: from the disk, waiting at the end of the file for more.
final class ResumableContent: FileContent {
    private struct State {
        var position: Int64 = 0
        var available: Int64
        var failure: UploadFailure?
        var isCancelled = false
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private enum Step { case read(Int), end, wait }

    private static let pieceSize: Int64 = 256 << 10

    private let handle: FileHandle
    private let length: Int64
    private let state: NIOLockedValueBox<State>

    /// Opens a file with `available` bytes so far; `length` is the final size.
    init(_ url: URL, available: Int64, length: Int64) throws {
        handle = try FileHandle(forReadingFrom: url)
        self.length = length
        state = NIOLockedValueBox(State(available: available))
    }

    /// The reason of ``stop(_:)``, if it was called.
    var failure: UploadFailure? { state.withLockedValue { $0.failure } }

    func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            switch try step() {
            case .end: return nil
            case .wait: await wait()
            case .read(let count):
                guard let piece = try handle.read(upToCount: count), !piece.isEmpty else { throw UploadFailure.closed }
                state.withLockedValue { $0.position += Int64(piece.count) }
                return piece
            }
        }
    }

    /// Makes bytes up to `count` available.
    func grow(to count: Int64) {
        state.withLockedValue { state in
            state.available = max(state.available, count)
            return state.takeWaiter()
        }?.resume()
    }

    func stop(_ failure: UploadFailure) {
        state.withLockedValue { state in
            state.failure = state.failure ?? failure
            return state.takeWaiter()
        }?.resume()
    }

    private func step() throws -> Step {
        try state.withLockedValue { state in
            if state.position >= length { return .end }
            if let failure = state.failure { throw failure }
            let rest = min(state.available - state.position, Self.pieceSize)
            return rest > 0 ? .read(Int(clamping: rest)) : .wait
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLockedValue { state in
                    if state.isCancelled || state.failure != nil || state.available > state.position { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLockedValue { state in
                state.isCancelled = true
                return state.takeWaiter()
            }?.resume()
        }
    }
}
