import WeirFlows
import WeirOperations
import WeirStates

/// Brings what a program prints and reports, from several pipes, into the states of its run, one after the other.
///
/// It runs on threads of its own, as patterns can take long, and gives way to other runs after each turn.
actor StateReporter {
    /// How many transitions a run can make at full speed.
    static let freeTransitions = 500
    /// The time that each further one takes: a program that names a new state in each line must not fill the journal
    /// faster than it can be written.
    static let transitionInterval = Duration.milliseconds(10)
    /// The time after which other runs have a turn.
    static let turn = Duration.milliseconds(10)

    /// What is known so far.
    private(set) var tracker: StateTracker
    private let flow: MutableStateFlow<CommandState>
    private var transitions = 0
    private nonisolated let executor: WorkPool.ActorExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - tracker: Decides which state a line means.
    ///   - flow: The run's state.
    ///   - pool: Where it runs; nil for the pool of runs with or without patterns.
    init(_ tracker: StateTracker, flow: MutableStateFlow<CommandState>, on pool: WorkPool? = nil) {
        executor = WorkPool.ActorExecutor(pool ?? (tracker.hasPatterns ? .patterns : .lines))
        self.tracker = tracker
        self.flow = flow
    }

    /// What some lines came to: what to print, and how long to wait before more is read.
    struct Batch: Sendable {
        var lines: [(text: String, channel: OutputChannel)] = []
        var pause = Duration.zero
    }

    /// The program begins, perhaps again.
    func begin() { write(tracker.begin()) }

    /// Takes what was printed.
    ///
    /// Of two channels, lines can be taken in turns.
    func take(_ pieces: [LineSplitter.Piece], on channel: OutputChannel) async -> Batch {
        var batch = Batch()
        var budget = WorkBudget(Self.turn)
        for piece in pieces {
            if budget.isExceeded {
                await Task.yield()
                budget = WorkBudget(Self.turn)
            }
            switch piece {
            case .continuation(let text): batch.lines.append((text, channel))
            case .tick(let text): note(tracker.take(text, on: channel, isTick: true), nil, channel, &batch)
            case .line(let text): note(tracker.take(text, on: channel), text, channel, &batch)
            }
        }
        return batch
    }

    /// Takes lines of the pipe.
    func take(json lines: [String]) -> Batch {
        var batch = Batch()
        for line in lines { note(tracker.take(json: line), nil, .notice, &batch) }
        return batch
    }

    private func note(_ step: StateTracker.Step, _ line: String?, _ channel: OutputChannel, _ batch: inout Batch) {
        if let state = step.state { write(state) }
        if let line, step.isOutput { batch.lines.append((line, channel)) }
        if let notice = step.notice { batch.lines.append((notice, .notice)) }
        guard step.isTransition else { return }
        transitions += 1
        if transitions > Self.freeTransitions { batch.pause += Self.transitionInterval }
    }

    /// Sets the state, unless the run is stopping or over.
    func write(_ state: CommandState) {
        flow.update { last in last == .stopping || last.phase.isEnded ? last : state }
    }
}
