package import Foundation
package import WeirBoards
package import WeirFlows
package import WeirOperations
package import WeirStates

/// Runs a declared program and shows the states that it passes through.
package struct CommandOperation: OutputOperation, DeclaredStates, LimitedOutput {
    let definition: OperationDefinition
    private let environment: CommandEnvironment
    private let clock: any Clock<Duration>

    package init(
        _ definition: OperationDefinition, in environment: CommandEnvironment,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.definition = definition
        self.environment = environment
        self.clock = clock
    }

    package var inputFields: [InputField] { definition.fields }

    package var maximumOutput: ByteCount? { definition.maximumOutput }

    package var stateSamples: [CommandState] {
        let own = definition.stateOrder.map { name -> CommandState in
            let rule = definition.states[name]
            let groups = Set((rule?.patterns ?? []).flatMap { $0.groups.map(\.name) })
            // Of the values that a program reports without a declaration, only those in the state's text are known.
            let shown = Set(rule?.show?.fields ?? []).subtracting(definition.fields.map(\.name))
            let values = groups.union(shown).subtracting(["completed", "total"]).map { ($0, JSONValue.string($0)) }
            return .active(
                name,
                StateDetails(
                    show: rule?.show?.filled { $0 } ?? "An example of a text", values: Dictionary(values) { $1 },
                    progress: groups.contains("completed")
                        ? WorkProgress(40, of: 100, unit: rule?.unit ?? .items) : nil))
        }
        var usual = CommandState.samples
        if definition.fields.contains(where: { $0.kind == .file }), definition.states[CommandState.receiving] == nil {
            usual.insert(
                .active(
                    CommandState.receiving,
                    StateDetails(values: ["file": "a.bin"], progress: WorkProgress(40, of: 100, unit: .bytes))),
                at: 1)
        }
        // In the order of a run, declared states follow the start of the program.
        let begun = usual.count - CommandState.samples.count + 2
        return Array(usual.prefix(begun)) + own + usual.dropFirst(own.isEmpty ? begun : begun + 1)
    }

    /// The reception of an optional file.
    package var stateDetours: Set<String> {
        definition.fields.contains { $0.kind == .file && !$0.isRequired } ? [CommandState.receiving] : []
    }

    package func perform(
        _ input: CommandInput, state: MutableStateFlow<CommandState>, output: OutputWriter
    ) async throws {
        guard let helper = environment.helper else {
            throw OperationFailure(CommandHelper.NotFound().description)
        }
        let tracker = StateTracker(definition, input)
        let run = CommandRun(
            definition: definition, input: input, environment: environment, helper: helper, clock: clock,
            output: output, reporter: StateReporter(tracker, flow: state), mask: tracker.mask,
            keeper: keeper(input, tracker.mask), stopwatch: clock.stopwatch())
        // The output is read to its end even when this task is cancelled.
        // A run that paused when the last process ended continues with the pause.
        let pending = state.value.pendingRetry
        let work = Task { try await run.perform(after: pending) }
        let end = try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            run.stopSwitch.stop()
        }
        state.update { last in last.isStopping ? last.keeping(end.artifacts) : last.phase.isEnded ? last : end }
    }

    private func keeper(_ input: CommandInput, _ mask: SecretMask) -> ArtifactKeeper? {
        guard let store = environment.artifacts, let run = input.run, let patterns = definition.artifacts else {
            return nil
        }
        return ArtifactKeeper(
            store, run: run, folder: definition.folder(in: environment.folder), patterns, user: definition.user,
            mask: mask)
    }
}

/// The environment that all commands of a server share.
package struct CommandEnvironment: Sendable {
    /// The folder of operation files, which is the working directory of programs.
    let folder: URL
    /// The folder of the pipes for state reports.
    let temporaryFolder: URL
    /// The folder of the files that runs receive, each in a folder of its own.
    let filesFolder: URL
    /// The store of files that runs keep, or nil if they keep none.
    let artifacts: ArtifactStore?
    /// The helper, or nil if it is missing.
    package let helper: CommandHelper?
    /// `PATH`, `HOME` and `LANG`, as far as the server has them.
    let variables: [String: String]
    /// The umask of programs, or nil for the server's.
    let umask: FileMask?

    /// Creates an environment; `filesFolder` is the temporary folder by default.
    package init(
        folder: URL, environment: [String: String], helper: CommandHelper?,
        temporaryFolder: URL = FileManager.default.temporaryDirectory, filesFolder: URL? = nil, umask: FileMask? = nil,
        artifacts: ArtifactStore? = nil
    ) {
        self.artifacts = artifacts
        self.folder = folder.standardizedFileURL
        self.helper = helper
        self.umask = umask
        self.temporaryFolder = temporaryFolder
        self.filesFolder = (filesFolder ?? temporaryFolder).absoluteURL.standardizedFileURL
        var variables = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]
        for name in ["PATH", "HOME", "LANG"] { variables[name] = environment[name] ?? variables[name] }
        self.variables = variables
    }
}

/// The input of a declared operation: values by field.
package struct CommandInput: OperationInput {
    /// Empty, because each operation has its own fields.
    package static var fields: [InputField] { [] }
    private(set) var values: [String: JSONValue]
    /// The contents of the file, or nil if only the recorded input is available.
    private let content: (any FileContent)?
    /// The id of the run, or nil if it is unknown.
    let run: String?

    init(_ values: [String: JSONValue], content: (any FileContent)? = nil, run: String? = nil) {
        self.values = values
        self.content = content
        self.run = run
    }

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        content = decoder.userInfo[.fileContent] as? any FileContent
        run = decoder.userInfo[.run] as? String
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }

    /// The value of a field as text for a program, or nil if absent.
    func text(_ field: String) -> String? {
        switch values[field] {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        // A file is represented by its name.
        case .object(let members): members["filename"]?.string
        case .array(let list): list.isEmpty ? nil : JSONValue.array(list).formText
        case .null, nil: nil
        }
    }

    func file(_ field: String) throws -> FileInput? {
        guard let value = values[field], value.object != nil else { return nil }
        let file = try value.decode(FileInput.self)
        return FileInput(
            id: file.id, filename: file.filename, length: file.length, contentType: file.contentType, content: content)
    }

    /// Replaces a file by the path at which a program finds it.
    func with(_ file: ReceivedFile, in field: String) -> CommandInput {
        var input = self
        input.values[field] = .string(file.path)
        return input
    }

    /// Whether a field has a value other than false.
    func has(_ field: String) -> Bool { text(field).map { $0 != "false" || values[field]?.bool == nil } ?? false }
}
