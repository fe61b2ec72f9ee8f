import WeirFlows
import WeirOperations
import WeirStates

/// Keeps what a run prints.
final class Printed: OutputSink {
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func write(_ line: String, to channel: OutputChannel) async { _ = offer(line, to: channel) }

    func offer(_ line: String, to channel: OutputChannel) -> Bool {
        kept.withLock { $0.append(line) }
        return true
    }
}
