import ArgumentParser
import Foundation
import Synchronization
import Testing
@testable import WeirFiles
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct WrappedCommandTests {
    private final class Tape: Sendable {
        let texts = Mutex<[OutputChannel: String]>([:])

        func take(_ channel: OutputChannel, _ bytes: UnsafeRawBufferPointer) -> Bool {
            texts.withLock { $0[channel, default: ""] += String(decoding: bytes, as: UTF8.self) }
            return true
        }

        subscript(channel: OutputChannel) -> String { texts.withLock { $0[channel] ?? "" } }
    }

    @Test func `a wrapped command prints through, and its exit code is known`() async throws {
        let tape = Tape()
        let (_, ending) = try WrappedCommand.start(
            ["sh", "-c", "echo out; echo err >&2; exit 7"], defaulted: [], sink: tape.take)
        #expect(await ending.value == .exited(7))
        #expect(tape[.standardOutput] == "out\n")
        #expect(tape[.standardError] == "err\n")
    }

    @Test func `a signal is passed on, and one that ends the command gives 128 and its number`() async throws {
        let (stream, news) = AsyncStream.makeStream(of: Void.self)
        let (command, ending) = try WrappedCommand.start(
            ["sh", "-c", "echo ready; exec sleep 30"], defaulted: [SIGTERM],
            sink: { _, _ in
                news.yield()
                return true
            })
        for await _ in stream { break }
        command.signal(SIGTERM)
        let end = await ending.value
        #expect(end == .signalled(.terminate))
        #expect(end.exitCode == 143)
        // The process is gone, and nobody else gets the signal.
        command.signal(SIGKILL)
    }

    @Test func `a program that is not there is told by the system's number`() {
        let error = #expect(throws: CommandFailure.self) {
            try WrappedCommand.start(["no-such-program-at-all"], defaulted: [], sink: { _, _ in true })
        }
        #expect(error?.error == ENOENT)
    }

    @Test func `a command that leaves a child with its output behind is over when it ends`() async throws {
        let tape = Tape()
        let (_, ending) = try WrappedCommand.start(
            ["sh", "-c", "(sleep 600 & echo $! ); echo done"], defaulted: [], sink: tape.take)
        #expect(await ending.value == .exited(0))
        #expect(tape[.standardOutput].hasSuffix("done\n"))
        let child = tape[.standardOutput].split(separator: "\n").first.flatMap { Int32($0) }
        if let child, child > 1 { kill(child, SIGKILL) }
    }

    @Test func `what a command printed before it ended is passed on, however slowly it is taken`() async throws {
        let texts = Mutex((count: 0, start: "", hasWaited: false))
        // More than is read at once, and no more than fits into a pipe behind the first of it.
        let (_, ending) = try WrappedCommand.start(
            ["sh", "-c", "echo $$; exec head -c 66000 /dev/zero"], defaulted: []
        ) { channel, bytes in
            guard channel == .standardOutput else { return true }
            let process = texts.withLock { texts -> Int32? in
                if texts.count == 0 { texts.start = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
                texts.count += bytes.count
                guard texts.count > 4_096, !texts.hasWaited else { return nil }
                texts.hasWaited = true
                return Int32(texts.start.prefix { $0.isNumber })
            }
            // Until the command is gone, and has been seen to be.
            if let process { _ = (0..<100_000_000).first { _ in kill(process, 0) != 0 || sched_yield() != 0 } }
            return true
        }
        #expect(await ending.value == .exited(0))
        let (count, start, _) = texts.withLock { $0 }
        #expect(count == 66_000 + start.utf8.count)
    }

    @Test func `a command that stops printing before it ends is over only when it ends`() async throws {
        let (_, ending) = try WrappedCommand.start(
            ["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 7"], defaulted: [], sink: { _, _ in true })
        #expect(await ending.value == .exited(7))
    }

    @Test func `a command whose reader is gone is told so by its system`() async throws {
        let (_, ending) = try WrappedCommand.start(["yes"], defaulted: [SIGPIPE], sink: { _, _ in false })
        #expect(await ending.value == .signalled(ProcessSignal(number: SIGPIPE)))
    }

    @Test func `a command that a signal ended is reported, and then this process dies of the same signal`() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "weir-run-\(UUID().uuidString)")
            let server = try await ScriptedServer { _, _ in .init() }
            let end = try await server.with { client in
                let address = client.address.description
                return try await WrappedRun(
                    words: ["sh", "-c", "kill -INT $$"],
                    header: SpoolHeader(server: address, operation: "backup", run: "r1", title: nil, input: [:]),
                    connection: try ServerConnection(.init(server: address), environment: [:], profiles: .init()),
                    folder: SpoolFolder(folder), lease: .seconds(30), wait: .seconds(300)
                ).run()
            }
            #expect(server.requests.last?.headers["stream-closed"] == "true")
            #expect(server.requests.last?.body?.array?.last?["code"] == 130)
            try FileManager.default.removeItem(at: folder)
            try end.passOn()
        }
    }

    @Test func `a process dies of a signal that this one ignores or catches, too`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            signal(SIGTERM, SIG_IGN)
            try WrappedEnd.signalled(.terminate).passOn()
        }
        await #expect(processExitsWith: .signal(SIGQUIT)) {
            try WrappedEnd.signalled(ProcessSignal(number: SIGQUIT)).passOn()
        }
    }

    @Test func `an exit code is passed on as it is`() throws {
        try WrappedEnd.exited(0).passOn()
        #expect(throws: ExitCode(3)) { try WrappedEnd.exited(3).passOn() }
    }

    @Test func `how a command ended is said in its last message`() {
        #expect(
            WrappedEnd.exited(0).message(program: "make", wasStopped: true)
                == ["state": "succeeded", "phase": "succeeded", "code": 0])
        #expect(
            WrappedEnd.exited(2).message(program: "make", wasStopped: false)
                == ["state": "failed", "phase": "failed", "code": 2, "message": "make ended with exit code 2."])
        #expect(
            WrappedEnd.signalled(.terminate).message(program: "make", wasStopped: true)["phase"]?.string == "cancelled")
    }
}
