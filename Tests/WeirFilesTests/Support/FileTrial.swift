import Foundation
import Testing
import WeirBoards
import WeirFlows
import WeirOperations
import WeirStates
@testable import WeirFiles

/// An operation of a file's text that is run once: its states, its output and its end.
struct FileTrial {
    let states: [CommandState]
    let lines: [String]
    let outcome: RunOutcome

    /// Keeps the lines that are printed, with the channel unless it is standard output.
    final class Output: PieceSink {
        private let printed = Locked<[String]>([])
        private let open = Locked<[OutputChannel: String]>([:])

        var lines: [String] { printed.withLock { $0 } }

        func write(_ line: String, to channel: OutputChannel) async {
            printed.withLock { $0.append(channel == .standardOutput ? line : "\(channel.rawValue): \(line)") }
        }

        func write(_ piece: String, to channel: OutputChannel, continues: Bool) async -> Int64? {
            let line = open.withLock { open -> String? in
                let line = (open.removeValue(forKey: channel) ?? "") + piece
                if continues { open[channel] = line }
                return continues ? nil : line
            }
            if let line { await write(line, to: channel) }
            return Int64(lines.count)
        }

        func show(unfinished text: String, on channel: OutputChannel) {}

        func offer(_ line: String, to channel: OutputChannel) -> Bool { false }
    }

    /// Keeps the states.
    private final class States: Sendable {
        private let passed = Locked<[CommandState]>([])
        private let subscription = Locked<FlowSubscription?>(nil)

        var all: [CommandState] { passed.withLock { $0 } }

        func follow(_ run: Run<CommandState>, _ onState: @escaping @Sendable (Run<CommandState>, CommandState) -> Void)
        {
            let subscription = run.state.subscribe(.lossless) { [weak self, weak run] state in
                self?.passed.withLock { $0.append(state) }
                if let run { onState(run, state) }
            }
            self.subscription.withLock { $0 = subscription }
        }
    }

    /// Runs the operation of a file's text to its end, and calls `onState` with each state, in order.
    ///
    /// Time stands still, so that what is in the pipe of states is read however slow that is; a program that must wait,
    /// to be tried again or because it names very many states, needs a clock that goes on by itself.
    static func run(
        _ text: String, _ input: JSONValue = [:], folder: URL = FileManager.default.temporaryDirectory,
        content: (any FileContent)? = nil, files: URL? = nil, umask: FileMask? = nil,
        clock: any Clock<Duration> = VirtualClock(), timeout: Duration? = nil, artifacts: ArtifactStore? = nil,
        onState: @escaping @Sendable (Run<CommandState>, CommandState) -> Void = { _, _ in }
    ) async throws -> FileTrial {
        let definition = try definition(text)
        let environment = CommandEnvironment(
            folder: folder, environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], helper: try CommandHelper(),
            filesFolder: files, umask: umask, artifacts: artifacts)
        let operation = CommandOperation(definition, in: environment, clock: clock)
        let runner = OperationRunner(operation, reentry: definition.reentry, timeout: timeout, clock: clock)
        let values = try InputField.validate(input, fields: definition.fields)
        let (output, states) = (Output(), States())
        let run = try runner.start(CommandInput(values.object ?? [:], content: content, run: "r1")) { run in
            run.print(to: output)
            states.follow(run, onState)
        }
        let outcome = await run.outcome()
        return FileTrial(states: states.all, lines: output.lines, outcome: outcome)
    }

    /// The operation of a text that has no mistakes.
    static func definition(_ text: String) throws -> OperationDefinition {
        let (definition, mistakes) = DefinitionReader.read(text, id: "trial", file: "trial.yml")
        #expect(mistakes.isEmpty)
        return try #require(definition)
    }

    /// The mistakes of a text, as `line:column: detail`.
    static func mistakes(_ text: String) -> [String] {
        DefinitionReader.read(text, id: "trial", file: "trial.yml").1.map { "\($0.line):\($0.column): \($0.detail)" }
    }

    /// The names of the states, in order, each once in a row.
    var names: [String] {
        states.map(\.name).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    var last: CommandState? { states.last }

    /// What a failed run says.
    var message: String? {
        guard case .failed(let problem) = states.last else { return nil }
        return problem.message
    }
}
