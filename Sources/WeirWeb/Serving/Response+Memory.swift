import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// The answer with a body that counts as memory until its client has taken it.
    ///
    /// Throws what says that nothing more can be sent just now, when all such bodies take too much.
    func counted(in memory: BodyBudget) throws(Problem) -> Response {
        // What is written while it is read has no length, and sees to itself.
        guard let length = body.contentLength, length > BodyBudget.freeAnswer else { return self }
        let share = memory.share()
        guard share.grow(by: length) else { throw .crowdedAnswers }
        var response = self
        response.body = ResponseBody(contentLength: length) { [body] writer in
            defer { withExtendedLifetime(share) {} }
            try await body.write(writer)
        }
        return response
    }

    /// The answer, of which each piece is written once the connection has come to the one before.
    ///
    /// What a task writes is handed to the connection's event loop. Until that has come to it, the task does not learn that the
    /// client takes no more, and would hand over all there is to a loop that is busy.
    func paced(on connection: DashboardContext?) -> Response {
        // Small answers are one piece.
        guard let connection, body.contentLength.map({ $0 > BodyBudget.freeAnswer }) ?? true else { return self }
        var response = self
        response.body = ResponseBody(contentLength: body.contentLength) { [body] writer in
            try await body.write(PacedWriter(writer: writer, connection: connection))
        }
        return response
    }
}

/// Writes a piece once the connection has come to the one before.
private struct PacedWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let connection: DashboardContext

    mutating func write(_ buffer: ByteBuffer) async throws {
        try await writer.write(buffer)
        await connection.settleWrites()
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.finish(trailingHeaders)
        await connection.settleWrites()
    }
}
