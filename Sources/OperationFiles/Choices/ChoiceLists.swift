import Flows
import Foundation
import Operations

/// What the programs of choices have printed last.
///
/// A list counts as long as its file says; then its program is run again. A program that fails leaves the list as it was.
package final class ChoiceLists: Sendable {
    /// Which list: that of a choice, beside certain values of others.
    private struct Key: Hashable {
        let operation: String
        let field: String
        let command: ChoiceCommand
        var conditions: [ChoiceGroup.Condition] = []
    }

    private struct Entry {
        var values: [String]
        var failure: String?
        var due: ContinuousClock.Instant
    }

    /// What came of running the programs that were due.
    package struct Refresh: Sendable {
        /// Whether a list is another one than before, or there is none any more.
        package fileprivate(set) var isChanged = false
        /// What went wrong for the first time, in sentences.
        package fileprivate(set) var failures: [String] = []
    }

    /// How many programs run at a time.
    private static let width = 4

    private let environment: CommandEnvironment
    private let clock: any Clock<Duration>
    private let entries = Locked<[Key: Entry]>([:])

    /// Knows no list yet.
    ///
    /// - Parameters:
    ///   - environment: What the programs run in.
    ///   - clock: Measures how long they take.
    package init(in environment: CommandEnvironment, clock: any Clock<Duration> = ContinuousClock()) {
        self.environment = environment
        self.clock = clock
    }

    /// Runs the programs that are due.
    ///
    /// Suspends until all have ended, at most some seconds for each.
    /// - Parameters:
    ///   - definitions: The operations whose choices count.
    ///   - now: The time at which they are due.
    /// - Returns: What came of it.
    package func refresh(_ definitions: [OperationDefinition], now: ContinuousClock.Instant = .now) async -> Refresh {
        var refresh = Refresh()
        var known: Set<Key> = []
        // Beside which values the others are listed is known when the first have been.
        for isFirst in [true, false] {
            let lists = definitions.flatMap { definition in
                definition.choices.sorted { $0.key < $1.key }.filter { $1.fields.isEmpty == isFirst }
                    .flatMap { keys(of: $0, $1, in: definition) }
                    .map { ($0, definition.folder(in: environment.folder)) }
            }
            known.formUnion(lists.map(\.0))
            await run(lists, now: now, &refresh)
        }
        entries.withLock { [known] entries in entries = entries.filter { known.contains($0.key) } }
        return refresh
    }

    /// The lists of a choice: one for each combination of values of the choices that stand in its command.
    ///
    /// Too many combinations make a single list without conditions, which cannot be had.
    private func keys(of field: String, _ command: ChoiceCommand, in definition: OperationDefinition) -> [Key] {
        var combinations: [[ChoiceGroup.Condition]] = [[]]
        for name in command.fields {
            let values = values(of: name, in: definition)
            combinations = combinations.flatMap { before in
                values.map { before + [ChoiceGroup.Condition(field: name, value: $0)] }
            }
            guard combinations.count <= ChoiceCommand.combinations else {
                combinations = [[]]
                break
            }
        }
        return combinations.map { Key(operation: definition.id, field: field, command: command, conditions: $0) }
    }

    private func values(of field: String, in definition: OperationDefinition) -> [String] {
        if let command = definition.choices[field] {
            let key = Key(operation: definition.id, field: field, command: command)
            return entries.withLock { $0[key]?.values ?? [] }
        }
        guard case .choice(let values) = definition.fields.first(where: { $0.name == field })?.kind else { return [] }
        return values
    }

    private func run(_ lists: [(Key, folder: String)], now: ContinuousClock.Instant, _ refresh: inout Refresh) async {
        let due = entries.withLock { entries in lists.filter { (entries[$0.0]?.due).map { $0 <= now } ?? true } }
        await withTaskGroup(of: (Key, Result<[String], ChoiceCommand.Failure>).self) { group in
            var rest = due.makeIterator()
            func begin() {
                guard let (key, folder) = rest.next() else { return }
                group.addTask { [environment, clock] in
                    do throws(ChoiceCommand.Failure) {
                        let values = try await key.command.values(
                            beside: key.conditions, in: environment, at: folder, clock: clock)
                        return (key, .success(values))
                    } catch {
                        return (key, .failure(error))
                    }
                }
            }
            for _ in 0..<Self.width { begin() }
            while let (key, result) = await group.next() {
                note(result, of: key, due: now + key.command.cache, in: &refresh)
                begin()
            }
        }
    }

    private func note(
        _ result: Result<[String], ChoiceCommand.Failure>, of key: Key, due: ContinuousClock.Instant,
        in refresh: inout Refresh
    ) {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry(values: [], due: due)
            let before = entry
            entry.due = due
            switch result {
            case .success(let values): (entry.values, entry.failure) = (values, nil)
            case .failure(let failure):
                entry.failure = failure.sentence
                if before.failure != failure.sentence {
                    let beside = key.conditions.map { " with “\($0.value)” as “\($0.field)”" }.joined(separator: " and")
                    refresh.failures.append(
                        "The values of “\(key.field)” of the operation “\(key.operation)” could not be listed\(beside). "
                            + failure.sentence)
                }
            }
            entries[key] = entry
            if entry.values != before.values || entry.failure != before.failure { refresh.isChanged = true }
        }
    }

    /// An operation with the values that its choices have at this moment.
    package func filling(_ definition: OperationDefinition) -> OperationDefinition {
        guard !definition.choices.isEmpty else { return definition }
        let lists = definition.choices.reduce(into: [String: (groups: [ChoiceGroup], failure: String?)]()) {
            lists, choice in
            let keys = keys(of: choice.key, choice.value, in: definition)
            let found = entries.withLock { entries in keys.compactMap { key in entries[key].map { (key, $0) } } }
            lists[choice.key] = (
                found.map { ChoiceGroup($1.values, beside: $0.conditions) }.filter { !$0.values.isEmpty },
                found.lazy.compactMap(\.1.failure).first
            )
        }
        return definition.with(choices: lists)
    }

    /// Names the lists: another text for other lists.
    var edition: String {
        entries.withLock { entries in
            entries.map { key, entry in
                "\(key.operation) \(key.field) \(key.conditions.map(\.value)) \(entry.values) \(entry.failure ?? "")"
            }.sorted()
        }.joined(separator: "\n")
    }
}
