import WeirFlows
import WeirJournals

extension Feed {
    /// The newest lines of a run's output; nil if memory does not know them: ask `Board.outputTail(of:)`.
    package func output(of run: String) -> OutputTail? { machine.withLock { $0.outputs[run] } }

    // MARK: For the board

    /// The ids of the runs that print and have not ended.
    var openOutputs: [String] { machine.withLock { $0.outputs.open } }

    func openOutput(of run: String) { machine.withLock { $0.outputs.open(run) } }

    func publish(_ lines: [OutputLine], of run: String) {
        for (observer, head) in machine.withLock({ $0.publish(lines, of: run) }) { observer.tell(head) }
    }

    func closeOutput(of run: String) {
        for (observer, head) in machine.withLock({ $0.closeOutput(of: run) }) { observer.tell(head, isEnd: true) }
    }

    /// Makes the output of an ended run known that was read from the journal.
    func remember(_ tail: OutputTail, of run: String) { machine.withLock { $0.outputs.remember(tail, of: run) } }
}
