package import WeirStates

/// The small numbers that stand for words in every journal that is a database; see `JournalSchema` and `PostgresSchema`.
package enum JournalCode {
    /// The number of a phase.
    package static func code(of phase: Phase) -> Int64 {
        switch phase {
        case .idle: 0
        case .active: 1
        case .succeeded: 2
        case .failed: 3
        case .cancelled: 4
        case .interrupted: 5
        }
    }

    /// The number of a unit.
    package static func code(of unit: WorkProgress.Unit) -> Int64 {
        switch unit {
        case .bytes: 0
        case .items: 1
        case .percent: 2
        }
    }

    /// The number of a channel.
    package static func code(of channel: OutputChannel) -> Int64 {
        switch channel {
        case .notice: 0
        case .standardOutput: 1
        case .standardError: 2
        }
    }

    /// The phase of a number; throws for one that has none.
    package static func phase(_ code: Int64) throws -> Phase {
        switch code {
        case 0: .idle
        case 1: .active
        case 2: .succeeded
        case 3: .failed
        case 4: .cancelled
        case 5: .interrupted
        default: throw JournalError.damaged("phase \(code)")
        }
    }

    /// The unit of a number; throws for one that has none.
    package static func unit(_ code: Int64) throws -> WorkProgress.Unit {
        switch code {
        case 0: .bytes
        case 1: .items
        case 2: .percent
        default: throw JournalError.damaged("unit \(code)")
        }
    }

    /// The channel of a number; throws for one that has none.
    package static func channel(_ code: Int64) throws -> OutputChannel {
        switch code {
        case 0: .notice
        case 1: .standardOutput
        case 2: .standardError
        default: throw JournalError.damaged("channel \(code)")
        }
    }
}
