import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport

/// Counts what is written of an answer, and notes whether it ends in order.
struct CountingWriter: ResponseBodyWriter {
    var written = Shared(0)
    var isFinished = Shared(false)

    func write(_ buffer: ByteBuffer) async throws { written.value += buffer.readableBytes }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { isFinished.value = true }
}
