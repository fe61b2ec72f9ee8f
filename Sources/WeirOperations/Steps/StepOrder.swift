/// The order in which steps can begin, from their names alone.
package struct StepOrder: Sendable {
    package struct Entry: Sendable {
        let name: String
        let needs: [String]
        let afterFailureOf: [String]
        package let isFinally: Bool
        package let allowsFailure: Bool
        /// Whether lists are declared, which can be empty.
        let (declaresNeeds, declaresFailures): (Bool, Bool)

        /// Creates an entry; `needs` and `afterFailureOf` are nil if they are not declared.
        package init(
            name: String, needs: [String]? = nil, afterFailureOf: [String]? = nil, isFinally: Bool = false,
            allowsFailure: Bool = false
        ) {
            self.name = name
            self.needs = needs ?? []
            self.afterFailureOf = afterFailureOf ?? []
            (declaresNeeds, declaresFailures) = (needs != nil, afterFailureOf != nil)
            self.isFinally = isFinally
            self.allowsFailure = allowsFailure
        }

        var dependencies: [String] { needs + afterFailureOf }
    }

    let entries: [Entry]
    package let isGraph: Bool

    package init(entries: [Entry], isGraph: Bool) {
        self.entries = entries
        self.isGraph = isGraph
    }

    var names: [String] { entries.map(\.name) }

    package subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    /// The steps that are over when a step begins, in the order of their declaration.
    package func before(_ name: String) -> [String] {
        guard let entry = self[name] else { return [] }
        let ordinary = entries.filter { !$0.isFinally }.map(\.name)
        if entry.isFinally { return ordinary }
        guard isGraph else { return Array(ordinary.prefix { $0 != name }) }
        let reached = closure(of: entry.dependencies) { $0.dependencies }
        return ordinary.filter { reached.contains($0) && $0 != name }
    }

    /// The steps without whose success, or own condition, a step never begins.
    func successes(before name: String) -> Set<String> {
        guard let entry = self[name], !entry.isFinally else { return [] }
        let needed: Set<String>
        if isGraph {
            needed = closure(of: entry.needs) { $0.allowsFailure ? [] : $0.needs }
        } else {
            // After a failure, only steps with `when_failed` begin.
            needed = entry.afterFailureOf.isEmpty ? Set(before(name)) : []
        }
        return needed.filter { self[$0]?.allowsFailure == false }
    }

    private func closure(of names: [String], _ next: (Entry) -> [String]) -> Set<String> {
        var reached: Set<String> = []
        var waiting = names
        while let name = waiting.popLast() {
            guard reached.insert(name).inserted, let entry = self[name] else { continue }
            waiting += next(entry)
        }
        return reached
    }

    /// The circles of steps that need each other, each once, beginning and ending with the same name.
    ///
    /// A step that needs itself is not a circle.
    var circles: [[String]] {
        var circles: [[String]] = []
        var done: Set<String> = []
        for entry in entries where !done.contains(entry.name) {
            if let circle = circle(through: entry.name), done.isDisjoint(with: circle) {
                circles.append(circle)
                done.formUnion(circle)
            }
        }
        return circles
    }

    /// The shortest circle through a step, found by breadth-first search.
    private func circle(through start: String) -> [String]? {
        var before: [String: String] = [:]
        var waiting = [start][...]
        while let name = waiting.popFirst() {
            for next in self[name]?.dependencies ?? [] where next != name {
                if next == start {
                    var way = [start]
                    var step: String? = name
                    while let current = step, current != start {
                        way.append(current)
                        step = before[current]
                    }
                    return way.count == 1 ? nil : [start] + way.dropFirst().reversed() + [start]
                }
                guard before[next] == nil, self[next] != nil else { continue }
                before[next] = name
                waiting.append(next)
            }
        }
        return nil
    }
}
