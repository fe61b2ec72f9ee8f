import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirFiles

/// Programs that are given a file.
@Suite(.timeLimit(.minutes(15)))
struct ReceivedFileTests {
    /// The bytes of a file, in pieces, and how they end.
    private final class Pieces: FileContent {
        enum End: Sendable {
            case whole
            case broken(any Error)
            /// No more comes until the run is cancelled.
            case silent
        }

        private let rest: Locked<[String]>
        private let end: End

        init(_ pieces: [String], _ end: End = .whole) {
            rest = Locked(pieces)
            self.end = end
        }

        func next() async throws -> Data? {
            let next = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let next { return Data(next.utf8) }
            switch end {
            case .whole: return nil
            case .broken(let error): throw error
            case .silent:
                while true { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
    }

    private static func file(_ name: String, length: Int64? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["id": "f1", "filename": .string(name)]
        members["length"] = length.map(JSONValue.integer)
        return .object(["dump": .object(members)])
    }

    /// Runs a text with a file; afterwards nothing of the file may be left.
    private func run(
        _ text: String, _ input: JSONValue, _ content: Pieces?, clock: VirtualClock = VirtualClock(),
        onState: @escaping @Sendable (Run<CommandState>, CommandState) -> Void = { _, _ in }
    ) async throws -> FileTrial {
        let files = FileManager.default.temporaryDirectory.appending(path: "weir-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: files) } }
        let trial = try await FileTrial.run(text, input, content: content, files: files, clock: clock, onState: onState)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == [])
        return trial
    }

    private static let restore = """
        title: Restore
        inputs: [{name: dump, type: file, required: true}]
        shell: |
          basename "$WEIR_INPUT_DUMP"
          cat "$WEIR_INPUT_DUMP"
          ls -ld "$(dirname "$WEIR_INPUT_DUMP")" "$WEIR_INPUT_DUMP" | cut -c1-10
        succeeded: {show: "{{dump}} is back"}
        """

    @Test func `a program finds its file under its name, where nobody else can read it, until the run is over`()
        async throws
    {
        let trial = try await run(
            Self.restore, Self.file("orders.sql", length: 12), Pieces(["one\ntwo\n", "end\n"]))
        #expect(trial.names == ["waiting", "receiving", "running", "succeeded"])
        #expect(trial.lines == ["orders.sql", "one", "two", "end", "drwx------", "-rw-------"])
        guard case .succeeded(let details) = trial.last else { return #expect(Bool(false), "\(trial.states)") }
        #expect(details.show == "orders.sql is back")
        guard case .active(_, let last) = trial.states.last(where: { $0.name == "receiving" }) else { return }
        #expect(last.progress == WorkProgress(12, of: 12, unit: .bytes))
        #expect(last.values == ["file": "orders.sql"])
    }

    @Test func `the folder of files is made with the first one`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-none-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let trial = try await FileTrial.run(
            Self.restore, Self.file("orders.sql"), content: Pieces(["one\n"]),
            files: folder.appending(path: "data/received"))
        #expect(trial.lines.prefix(2) == ["orders.sql", "one"], "\(trial.message ?? "")")
    }

    @Test(arguments: ["-rf", "a b.sql", ".profile", "$(id)", "\u{202E}lqs.a", " "])
    func `whatever a file is called, it lies in its own folder and is no option`(name: String) async throws {
        let text = """
            title: Show
            inputs: [{name: dump, type: file}]
            command: [ls, "{{dump}}"]
            """
        let trial = try await run(text, Self.file(name), Pieces(["x"]))
        #expect(trial.last?.phase == .succeeded, "\(trial.message ?? "") \(trial.lines)")
        let path = try #require(trial.lines.first)
        #expect(path.hasPrefix("/") && path.split(separator: "/").dropLast().last?.hasPrefix("file-") == true)
    }

    @Test(arguments: ["../../etc/passwd", "/etc/passwd", "a\n.sql", ".."])
    func `a name that leads elsewhere starts no run`(name: String) async {
        await #expect(throws: InputMistakes.self) {
            try await run(Self.restore, Self.file(name), Pieces(["x"]))
        }
    }

    @Test func `each attempt finds the file`() async throws {
        let text = """
            title: Restore
            inputs: [{name: dump, type: file}]
            shell: 'cat "$WEIR_INPUT_DUMP"; exit 1'
            retry: {limit: 2, interval: 1s}
            """
        let trial = try await run(
            text, Self.file("a.sql"), Pieces(["here\n"]), clock: VirtualClock(advancing: .onSleep))
        #expect(trial.lines == ["here", "here", "here"])
        #expect(trial.last?.phase == .failed)
    }

    @Test func `an operation runs without the file if it need not have one`() async throws {
        let text = """
            title: Show
            inputs: [{name: dump, type: file}]
            command: [echo, none, "{{dump}}"]
            """
        let trial = try await run(text, [:], nil)
        #expect(trial.lines == ["none"])
        #expect(trial.names == ["waiting", "running", "succeeded"])
    }

    @Test func `a file that breaks off or is not as long as announced starts no program`() async throws {
        let broken = try await run(
            Self.restore, Self.file("a.sql"), Pieces(["one"], .broken(OperationFailure("The sender stopped."))))
        #expect(broken.message == "The sender stopped.")
        #expect(broken.lines == [])
        let short = try await run(Self.restore, Self.file("a.sql", length: 10), Pieces(["one"]))
        #expect(short.message == "The file is 3 bytes long, and not 10 as announced. Send it again.")
        #expect(short.lines == [])
    }

    @Test func `a run that is started again asks for the file again`() async throws {
        let trial = try await run(Self.restore, Self.file("a.sql"), nil)
        #expect(trial.message?.hasPrefix("The file “a.sql” was removed when its run was over.") == true)
        #expect(trial.lines == [])
    }

    @Test func `a run that is cancelled while its file arrives ends, and starts no program`() async throws {
        let trial = try await run(Self.restore, Self.file("a.sql"), Pieces(["one"], .silent)) { run, state in
            if state.name == "receiving" { run.cancel(.actor("Ana")) }
        }
        #expect(trial.last == .cancelled)
        #expect(trial.lines == [])
    }

    @Test func `a file is told from other inputs when the operation's file is read`() {
        #expect(
            FileTrial.mistakes(
                """
                title: T
                inputs:
                  - {name: a, type: file, default: x}
                  - {name: b, type: file}
                command: [cat, "{{a}}"]
                """) == [
                    "3:36: A file cannot have a `default`. Let the program use a file of its own if there is none.",
                    "4:21: An operation takes one file. Remove the other input.",
                ])
        #expect(
            FileTrial.mistakes(
                """
                title: T
                type: http
                inputs: [{name: a, type: file}]
                request: {url: "https://weir.example/"}
                """) == [
                    "3:26: Only a program, as `command` or `shell`, is given a file. Change the type of the input."
                ])
    }
}
