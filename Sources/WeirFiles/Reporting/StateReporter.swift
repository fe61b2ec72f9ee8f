import WeirBoards
import WeirFlows
import WeirOperations
import WeirStates

/// Applies a program's output and reports to the state of its run, serially.
///
/// It has its own executor, because patterns can take long, and yields to other runs after each time slice.
actor StateReporter {
    /// The number of transitions without throttling.
    static let freeTransitions = 500
    /// The delay of each further transition, so that a program cannot fill the journal faster than it is written.
    static let transitionInterval = Duration.milliseconds(10)
    /// The time slice after which other runs proceed.
    static let turn = Duration.milliseconds(10)

    private(set) var tracker: StateTracker
    private let flow: MutableStateFlow<CommandState>
    private var transitions = 0
    private nonisolated let executor: WorkPool.ActorExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a reporter, by default on the pool of runs with or without patterns.
    init(_ tracker: StateTracker, flow: MutableStateFlow<CommandState>, on pool: WorkPool? = nil) {
        executor = WorkPool.ActorExecutor(pool ?? (tracker.hasPatterns ? .patterns : .lines))
        self.tracker = tracker
        self.flow = flow
    }

    /// The result of processing lines: the output to record, and the delay before the next read.
    struct Batch: Sendable {
        struct Line: Sendable {
            let text: String
            let channel: OutputChannel
            var continues = false
            /// The line without escape sequences; nil for notices and for pieces of a line that continues.
            var plain: String?
        }

        var lines: [Line] = []
        var pause = Duration.zero
    }

    /// Begins an attempt; returns false if the run has ended.
    func begin() -> Bool {
        write(tracker.begin())
        return !flow.isFinished
    }

    /// Processes output; calls for the two channels can interleave.
    func take(_ pieces: [LineSplitter.Piece], on channel: OutputChannel) async -> Batch {
        var batch = Batch()
        var budget = WorkBudget(Self.turn)
        for piece in pieces {
            if budget.isExceeded {
                await Task.yield()
                budget = WorkBudget(Self.turn)
            }
            switch piece {
            case .continuation(let text, let continues):
                batch.lines.append(Batch.Line(text: text, channel: channel, continues: continues))
            case .tick(let text): note(tracker.take(text, on: channel, isTick: true), nil, channel, &batch)
            case .line(let text, _): note(tracker.take(text, on: channel), piece, channel, &batch)
            }
        }
        return batch
    }

    func take(json lines: [String]) -> Batch {
        var batch = Batch()
        for line in lines { note(tracker.take(json: line), nil, .notice, &batch) }
        return batch
    }

    private func note(
        _ step: StateTracker.Step, _ line: LineSplitter.Piece?, _ channel: OutputChannel, _ batch: inout Batch
    ) {
        if let state = step.state { write(state) }
        if let line, step.isOutput {
            batch.lines.append(
                Batch.Line(text: line.text, channel: channel, continues: line.continues, plain: tracker.plainLine))
        }
        if let notice = step.notice { batch.lines.append(Batch.Line(text: notice, channel: .notice)) }
        guard step.isTransition else { return }
        transitions += 1
        if transitions > Self.freeTransitions { batch.pause += Self.transitionInterval }
    }

    /// Notes lines that were recorded: one of them may say why the program fails.
    func note(_ lines: [(line: TellingLine.Line, channel: OutputChannel)]) {
        for (line, channel) in lines { tracker.telling.take(line, on: channel) }
    }

    /// Sets the state, unless the run is stopping or has ended.
    func write(_ state: CommandState) {
        flow.update { last in last.isStopping || last.phase.isEnded ? last : state }
    }

    /// Adds the kept files to the state of a stopping run.
    func keep(_ artifacts: [Artifact]) {
        flow.update { last in last.isStopping ? last.keeping(artifacts) : last }
    }
}
