package import WeirFiles
package import WeirStates

/// How a wrapped command ended, what that is reported as, and what is passed on.
package enum WrappedEnd: Sendable, Hashable {
    /// By itself, with an exit code.
    case exited(Int32)
    /// By a signal.
    case signalled(ProcessSignal)

    /// What `weir run` exits with: the command's own code, or 128 and the number of the signal, as shells have it.
    package var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + min(max(signal.number, 0), 127)
        }
    }

    /// The last message of the run.
    ///
    /// - Parameters:
    ///   - program: What ran.
    ///   - wasStopped: Whether somebody here asked for the end, so that it counts as cancelled.
    /// - Returns: A state, as reports have it.
    package func message(program: String, wasStopped: Bool) -> JSONValue {
        let phase: Phase = self == .exited(0) ? .succeeded : wasStopped ? .cancelled : .failed
        var members: [String: JSONValue] = [
            "state": .string(phase.rawValue), "phase": .string(phase.rawValue), "code": .integer(Int64(exitCode)),
        ]
        switch self {
        case .exited(0): break
        case .exited(let code): members["message"] = .string("\(program) ended with exit code \(code).")
        case .signalled(let signal):
            let meaning = signal.meaning.map { ": \($0)" } ?? ""
            members["message"] = .string("\(program) was ended by \(signal)\(meaning).")
        }
        return .object(members)
    }
}
