import ArgumentParser
import Foundation
import NIOHTTP1
import Synchronization
import WeirFlows
import WeirStates
import WeirWeb

struct AssistantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract:
            "Gives an assistant the tools of a server, over the Model Context Protocol on standard input and output.",
        discussion: """
            The assistant starts it; Documentation/assistants.md shows how. It has the rights of the token, and only reads \
            unless it has --allow-changes.
            """,
        example: "weir mcp --server https://weir.example")

    /// The maximum number of messages that are answered at once.
    private static let maximumConcurrent = 16

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "Also offers the tools that start, retry, cancel and decide.") var allowChanges = false

    func run() async throws {
        try await connection.with { client in
            let server = AssistantServer(
                version: RootCommand.version, allowsChanges: allowChanges, address: client.address.description
            ) { request in
                let answer = try await client.answer(
                    HTTPMethod(rawValue: request.method), request.path, query: request.query,
                    content: request.body.map(ServerClient.Content.json) ?? .none)
                return AssistantTools.Answer(status: answer.status, body: answer.body)
            }
            let (input, reading, answers) = (MessageLines(), WorkPool(threads: 1), AnswerLines())
            await withTaskGroup(of: Void.self) { group in
                var active = 0
                while let line = try? await reading.run({ input.next() }) {
                    if active == Self.maximumConcurrent {
                        await group.next()
                        active -= 1
                    }
                    active += 1
                    group.addTask {
                        guard let answer = await server.answer(line), let text = try? answer.text() else { return }
                        answers.write(text)
                    }
                }
                // The assistant has closed its end, so nothing reads further answers.
                group.cancelAll()
            }
        }
    }
}

/// Lines of standard output, which concurrent answers do not mix.
private final class AnswerLines: Sendable {
    private let lock = Mutex(())

    func write(_ line: String) { lock.withLock { _ in output(line + "\n") } }
}

/// The lines of standard input, each with a bounded length.
private final class MessageLines: Sendable {
    private struct Buffer {
        var bytes: [UInt8] = []
        /// Whether the rest of a line that is too long is skipped.
        var skips = false
    }

    private let buffer = Mutex(Buffer())

    /// Returns the next line; nil after the last.
    ///
    /// Blocks until there is one. Of a line that is too long, the first part is returned, which is longer than a message can be.
    func next() -> String? {
        buffer.withLock { buffer in
            while true {
                if let end = buffer.bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = buffer.bytes[..<end]
                    let isRest = buffer.skips
                    let text = String(decoding: line, as: UTF8.self)
                    buffer.bytes.removeSubrange(...end)
                    buffer.skips = false
                    if isRest || text.allSatisfy(\.isWhitespace) { continue }
                    return text
                }
                if buffer.skips { buffer.bytes = [] }
                if buffer.bytes.count > AssistantServer.messageLimit {
                    let text = String(decoding: buffer.bytes, as: UTF8.self)
                    (buffer.bytes, buffer.skips) = ([], true)
                    return text
                }
                var piece = [UInt8](repeating: 0, count: 65_536)
                // Unsafe memory: the kernel writes at most the array's own count of bytes into it.
                let count = piece.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                buffer.bytes += piece.prefix(count)
            }
        }
    }
}
