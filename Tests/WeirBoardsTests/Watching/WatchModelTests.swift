import Testing
import TestSupport
import WeirOperations
import WeirStates

@testable import WeirBoards

/// The watch machine in a simulation in which everything that can come between comes between.
@Suite struct WatchModelTests {
    /// Runs, and what is on its way to them and from them.
    private struct Simulation {
        var machine = WatchMachine(["iss": .seconds(5)], rolloverAfter: 3)
        var random: SeededGenerator
        var viewers = 0
        /// Whether the catalog does not have the operation.
        var isGone = false
        var made = 0
        var alive: Set<String> = []
        var starts = 0
        var cancels: [String] = []
        var timers: [Int] = []
        /// Starts that have been made and that the machine has not heard of.
        var news: [(run: String, isByHand: Bool)] = []
        let joins: Bool

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            joins = seed.isMultiple(of: 2)
        }

        mutating func take(_ actions: [WatchMachine.Action]) {
            for action in actions {
                switch action {
                case .start: starts += 1
                case .cancel(let run, _): cancels.append(run)
                case .arm(_, let timer, _): timers.append(timer)
                }
            }
        }

        mutating func take(_ action: WatchMachine.Action?) { take([action].compactMap { $0 }) }

        /// A run that begins, or one that goes on and is joined.
        mutating func begin() -> String {
            if joins, let other = alive.sorted().randomElement(using: &random) { return other }
            made += 1
            alive.insert("run \(made)")
            return "run \(made)"
        }

        mutating func end(_ run: String, _ phase: Phase) {
            alive.remove(run)
            take(machine.ended("iss", run: run, phase))
        }

        mutating func makeStart() {
            starts -= 1
            if isGone || Int.random(in: 0..<8, using: &random) == 0 { return take(machine.couldNotStart("iss")) }
            news.append((begin(), false))
        }

        mutating func deliverNews() {
            let (run, isByHand) = news.remove(at: .random(in: 0..<news.count, using: &random))
            if isByHand { take(machine.adopt("iss", run: run)) } else { take(machine.started("iss", run: run)) }
        }

        mutating func makeCancel() {
            let run = cancels.remove(at: .random(in: 0..<cancels.count, using: &random))
            if alive.contains(run) { end(run, .cancelled) } else { take(machine.gone(run)) }
        }

        mutating func fireTimer() {
            take(machine.elapsed("iss", timer: timers.remove(at: .random(in: 0..<timers.count, using: &random))))
        }

        /// The operation leaves the catalog, or comes back, or another takes its place.
        mutating func replace(isGone: Bool) {
            self.isGone = isGone
            take(machine.take(isGone ? [:] : ["iss": .seconds(5)], changed: isGone ? [] : ["iss"]))
        }

        mutating func step() {
            switch Int.random(in: 0..<11, using: &random) {
            case 0 where !isGone:
                viewers += 1
                take(machine.watch(["iss"]))
            case 1 where viewers > 0:
                viewers -= 1
                take(machine.release(["iss"]))
            case 2, 3: if starts > 0 { makeStart() }
            case 4: if !isGone, Int.random(in: 0..<3, using: &random) == 0 { news.append((begin(), true)) }
            case 5, 6: if !news.isEmpty { deliverNews() }
            case 7: if !cancels.isEmpty { makeCancel() }
            case 8:
                guard let run = alive.sorted().randomElement(using: &random) else { return }
                if Bool.random(using: &random) { return take(machine.recorded("iss", run: run, revision: 3)) }
                end(run, [.failed, .succeeded, .cancelled].randomElement(using: &random) ?? .failed)
            case 9:
                if Int.random(in: 0..<4, using: &random) == 0 {
                    replace(isGone: !isGone && Bool.random(using: &random))
                }
            default: if !timers.isEmpty { fireTimer() }
            }
        }

        /// Lets everything happen that is on its way, but for timers.
        mutating func settle() {
            while true {
                if !news.isEmpty {
                    deliverNews()
                } else if starts > 0 {
                    makeStart()
                } else if !cancels.isEmpty {
                    makeCancel()
                } else {
                    return
                }
            }
        }
    }

    // G5
    @Test func `every run that was started is the current one or has been cancelled, whatever comes between`() {
        for seed in UInt64(0)..<400 {
            var simulation = Simulation(seed: seed)
            for round in 0..<20 {
                for _ in 0..<20 { simulation.step() }
                simulation.settle()
                let current = simulation.machine["iss"]?.stage
                let expected: Set<String> = if case .running(let run) = current { [run] } else { [] }
                guard simulation.alive == expected else {
                    let place = "seed \(seed), round \(round)"
                    Issue.record(
                        "\(place): \(simulation.alive.sorted()) go on, the machine is at \(String(describing: current))"
                    )
                    return
                }
            }
        }
    }

    // G5
    @Test func `when all have left and time has passed nothing goes on, and whoever comes then gets a run`() {
        for seed in UInt64(0)..<400 {
            var simulation = Simulation(seed: seed)
            for _ in 0..<200 { simulation.step() }
            simulation.replace(isGone: false)
            simulation.take((0..<simulation.viewers).flatMap { _ in simulation.machine.release(["iss"]) })
            simulation.settle()
            while !simulation.timers.isEmpty {
                simulation.fireTimer()
                simulation.settle()
            }
            #expect(simulation.alive.isEmpty, "seed \(seed)")
            #expect(
                simulation.machine["iss"]?.early.isEmpty == true && simulation.machine["iss"]?.leaving.isEmpty == true)
            #expect(simulation.machine.watch(["iss"]) == [.start("iss")], "seed \(seed)")
        }
    }

    @Test func `a run that was starting while its operation was replaced is not the new one's, and ends`() {
        var machine = WatchMachine(["iss": .seconds(5)], rolloverAfter: 3)
        #expect(machine.watch(["iss"]) == [.start("iss")])
        #expect(machine.take(["iss": .seconds(5)], changed: ["iss"]) == [])
        #expect(machine.started("iss", run: "a") == .cancel(run: "a", .replaced))
        #expect(machine.ended("iss", run: "a", .cancelled) == .start("iss"))
        #expect(machine.started("iss", run: "b") == nil && machine["iss"]?.stage == .running("b"))
    }

    @Test func `the run that follows one which could not start as its operation was replaced is the new one's`() {
        var machine = WatchMachine(["iss": .seconds(5)], rolloverAfter: 3)
        _ = machine.watch(["iss"])
        _ = machine.take(["iss": .seconds(5)], changed: ["iss"])
        guard case .arm(_, let timer, _) = machine.couldNotStart("iss") else {
            return #expect(Bool(false), "it is not tried again")
        }
        #expect(machine.elapsed("iss", timer: timer) == .start("iss"))
        #expect(machine.started("iss", run: "a") == nil && machine["iss"]?.stage == .running("a"))
    }

    @Test func `a run that was starting while its operation left the catalog ends, and none follows`() {
        var machine = WatchMachine(["iss": .seconds(5)], rolloverAfter: 3)
        _ = machine.watch(["iss"])
        #expect(machine.take([:], changed: []) == [])
        #expect(machine.started("iss", run: "a") == .cancel(run: "a", .replaced))
        #expect(machine.ended("iss", run: "a", .cancelled) == nil && machine["iss"]?.stage == .idle)
        // Nor is one tried that could not start.
        #expect(machine.take(["iss": .seconds(5)], changed: ["iss"]) == [] && machine.release(["iss"]).count == 1)
        #expect(machine.watch(["iss"]) == [.start("iss")])
        _ = machine.take([:], changed: [])
        #expect(machine.couldNotStart("iss") == nil && machine["iss"]?.stage == .idle)
    }

    @Test func `late news of the start of a run that is over are known as such, for the 64 that ended last`() {
        var operation = WatchedOperation(stopAfter: .seconds(5))
        for number in 0...64 { operation.remember("run \(number)") }
        #expect(!operation.knows("run 0"))
        #expect((1...64).allSatisfy { operation.knows("run \($0)") })
    }
}
