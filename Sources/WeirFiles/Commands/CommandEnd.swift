/// How a command ended, once nothing that it began is left.
package enum CommandEnd: Sendable, Hashable {
    /// By itself, with an exit code.
    case exited(Int32, CommandUsage)
    /// By a signal.
    case signalled(ProcessSignal, CommandUsage)
    /// It never began.
    case notStarted(CommandFailure)
    /// The program that ran it was killed, so nobody knows.
    case lost

    /// Reads the lines that the helper program reports.
    init(report: String) {
        var end = CommandEnd.lost
        for line in report.split(separator: "\n") {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { Int64($0) ?? 0 }
            let number = Int32(clamping: numbers.first ?? 0)
            switch words.first {
            case "failed":
                let error = Int32(clamping: numbers.dropFirst().first ?? 0)
                end = .notStarted(CommandFailure(step: words.count > 1 ? String(words[1]) : "", error: error))
            case "exited": end = .exited(number, CommandUsage(Array(numbers.dropFirst())))
            case "signalled": end = .signalled(ProcessSignal(number: number), CommandUsage(Array(numbers.dropFirst())))
            default: break
            }
        }
        self = end
    }
}

/// What a command took of the machine; its children count once it waited for them.
package struct CommandUsage: Sendable, Hashable {
    /// Processor time in its own code.
    package let user: Duration
    /// Processor time in the system's.
    package let system: Duration
    /// The most memory it held, in bytes.
    package let memory: Int64

    init(_ numbers: [Int64]) {
        user = .milliseconds(numbers.first ?? 0)
        system = .milliseconds(numbers.count > 1 ? numbers[1] : 0)
        // Linux counts KiB.
        memory = numbers.count > 2 ? numbers[2].multipliedReportingOverflow(by: 1_024).partialValue : 0
    }
}
