package import WeirFlows
package import WeirOperations
import WeirStates

/// Runs the program that a file declares, and shows every state that it passes through.
package struct CommandOperation: OutputOperation, DeclaredStates {
    /// What the file declares.
    package let definition: OperationDefinition
    private let environment: CommandEnvironment
    private let clock: any Clock<Duration>

    /// Makes an operation of a definition.
    ///
    /// - Parameters:
    ///   - definition: What the file declares.
    ///   - environment: What the program runs in.
    ///   - clock: Measures the time between attempts.
    package init(
        _ definition: OperationDefinition, in environment: CommandEnvironment,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.definition = definition
        self.environment = environment
        self.clock = clock
    }

    /// The fields that the file declares.
    package var inputFields: [InputField] { definition.fields }

    /// The states that every program has, and those that the file declares.
    package var stateSamples: [CommandState] {
        let own = definition.stateOrder.map { name -> CommandState in
            let rule = definition.states[name]
            let groups = Set((rule?.patterns ?? []).flatMap { $0.groups.map(\.name) })
            // What a program reports by itself is known as far as the text of the state names it.
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
        // In the order of a run: what the file declares comes after the program has begun.
        let begun = usual.count - CommandState.samples.count + 2
        return Array(usual.prefix(begun)) + own + usual.dropFirst(own.isEmpty ? begun : begun + 1)
    }

    /// The arrival of a file that need not be given.
    package var stateDetours: Set<String> {
        definition.fields.contains { $0.kind == .file && !$0.isRequired } ? [CommandState.receiving] : []
    }

    package func perform(
        _ input: CommandInput, state: MutableStateFlow<CommandState>, output: OutputWriter
    ) async throws {
        guard let helper = environment.helper else {
            throw OperationFailure(CommandHelper.NotFound().description)
        }
        let run = CommandRun(
            definition: definition, input: input, environment: environment, helper: helper, clock: clock,
            output: output,
            reporter: StateReporter(StateTracker(definition, input), flow: state))
        // The program's last words are still read and printed when this task is cancelled.
        let work = Task { try await run.perform() }
        let end = try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            run.stopSwitch.stop()
        }
        state.update { last in last == .stopping || last.phase.isEnded ? last : end }
    }
}
