import Foundation
import TestSupport
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// A law that a run of steps broke.
struct StepsViolation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Runs a plan on the machine alone: begins what it begins, ends steps by their fates in random order, and checks the
/// laws of the order after each change.
struct StepsDriver {
    let steps: RandomSteps
    private(set) var machine: StepsMachine
    private var random: SeededGenerator
    /// The number of changes that each active step went through.
    private var active: [Int: Int] = [:]
    private var beginnings: [Int]
    private let kept: Set<Int>
    /// The steps in the order in which they ended, without skipped ones.
    private(set) var ends: [Int] = []
    private(set) var cancellation: StepsModel.Cut?
    private(set) var failure: StepsModel.Cut?
    private(set) var restarts = 0
    private let chanceOfCancellation: Int
    private let chanceOfRestart: Int
    /// The records of the states, if they are compared with those made from nothing.
    private var records: StateRecords<StepsState>?
    private var read: (progress: StepsProgress, payload: JSONValue)?

    /// The chances are those of a hundred changes before which the whole run is cancelled, or the machine is made anew from
    /// its recorded progress.
    init(
        _ steps: RandomSteps, from progress: StepsProgress = StepsProgress(), seed: UInt64,
        chanceOfCancellation: Int = 0, chanceOfRestart: Int = 0, comparesRecords: Bool = false
    ) throws {
        self.steps = steps
        guard let machine = StepsMachine(steps.plan, from: progress) else {
            throw StepsViolation("The progress is not that of the plan.")
        }
        self.machine = machine
        random = SeededGenerator(seed: seed)
        beginnings = steps.plan.steps.map { _ in 0 }
        kept = Set(progress.steps.indices.filter { progress.steps[$0].status.isOver })
        self.chanceOfCancellation = chanceOfCancellation
        self.chanceOfRestart = chanceOfRestart
        records = comparesRecords ? StateRecords() : nil
    }

    mutating func run() throws {
        try begin()
        while !active.isEmpty {
            if cancellation == nil, random.isLikely(chanceOfCancellation, of: 100) { cancel() }
            if random.isLikely(chanceOfRestart, of: 100) { try restart() }
            // A restart forgets the steps whose beginning was not recorded.
            if active.isEmpty { try begin() }
            guard let index = active.keys.sorted().randomElement(using: &random) else { break }
            try advance(index)
            if cancellation == nil, random.isLikely(chanceOfCancellation, of: 100) { cancel() }
            try begin()
            try compareRecord(of: machine.state)
        }
        try compareRecord(of: machine.end)
        let isPendingAllowed =
            cancellation != nil && !isGraph && !steps.plan.steps.contains(where: \.isFinally)
        for step in machine.progress.steps where !step.status.isOver {
            guard isPendingAllowed, step.status == .pending else {
                throw StepsViolation("\(step.name) is \(step.status), and nothing runs any more.")
            }
        }
    }

    private mutating func compareRecord(of state: StepsState) throws {
        guard let record = records?.next(state) else { return }
        guard try record == StateRecord(state) else { throw StepsViolation("The record of \(state) is \(record).") }
        let progress = try StepsProgress(record.payload, after: read?.progress, read?.payload)
        guard progress == state.steps else { throw StepsViolation("\(record.payload) is read as \(progress).") }
        read = (progress, record.payload)
    }

    private var isGraph: Bool { steps.plan.steps.contains { $0.needs != nil } }

    private func status(_ name: String) -> StepsProgress.Status {
        machine.progress.steps.first { $0.name == name }?.status ?? .pending
    }

    // MARK: Beginnings

    private mutating func begin() throws {
        let before = machine.progress
        for begin in machine.next() {
            guard active[begin.index] == nil, begin.attempt == 1, !kept.contains(begin.index) else {
                throw StepsViolation("\(steps.names[begin.index]) begins at attempt \(begin.attempt) while it runs.")
            }
            active[begin.index] = 0
            beginnings[begin.index] += 1
            guard beginnings[begin.index] == 1 else {
                throw StepsViolation("\(steps.names[begin.index]) begins \(beginnings[begin.index]) times.")
            }
            guard isDue(steps.plan.steps[begin.index], begin.index) else {
                throw StepsViolation("\(steps.names[begin.index]) begins before what it waits for is over.")
            }
        }
        for (one, other) in zip(before.steps, machine.progress.steps) where one.status.isOver {
            guard one == other else { throw StepsViolation("\(one.name) changed after its end.") }
        }
        guard machine.active == Set(active.keys) else {
            throw StepsViolation("The machine runs \(machine.active), not \(active.keys.sorted()).")
        }
        let running = active.keys.filter { !isGraph || steps.plan.steps[$0].approval == nil }
        guard running.count <= (isGraph ? steps.plan.atOnce : 1) else {
            throw StepsViolation("\(running.count) steps run at the same time.")
        }
        guard running.count < (isGraph ? steps.plan.atOnce : 1) else { return }
        for (index, step) in steps.plan.steps.enumerated()
        where status(step.name) == .pending && active[index] == nil && isDue(step, index) {
            if !isGraph, cancellation != nil, !step.isFinally { continue }
            throw StepsViolation("\(step.name) could begin, and does not.")
        }
    }

    /// Whether everything that a step waits for is over.
    private func isDue(_ step: StepsPlan.Step, _ index: Int) -> Bool {
        let ordinary = steps.plan.steps.filter { !$0.isFinally }.map(\.name)
        if isGraph {
            let names = step.isFinally ? ordinary : (step.needs ?? []) + Array(step.afterFailureOf)
            return names.allSatisfy { status($0).isOver }
        }
        let before = steps.plan.steps[..<index].filter { $0.isFinally == step.isFinally }.map(\.name)
        return ((step.isFinally ? ordinary : []) + before).allSatisfy { status($0).isOver }
    }

    // MARK: Changes

    private mutating func advance(_ index: Int) throws {
        let (step, fate) = (steps.plan.steps[index], steps.fates[index])
        let stage = active[index] ?? 0
        if cancellation != nil, !step.isFinally, !fate.outrunsCancellation {
            return end(index, .cancelled, nil)
        }
        active[index] = stage + 1
        if stage == 0 {
            machine.change(index) {
                $0.status = step.approval == nil ? .running : .asking
                $0.attempt = step.approval == nil && step.forEach == nil ? 1 : nil
                if fate.status != .skipped, step.forEach != nil, $0.items == nil {
                    $0.items = StepItems(total: fate.items.count, digest: "d")
                }
            }
        } else if fate.status == .skipped {
            end(index, .skipped, nil)
        } else if step.forEach != nil {
            try advanceItems(index, fate)
        } else if stage < fate.attempts * 2 - 1 {
            machine.change(index) {
                $0.status = stage.isMultiple(of: 2) ? .running : .retrying
                if stage.isMultiple(of: 2) { $0.attempt = ($0.attempt ?? 0) + 1 }
            }
        } else {
            end(index, fate.status, fate.status.ending(of: step.name))
        }
    }

    private mutating func advanceItems(_ index: Int, _ fate: StepFate) throws {
        let items = machine.progress.steps[index].items
        if let running = items?.indices(.running).randomElement(using: &random), random.isLikely(1, of: 2) {
            machine.change(index) { $0.items?.mark(running, fate.items[running]) }
        } else if let pending = items?.indices(.pending).first {
            machine.change(index) { $0.items?.mark(pending, .running) }
        } else if let running = items?.indices(.running).first {
            machine.change(index) { $0.items?.mark(running, fate.items[running]) }
        } else if let (status, ending) = items?.end(of: steps.names[index], isStopped: false) {
            end(index, status, ending)
        } else {
            throw StepsViolation("\(steps.names[index]) has no items.")
        }
    }

    private mutating func end(_ index: Int, _ status: StepsProgress.Status, _ ending: StepsProgress.Ending?) {
        let hadEnding = machine.progress.ending != nil
        machine.end(
            index, status, at: Timestamp(milliseconds: Int64(ends.count)), ending,
            because: status == .skipped ? .init(.condition, condition: "inputs.name is Eve") : nil)
        active[index] = nil
        if ending != nil { ends.append(index) }
        if !hadEnding, machine.progress.ending != nil, failure == nil { failure = cut(steps.names[index]) }
    }

    private func cut(_ step: String? = nil) -> StepsModel.Cut {
        let over = machine.progress.steps.indices.filter { machine.progress.steps[$0].status.isOver }
        return .init(begun: Set(active.keys), over: Set(over), step: step)
    }

    private mutating func cancel() {
        cancellation = cut()
        machine.stop("cancelled by ana")
    }

    // MARK: Restarts

    private mutating func restart() throws {
        restarts += 1
        let recorded = try JSONDecoder().decode(
            StepsProgress.self, from: try JSONEncoder().encode(machine.progress))
        guard recorded == machine.progress else { throw StepsViolation("The progress changes when it is recorded.") }
        guard let restored = StepsMachine(steps.plan, from: recorded) else {
            throw StepsViolation("The recorded progress is not that of the plan.")
        }
        machine = restored
        for index in active.keys where machine.progress.steps[index].status == .pending {
            active[index] = nil
            beginnings[index] -= 1
            cancellation?.begun.remove(index)
            failure?.begun.remove(index)
        }
        if cancellation != nil { machine.stop("cancelled by ana") }
    }
}

extension StepsProgress.Status {
    fileprivate func ending(of step: String) -> StepsProgress.Ending? {
        switch self {
        case .failed: .init(.stepFailed, step: step)
        case .cancelled: .init(.stepCancelled, step: step)
        case .interrupted: .init(.stepInterrupted, step: step)
        case .pending, .running, .asking, .retrying, .succeeded, .skipped: nil
        }
    }
}
