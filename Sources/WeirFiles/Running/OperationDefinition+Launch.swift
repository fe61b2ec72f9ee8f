import Foundation
import WeirOperations
import WeirStates
import WeirTelemetry

extension OperationDefinition {
    /// The command of one run; throws `OperationFailure` that names the unusable value.
    func launch(
        _ input: CommandInput, in environment: CommandEnvironment, states pipe: String?
    ) throws(OperationFailure) -> CommandLaunch {
        for field in fields {
            guard let text = input.text(field.name) else { continue }
            if text.utf8.contains(0) {
                throw OperationFailure(
                    "“\(field.label)” holds a NUL character, which no program can be given. Remove it.")
            }
        }
        var launch = CommandLaunch(try arguments(input))
        launch.environment = try variables(input, environment, pipe)
        launch.directory = folder(in: environment.folder)
        launch.input = self.input.map { Array(($0.filled { input.text($0) ?? "" } ?? "").utf8) }
        launch.terminal = hasTerminal ? CommandLaunch.Terminal() : nil
        launch.limits = limits
        launch.umask = umask ?? environment.umask
        launch.user = user
        launch.keepsOthers = keepsOthers
        launch.stopSignal = stopSignal
        launch.stopGracePeriod = stopGracePeriod
        if let mistake = launch.mistake { throw OperationFailure(mistake) }
        return launch
    }

    func folder(in base: URL) -> String {
        guard let directory else { return base.path }
        return URL(filePath: directory, directoryHint: .isDirectory, relativeTo: base).standardizedFileURL.path
    }

    private func arguments(_ input: CommandInput) throws(OperationFailure) -> [String] {
        guard case .command(let arguments) = program else {
            guard case .shell(let text) = program else { return [] }
            return ["/bin/sh", "-c", text]
        }
        var words: [String] = []
        var hasEndedOptions = false
        for argument in arguments {
            if case .group(let condition, _) = argument, !input.has(condition) { continue }
            for template in argument.templates {
                // Optional inputs without a value remove their argument.
                guard let word = template.filledInPart({ value(of: $0, input) }) else { continue }
                try check(word, template, input, hasEndedOptions)
                if word == "--", template.fields.isEmpty { hasEndedOptions = true }
                words.append(word)
            }
        }
        return words
    }

    /// The value of a field in an argument: an empty value that a step was given keeps its place.
    private func value(of field: String, _ input: CommandInput) -> String? {
        input.text(field) ?? (isStep && input.values[field] == "" ? "" : nil)
    }

    /// Rejects values that the program could mistake for an option, and values that no program can receive.
    private func check(
        _ word: String, _ template: TextTemplate, _ input: CommandInput, _ hasEndedOptions: Bool
    ) throws(OperationFailure) {
        // Of adjacent fields, the argument begins with the first that has a value.
        let given = template.fields.first { input.text($0) != nil }
        guard let name = given ?? template.fields.first else { return }
        let label = fields.first { $0.name == name }?.label ?? name
        if template.beginsWithField, !hasEndedOptions, word.hasPrefix("-"), !isNumber(name) {
            throw OperationFailure(
                "“\(label)” begins with a hyphen, which the program could take for an option. Give another value, or put -- "
                    + "before it in the file of the operation.")
        }
        if word.utf8.count >= CommandLaunch.maximumWordBytes {
            throw OperationFailure(
                "“\(label)” makes an argument of \(word.utf8.count) bytes; a program takes at most 131,071. Give a "
                    + "shorter value.")
        }
    }

    /// Whether a field is a number, which can be negative.
    private func isNumber(_ name: String) -> Bool {
        switch fields.first(where: { $0.name == name })?.kind {
        case .integer, .number: true
        default: false
        }
    }

    private var readsVariables: Bool { if case .shell = program { true } else { isLiteral } }

    private func variables(
        _ input: CommandInput, _ environment: CommandEnvironment, _ pipe: String?
    ) throws(OperationFailure) -> [String: String] {
        var variables = environment.variables
        // The helper sets it to the user's.
        if user != nil { variables["HOME"] = nil }
        variables["PYTHONUNBUFFERED"] = "1"
        if hasTerminal { variables["TERM"] = "xterm-256color" }
        variables["WEIR_STATES"] = pipe
        if let place = TraceParent.current { variables[TraceParent.variable] = "\(place)" }
        if readsVariables {
            for field in fields {
                variables[DefinitionReader.variable(for: field.name)] = input.text(field.name)
            }
        }
        for (name, template) in self.environment {
            guard let value = template.filledInPart({ value(of: $0, input) }) else { continue }
            variables[name] = value
        }
        for (name, value) in variables where name.utf8.count + value.utf8.count + 1 >= CommandLaunch.maximumWordBytes {
            throw OperationFailure(
                "The variable \(name) would be \(value.utf8.count) bytes long; a program takes at most 131,071. Give a "
                    + "shorter value, or pass it on standard input.")
        }
        return variables
    }
}
