import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// The work of the steps of a random plan: each run waits until the test ends it, and then ends by the fate of its step.
final class StepsStage: Sendable {
    /// A run of a step, or of an item, that waits.
    struct Waiting: Sendable {
        let label: String
        fileprivate let state: MutableStateFlow<TestState>
        fileprivate let over = Deferred<Bool>()

        /// Whether the run has not ended; a cancelled run ends before its work returns.
        fileprivate var isLive: Bool { !state.value.phase.isEnded }

        func end() { over.resolve(true) }
    }

    private struct Core {
        var waiting: [Int: Waiting] = [:]
        var begun = 0
        /// The number of runs of each label that ended by the fate.
        var ended: [String: Int] = [:]
        var begunLabels: Set<String> = []
        var outcomes: [String: String] = [:]
        var violation: String?
        var time: Int64 = 1_000
    }

    private let steps: RandomSteps
    private let core = Locked(Core())

    init(_ steps: RandomSteps) { self.steps = steps }

    var waiting: [Waiting] { core.withLock { $0.waiting.sorted { $0.key < $1.key }.map(\.value) }.filter(\.isLive) }
    var violation: String? { core.withLock(\.violation) }
    /// The outcomes of the whole run that final steps were given, by step.
    var outcomes: [String: String] { core.withLock(\.outcomes) }

    /// A time that is later at each call.
    func now() -> Timestamp {
        core.withLock { core in
            core.time += 1
            return Timestamp(milliseconds: core.time)
        }
    }

    func catalog() -> Catalog {
        var catalog = Catalog()
        let work = TestOperation { [self] input, state in try await perform(input.label ?? "", state) }
        catalog.add(work, id: "echo", title: "Echo", summary: "A test.")
        catalog.add(
            StepsOperation(steps.plan, fields: [InputField("name", "Name", .text())]), id: "whole", title: "Whole",
            summary: "A test.", tags: [], reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        return catalog
    }

    private func perform(_ input: String, _ state: MutableStateFlow<TestState>) async throws {
        let parts = input.split(separator: "?")
        let label = String(parts[0])
        let waiting = Waiting(label: label, state: state)
        let number = core.withLock { core in
            core.begun += 1
            core.waiting[core.begun] = waiting
            if parts.count > 1 { core.outcomes[label] = String(parts[1]) }
            note(label, &core)
            return core.begun
        }
        state.value = .working(step: 1)
        let isOver = await waiting.over.value()
        core.withLock { $0.waiting[number] = nil }
        guard isOver == true else { throw CancellationError() }
        try end(label, state)
    }

    private func note(_ label: String, _ core: inout Core) {
        guard let index = index(of: label) else { return core.violation = "Unknown label \(label)." }
        let step = steps.plan.steps[index]
        let isNew = core.begunLabels.insert(label).inserted
        if !isNew, step.retry == nil, step.repetition == nil { core.violation = "\(label) runs twice." }
        let live = core.waiting.values.filter(\.isLive)
        let running = Set(live.map { $0.label.prefix { $0 != "/" } })
        let isGraph = steps.plan.steps.contains { $0.needs != nil }
        if running.count > (isGraph ? steps.plan.atOnce : 1) { core.violation = "\(running) run at the same time." }
        let items = live.count { $0.label.hasPrefix("\(step.name)/") }
        if let forEach = step.forEach, items > forEach.atOnce ?? steps.plan.atOnce {
            core.violation = "\(items) items of \(step.name) run at the same time."
        }
    }

    private func end(_ label: String, _ state: MutableStateFlow<TestState>) throws {
        guard let index = index(of: label) else { throw OperationFailure("Unknown label.") }
        let (step, fate) = (steps.plan.steps[index], steps.fates[index])
        let count = core.withLock { core in
            core.ended[label, default: 0] += 1
            return core.ended[label] ?? 0
        }
        var isGood = fate.status == .succeeded && count >= fate.attempts
        if let item = Self.item(of: label) {
            isGood = fate.items[item] == .succeeded
        }
        if step.repetition == nil, !isGood { throw OperationFailure("It failed.") }
        state.value = .success(text: isGood ? "done" : "not yet")
    }

    func index(of label: String) -> Int? { steps.names.firstIndex { $0 == label.prefix { $0 != "/" } } }

    /// The item of a label.
    static func item(of label: String) -> Int? {
        label.split(separator: "/").dropFirst().first.flatMap { Int($0) }
    }
}
