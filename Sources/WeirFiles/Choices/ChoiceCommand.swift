import Foundation
import NIOCore
import WeirOperations
import WeirStandard

/// A program that prints the values of a choice, one in each line.
///
/// Other choices can stand in its arguments. It is then run for each combination of their values.
struct ChoiceCommand: Sendable, Hashable {
    /// The program and its arguments.
    let arguments: [TextTemplate]
    /// How long what it printed counts.
    let cache: Duration

    /// How long it may take.
    static let timeout = Duration.seconds(10)
    /// How many values there are at most, and how many characters each has.
    static let (count, length) = (500, 200)
    /// For how many combinations of other choices it is run at most.
    static let combinations = 50
    /// How much of what it prints is read.
    static let bytes = 131_072

    /// Why there are no values, in a sentence.
    struct Failure: Error, Hashable {
        let sentence: String
        /// Whether the program exceeded its time limit.
        var isLate = false
    }

    /// The other choices that stand in it, each once.
    var fields: [String] {
        var known: Set<String> = []
        return arguments.flatMap(\.fields).filter { known.insert($0).inserted }
    }

    /// Runs it; stops it when the task is cancelled.
    ///
    /// Empty lines are left out, and lines that come again.
    /// - Parameters:
    ///   - conditions: The values of the other choices.
    ///   - environment: What it runs in.
    ///   - folder: Where it runs.
    ///   - clock: Measures how long it takes.
    /// - Returns: The values, in order.
    /// - Throws: ``Failure`` with what is wrong.
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
        case .lost: throw Failure(sentence: "Nobody knows how “\(name)” ended.")
        }
        guard let printed else {
            throw Failure(sentence: "The program “\(name)” printed more than 128 KiB.")
        }
        let values = try Self.values(in: printed, of: name)
        // Beside some values of others there may well be nothing.
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

    /// The values that a text lists.
    static func values(in text: String, of name: String) throws(Failure) -> [String] {
        var known: Set<String> = []
        let values = text.split(whereSeparator: \.isNewline).map { Substring($0).trimmingSpaces }
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

    /// What a program prints; nil if it is too much, which is read to its end all the same.
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
