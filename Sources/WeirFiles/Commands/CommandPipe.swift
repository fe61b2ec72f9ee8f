import NIOCore
import NIOPosix
import Synchronization

/// The read end of a pipe, with back pressure: it reads only on demand, without a thread of its own.
///
/// Its deinitialization closes the pipe.
final class CommandPipe: Sendable {
    static let readSize = 65_536

    private let channel: any Channel
    private let inbox: Inbox

    private init(channel: any Channel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    deinit { channel.close(promise: nil) }

    /// Takes ownership of a descriptor, which it also closes when it throws.
    static func open(_ descriptor: Int32, on group: any EventLoopGroup) async throws -> CommandPipe {
        let inbox = Inbox()
        let channel = try await NIOPipeBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
            .takingOwnershipOfDescriptor(input: descriptor) { channel in
                channel.pipeline.addHandler(inbox).map { channel }
            }
        return CommandPipe(channel: channel, inbox: inbox)
    }

    /// Returns the next piece, or nil at the end or after closing.
    ///
    /// Suspends until data arrives, and ignores cancellation. Supports one reader at a time.
    func next() async -> ByteBuffer? {
        await withCheckedContinuation { continuation in
            if inbox.wait(continuation) { channel.read() }
        }
    }

    func close() { channel.close(promise: nil) }

    /// The unread buffers and the pending reader.
    private final class Inbox: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private struct Core {
            var buffers: [ByteBuffer] = []
            var reader: CheckedContinuation<ByteBuffer?, Never>?
            var isOver = false
        }

        private let core = Mutex(Core())

        /// Resumes the reader with a buffer; returns true if a read is required first.
        func wait(_ reader: CheckedContinuation<ByteBuffer?, Never>) -> Bool {
            let (mustRead, buffer) = core.withLock { core -> (Bool, ByteBuffer?) in
                if !core.buffers.isEmpty { return (false, core.buffers.removeFirst()) }
                if core.isOver { return (false, nil) }
                core.reader = reader
                return (true, nil)
            }
            if !mustRead { reader.resume(returning: buffer) }
            return mustRead
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            let reader = core.withLock { core in
                defer { core.reader = nil }
                if core.reader == nil { core.buffers.append(buffer) }
                return core.reader
            }
            reader?.resume(returning: buffer)
        }

        func channelInactive(context: ChannelHandlerContext) { end() }

        func handlerRemoved(context: ChannelHandlerContext) { end() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func end() {
            let reader = core.withLock { core in
                core.isOver = true
                defer { core.reader = nil }
                return core.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
