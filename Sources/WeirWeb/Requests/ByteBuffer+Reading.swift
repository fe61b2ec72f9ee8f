import NIOCore
import WeirFlows

extension ByteBuffer {
    /// The maximum number of bytes of a body that is read on the request's own thread.
    private static let small = 32 * 1_024

    /// Reads a body with `meaning`; a large body on the threads of a pool.
    ///
    /// Suspends while a large body is read. Throws what `meaning` throws, and ``Problem/crowdedAnswers`` if too many wait.
    func read<Value: Sendable>(
        _ meaning: @escaping @Sendable (ByteBuffer) throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        guard readableBytes > Self.small else { return try meaning(self) }
        return try await WorkPool.bodies.answer { try meaning(self) }
    }
}
