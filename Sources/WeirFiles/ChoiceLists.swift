import Foundation
import WeirFlows
import WeirOperations

/// The latest values of choices that programs list.
///
/// A list is valid for the time that its file declares; then its program runs again. A failure leaves the list unchanged.
package final class ChoiceLists: Sendable {
    private struct Key: Hashable {
        let operation: String
        let field: String
        let command: ChoiceCommand
        var conditions: [ChoiceGroup.Condition] = []
    }

    private struct Entry {
        var values: [String]
        var failure: ChoiceCommand.Failure?
        var due: ContinuousClock.Instant
    }

    private struct Core {
        var entries: [Key: Entry] = [:]
        var running: Set<Key> = []
        /// The lists that were due when the queue was last filled, with those of slow programs at the end.
        var queue: [(key: Key, folder: String)] = []

        func isDue(_ key: Key, _ now: ContinuousClock.Instant) -> Bool {
            !running.contains(key) && (entries[key].map { $0.due <= now } ?? true)
        }

        func isSlow(_ key: Key) -> Bool { entries[key]?.failure?.isLate == true }

        mutating func take(_ now: ContinuousClock.Instant, takesSlow: Bool) -> (key: Key, folder: String)? {
            let first = queue.firstIndex { isDue($0.key, now) } ?? queue.endIndex
            queue.removeFirst(first)
            guard let next = queue.first, takesSlow || !isSlow(next.key) else { return nil }
            queue.removeFirst()
            running.insert(next.key)
            return next
        }
    }

    package struct Refresh: Sendable {
        package let isChanged: Bool
        package let failure: String?
    }

    private let environment: CommandEnvironment
    private let clock: any Clock<Duration>
    private let core = Locked(Core())

    package init(in environment: CommandEnvironment, clock: any Clock<Duration> = ContinuousClock()) {
        self.environment = environment
        self.clock = clock
    }

    /// Runs a program that is due, and returns what changed, or nil if none is due.
    ///
    /// Suspends until the program has ended, for about 11 s at most. Cancelling the task stops the program. Concurrent calls
    /// run different programs. `takesSlow` includes programs that exceeded their last time limit.
    package func runNext(
        _ definitions: [OperationDefinition], now: ContinuousClock.Instant = .now, takesSlow: Bool = true
    ) async -> Refresh? {
        guard let (key, folder) = take(definitions, now, takesSlow) else { return nil }
        let result: Result<[String], ChoiceCommand.Failure>
        do throws(ChoiceCommand.Failure) {
            result = .success(
                try await key.command.values(beside: key.conditions, in: environment, at: folder, clock: clock))
        } catch {
            result = .failure(error)
        }
        return note(result, of: key, due: now + max(key.command.cache, .seconds(1)))
    }

    private func take(
        _ definitions: [OperationDefinition], _ now: ContinuousClock.Instant, _ takesSlow: Bool
    ) -> (key: Key, folder: String)? {
        if let next = core.withLock({ $0.take(now, takesSlow: takesSlow) }) { return next }
        let lists = definitions.flatMap { definition in
            definition.choices.sorted { $0.key < $1.key }.flatMap { keys(of: $0, $1, in: definition) }
                .map { (key: $0, folder: definition.folder(in: environment.folder)) }
        }
        let known = Set(lists.map(\.key))
        return core.withLock { core in
            core.entries = core.entries.filter { known.contains($0.key) }
            let due = lists.filter { core.isDue($0.key, now) }
            core.queue = due.filter { !core.isSlow($0.key) } + due.filter { core.isSlow($0.key) }
            return core.take(now, takesSlow: takesSlow)
        }
    }

    /// The lists of a choice: one per combination of values of the choices in its command.
    ///
    /// Too many combinations result in a single list without conditions, whose program cannot run.
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
            return core.withLock { $0.entries[key]?.values ?? [] }
        }
        guard case .choice(let values) = definition.fields.first(where: { $0.name == field })?.kind else { return [] }
        return values
    }

    private func note(
        _ result: Result<[String], ChoiceCommand.Failure>, of key: Key, due: ContinuousClock.Instant
    ) -> Refresh {
        core.withLock { core in
            core.running.remove(key)
            let before = core.entries[key]
            var entry = before ?? Entry(values: [], due: due)
            entry.due = due
            var failure: String?
            switch result {
            case .success(let values): (entry.values, entry.failure) = (values, nil)
            case .failure(let found):
                entry.failure = found
                if before?.failure != found {
                    let beside = key.conditions.map { " with “\($0.value)” as “\($0.field)”" }.joined(separator: " and")
                    failure =
                        "The values of “\(key.field)” of the operation “\(key.operation)” could not be listed\(beside). "
                        + found.sentence
                }
            }
            core.entries[key] = entry
            let isChanged = entry.values != before?.values || entry.failure != before?.failure
            return Refresh(isChanged: isChanged, failure: failure)
        }
    }

    /// Returns the operation with the current values of its choices.
    package func filling(_ definition: OperationDefinition) -> OperationDefinition {
        guard !definition.choices.isEmpty else { return definition }
        let lists = definition.choices.reduce(into: [String: OperationDefinition.ChoiceList]()) { lists, choice in
            let keys = keys(of: choice.key, choice.value, in: definition)
            let found = core.withLock { core in keys.compactMap { key in core.entries[key].map { (key, $0) } } }
            lists[choice.key] = .init(
                groups: found.map { ChoiceGroup($1.values, beside: $0.conditions) }.filter { !$0.values.isEmpty },
                failure: found.compactMap(\.1.failure?.sentence).first,
                isPending: found.count < keys.count || isPending(choice.value, in: definition))
        }
        return definition.with(choices: lists)
    }

    /// Whether the values of a choice that the command refers to are not listed yet.
    private func isPending(_ command: ChoiceCommand, in definition: OperationDefinition) -> Bool {
        command.fields.contains { field in
            guard let other = definition.choices[field] else { return false }
            let key = Key(operation: definition.id, field: field, command: other)
            return core.withLock { $0.entries[key] == nil }
        }
    }

    var edition: String {
        core.withLock { core in
            core.entries.map { key, entry in
                let failure = entry.failure?.sentence ?? ""
                return "\(key.operation) \(key.field) \(key.conditions.map(\.value)) \(entry.values) \(failure)"
            }.sorted()
        }.joined(separator: "\n")
    }
}
