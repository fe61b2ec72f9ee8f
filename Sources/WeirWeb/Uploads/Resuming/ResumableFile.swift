import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The bytes of an upload on the disk, which one request at a time continues and one run reads.
///
/// The length of the file is its offset, so that it survives the end of the process.
final class ResumableFile: Sendable {
    /// Why a request may not write.
    enum Refusal: Error, Equatable {
        /// So many bytes have arrived, not as many as the request says.
        case elsewhere(Int64)
        /// Another request is writing.
        case busy
        /// The upload is over.
        case gone
        /// The disk took no more.
        case unwritten
    }

    /// For how long a request that sends nothing holds off the next one, in milliseconds.
    ///
    /// A connection that was cut is not known to be for a while, and its client comes back sooner.
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

    /// The file at a place, as long as it is there.
    init(_ url: URL, now: Int64) throws {
        self.url = url
        let handle = try FileHandle(forReadingFrom: url)
        let offset = try handle.seekToEnd()
        state = NIOLockedValueBox(State(offset: Int64(clamping: offset), touched: now))
    }

    /// How many bytes have arrived.
    var offset: Int64 { state.withLockedValue { $0.offset } }
    /// The run that reads it, if one still does.
    var run: String? { state.withLockedValue { $0.content?.failure == nil ? $0.run : nil } }
    /// Whether a request is writing.
    var isBusy: Bool { state.withLockedValue { $0.writer != nil } }

    /// Lets a request write from an offset on; returns what `append` and `end` take.
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

    /// Writes at the end.
    func append(_ bytes: ByteBuffer, by writer: Int, now: Int64) throws(Refusal) {
        try locked { state throws(Refusal) in
            guard !state.isGone else { throw .gone }
            guard let current = state.writer, current.number == writer else { throw .busy }
            do {
                try current.handle.seek(toOffset: UInt64(clamping: state.offset))
                try current.handle.write(contentsOf: Data(bytes.readableBytesView))
            } catch {
                // What was written of it counts for nothing: the next one continues where this one began.
                try? current.handle.truncate(atOffset: UInt64(clamping: state.offset))
                throw .unwritten
            }
            state.offset += Int64(bytes.readableBytes)
            state.touched = now
            state.content?.grow(to: state.offset)
        }
    }

    /// The request is over.
    func end(_ writer: Int) {
        state.withLockedValue { state in
            guard let current = state.writer, current.number == writer else { return }
            try? current.handle.synchronize()
            state.writer = nil
        }
    }

    /// Lets a run read it from its beginning.
    func attach(length: Int64) throws -> ResumableContent {
        try state.withLockedValue { state in
            let content = try ResumableContent(url, available: state.offset, length: length)
            state.content = content
            return content
        }
    }

    /// The run that was given the content; without an id, it did not begin.
    func began(_ run: String?) {
        state.withLockedValue { state in
            state.run = run
            if run == nil { state.content = nil }
        }
    }

    /// The run has ended; a later request starts another one.
    func ended(_ content: ResumableContent) {
        state.withLockedValue { state in
            guard state.content === content else { return }
            (state.content, state.run) = (nil, nil)
        }
    }

    /// Whether no request has come for so long that its run need not wait any more.
    func stopIfSilent(for silence: Int64, length: Int64, now: Int64) {
        let (content, offset) = state.withLockedValue { state -> (ResumableContent?, Int64) in
            let isSilent = state.writer == nil && now - state.touched >= silence && state.offset < length
            return (isSilent ? state.content : nil, state.offset)
        }
        content?.stop(.silent(received: offset, announced: length))
    }

    /// Nothing is written or read any more.
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
