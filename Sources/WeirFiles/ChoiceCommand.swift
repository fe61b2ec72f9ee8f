import Foundation
import NIOCore
import WeirOperations
import WeirStandard
import WeirStates

/// A program that prints the values of a choice, one per line.
///
/// It runs for each combination of the values of other choices that its arguments refer to.
struct ChoiceCommand: Sendable, Hashable {
    let arguments: [TextTemplate]
    /// How long its values are valid.
    let cache: Duration

    static let timeout = Duration.seconds(10)
    /// The maximum number of values, and of characters in a value.
    static let (count, length) = (500, 200)
    /// The maximum number of combinations of other choices.
    static let combinations = 50
    static let bytes = 131_072

    struct Failure: Error, Hashable {
        let sentence: String
        var isLate = false
    }

    /// The other choices that its arguments refer to, without duplicates.
    var fields: [String] {
        var known: Set<String> = []
        return arguments.flatMap(\.fields).filter { known.insert($0).inserted }
    }

    /// Runs the program and returns its values in order, without empty lines and duplicates.
    ///
    /// Cancelling the task stops the program.
    func values(
        beside conditions: [ChoiceGroup.Condition], in environment: CommandEnvironment, at folder: String,
        clock: any Clock<Duration>
    ) async throws(Failure) -> [String] {
        guard let helper = environment.helper else { throw Failure(sentence: CommandHelper.NotFound().description) }
        let words = try words(conditions)
        var launch = CommandLaunch(words, environment: environment.variables)
        launch.directory = folder
        launch.umask = environment.umask
        launch.stopGracePeriod = .seconds(1)
        if let mistake = launch.mistake { throw Failure(sentence: mistake) }
        let name = words.first ?? ""
        let command: RunningCommand
        do {
            command = try await RunningCommand.start(launch, by: helper)
        } catch let failure as CommandFailure {
            throw Failure(sentence: failure.sentence(running: name))
        } catch {
            throw Failure(sentence: "The program “\(name)” could not be started.")
        }
        let limit = Task {
            try await clock.sleep(for: Self.timeout)
            command.stop()
            return true
        }
        let (printed, complaint, end) = await withTaskCancellationHandler {
            async let errors = Self.text(of: command.errors)
            let printed = await Self.text(of: command.output)
            return (printed, await errors ?? "", await command.end())
        } onCancel: {
            command.stop()
        }
        limit.cancel()
        if (try? await limit.value) == true {
            throw Failure(sentence: "The program “\(name)” took longer than 10 s and was stopped.", isLate: true)
        }
        switch end {
        case .exited(0, _): break
        case .exited(let code, _):
            let last = complaint.split(whereSeparator: \.isNewline).last.map { String($0).inert(limit: 200) }
            let said = last.map { " It said: \($0)" } ?? ""
            throw Failure(sentence: "The program “\(name)” ended with exit code \(code).\(said)")
        case .signalled(let signal, _):
            throw Failure(sentence: "The program “\(name)” was ended by the signal \(signal).")
        case .notStarted(let failure): throw Failure(sentence: failure.sentence(running: name))
        case .lost: throw Failure(sentence: "The exit status of “\(name)” is unknown.")
        }
        guard let printed else {
            throw Failure(sentence: "The program “\(name)” printed more than 128 KiB.")
        }
        let values = try Self.values(in: printed, of: name)
        // With conditions, an empty list is valid.
        if values.isEmpty, conditions.isEmpty { throw Failure(sentence: "The program “\(name)” printed no values.") }
        return values
    }

    private func words(_ conditions: [ChoiceGroup.Condition]) throws(Failure) -> [String] {
        var words: [String] = []
        for template in arguments {
            guard let word = template.filled({ name in conditions.first { $0.field == name }?.value }) else {
                throw Failure(
                    sentence: "More than \(Self.combinations) combinations of values can be chosen beside it. Let it "
                        + "depend on fewer.")
            }
            if template.beginsWithField, word.hasPrefix("-"), !words.contains("--") {
                throw Failure(
                    sentence: "“\(word)” begins with a hyphen, which the program could take for an option. Write -- "
                        + "before it.")
            }
            words.append(word)
        }
        return words
    }

    static func values(in text: String, of name: String) throws(Failure) -> [String] {
        var known: Set<String> = []
        let values = text.split(whereSeparator: \.isNewline).map { Substring(String($0).withoutEscapes).trimmingSpaces }
            .filter { !$0.isEmpty && known.insert($0).inserted }
        guard values.count <= count else {
            throw Failure(sentence: "The program “\(name)” printed more than \(count) different lines.")
        }
        guard values.allSatisfy({ $0.unicodeScalars.count <= length && !$0.utf8.contains { $0 < 0x20 } }) else {
            throw Failure(
                sentence:
                    "The program “\(name)” printed a line of more than \(length) characters, or with control characters."
            )
        }
        return values
    }

    /// The output of a pipe, which is read to its end, or nil if it exceeds the limit.
    private static func text(of pipe: CommandPipe?) async -> String? {
        var all = ByteBuffer()
        var isTooMuch = false
        while let buffer = await pipe?.next() {
            isTooMuch = isTooMuch || all.readableBytes + buffer.readableBytes > bytes
            if !isTooMuch { all.writeImmutableBuffer(buffer) }
        }
        return isTooMuch ? nil : String(buffer: all)
    }
}

extension DefinitionReader {
    /// Reads the programs that list the values of choices, by field.
    mutating func choices(_ inputs: [DeclaredInput]) -> [String: ChoiceCommand] {
        take(inputs)
        defer { take([]) }
        var choices: [String: ChoiceCommand] = [:]
        for input in inputs {
            guard let options = input.place["options"], let command = options["command"],
                let arguments = self.command(command)
            else { continue }
            choices[input.field.name] = ChoiceCommand(
                arguments: arguments.flatMap(\.templates), cache: options["cache"]?.duration ?? .seconds(60))
        }
        for input in inputs {
            guard let choice = choices[input.field.name] else { continue }
            checkFields(of: choice, input.field, choices, input.place["options"]?["command"] ?? input.place)
        }
        return choices
    }

    /// Reports dependencies on inputs without a fixed list of values.
    private mutating func checkFields(
        of choice: ChoiceCommand, _ input: InputField, _ choices: [String: ChoiceCommand], _ place: FileValue
    ) {
        var count = 1
        for name in choice.fields {
            if fields[name]?.takesSeveral == true || input.takesSeveral {
                list.note(
                    place,
                    "A list of values cannot depend on `choices`, and those of `choices` on no other input. Remove "
                        + "{{\(name)}}.")
            } else if let other = choices[name] {
                guard !other.fields.isEmpty else { continue }
                list.note(
                    place,
                    "The values of “\(name)” depend on another input themselves, and a list cannot depend on those. Use "
                        + "an input whose values are the same whatever is chosen elsewhere.")
            } else if case .choice(let values) = fields[name]?.kind {
                let (product, isOver) = count.multipliedReportingOverflow(by: values.count)
                count = isOver ? .max : product
            } else if fields[name] != nil {
                list.note(
                    place,
                    "The program is run for each value that {{\(name)}} can have, so that must be a choice. Give it "
                        + "`options`.")
            }
        }
        if count > ChoiceCommand.combinations {
            list.note(
                place,
                "The program would be run for \(count) combinations of values, and at most "
                    + "\(ChoiceCommand.combinations) are possible. Depend on fewer values.")
        }
    }
}
