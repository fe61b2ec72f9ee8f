import Foundation
import Logging
import Testing
import WeirAccess
@testable import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirCommand

/// A secret that a run is given stands in no file afterwards, whatever the run does with it.
@Suite(.timeLimit(.minutes(15))) struct SecretTests {
    private struct Failure: ExplainedError {
        let description: String
    }

    private struct Leaky: OutputOperation {
        struct Input: OperationInput {
            var user: String
            var password: String

            static let fields = [
                InputField("user", "User", .text(), required: true),
                InputField("password", "Password", .secret(), required: true),
            ]
        }

        enum State: OperationState {
            case none
            case working(note: String)
            case done
            case failed(message: String)
            case cancelled

            static let initial = State.none
            static let samples: [State] = [.none, .working(note: "x"), .done, .failed(message: "x"), .cancelled]
            static func failed(_ error: any Error) -> State { .failed(message: error.explanation) }
            static func cancelled(from state: State) -> State { .cancelled }

            var phase: Phase {
                switch self {
                case .none: .idle
                case .working: .active
                case .done: .succeeded
                case .failed: .failed
                case .cancelled: .cancelled
                }
            }
        }

        func perform(_ input: Input, state: MutableStateFlow<State>, output: OutputWriter) async throws {
            state.value = .working(note: "signing in with \(input.password)")
            await output.write("user \(input.user), password \(input.password)\nline two \(input.password)")
            output.offer(Data(input.password.utf8).base64EncodedString())
            throw Failure(description: "The server said: \(input.password) is wrong")
        }
    }

    @Test func `a secret is in no file of the data folder, no export and no record after it was used everywhere`()
        async throws
    {
        let canary = "canary-7f3e9a51c2"
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-secret-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let journal = try await SQLiteJournal.open(at: folder.appending(path: "journal.sqlite").path) {
            Timestamp(Date())
        }
        var catalog = Catalog()
        catalog.add(Leaky(), id: "leaky", title: "Leaky", summary: "Leaks.")
        let board = try await Board.open(catalog: catalog, journal: journal)
        let input: JSONValue = ["user": "ana", "password": .string(canary)]
        let receipt = try await board.start("leaky", input: input, actor: "test", idempotencyKey: "k")
        await board.outcome(of: receipt.run)
        let view = try await board.view(of: receipt.run)
        #expect(view.record.opening.input == ["user": "ana"])
        #expect(view.record.state.payload["message"]?.string == "The server said: ••• is wrong")
        var export = ""
        _ = try await board.export(receipt.run) { export += $0 }
        #expect(export.contains("•••"))
        // A retry asks for it again.
        await #expect(throws: BoardError.self) { try await board.retry(receipt.run, actor: "test") }
        let again = try await board.retry(receipt.run, input: input, actor: "test")
        await board.outcome(of: again.run)
        do {
            _ = try await board.start("leaky", input: ["user": 1, "password": .string(canary)], actor: "test")
        } catch {
            #expect(!"\(error)".contains(canary))
        }
        await board.shutdown()
        await journal.close()
        let forms = [canary, Data(canary.utf8).base64EncodedString()]
        for form in forms {
            #expect(!export.contains(form))
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(!files.isEmpty)
            for file in files {
                let data = try Data(contentsOf: folder.appending(path: file))
                #expect(data.range(of: Data(form.utf8)) == nil, "\(file) has \(form)")
            }
        }
    }

    @Test func `a secret that the server keeps is given where nobody gives one, and its absence is told`()
        async throws
    {
        let canary = "canary-1d7b40ce96"
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-kept-\(UUID())")
        let files = folder.appending(path: "operations")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let text = """
            title: Leak
            inputs: [{name: password, type: secret, required: true, kept: leak}]
            shell: 'echo "it is $WEIR_INPUT_PASSWORD"'
            """
        try Data(text.utf8).write(to: files.appending(path: "leak.yml"))
        let settings = try Settings(
            flags: ["operations": files.path, "data": folder.path], environment: [:], file: nil)
        var catalog = Catalog()
        try OperationFolderService(settings, config: nil, environment: [:]).add(to: &catalog)
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal(epoch: "keptsecret001"))
        let error = await #expect(throws: BoardError.self) {
            try await board.start("leak", input: [:], actor: "schedule")
        }
        #expect(error?.fields.first?.detail.contains("weir secret set leak") == true)
        try KeptSecrets(folder.appending(path: "secrets.json")).set("leak", to: canary)
        let first = try await board.start("leak", input: [:], actor: "schedule")
        await board.outcome(of: first.run)
        let again = try await board.retry(first.run, actor: "test")
        let given = try await board.start("leak", input: ["password": "another-canary"], actor: "test")
        for run in [first, again, given] {
            await board.outcome(of: run.run)
            let view = try await board.view(of: run.run)
            #expect(view.record.state.phase == .succeeded)
            #expect(view.record.opening.input == [:])
            var export = ""
            _ = try await board.export(run.run) { export += $0 }
            #expect(export.contains("it is •••") && !export.contains("canary"))
        }
        await board.shutdown()
    }

    @Test func `a change that cannot be undone is told of, and the first error is kept`() async throws {
        var complaints: [String] = []
        await #expect(throws: JournalError.self) {
            try await SecretCommands.doing {
                throw JournalError(.unavailable, "The audit log is away.")
            } orUndoing: {
                throw Failure(description: "The disk is full.")
            } complaint: {
                complaints.append("\($0)")
            }
        }
        #expect(complaints == ["The disk is full."])
    }
}
