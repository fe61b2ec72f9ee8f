import WeirStates

/// A reading of the system's counters since boot and its levels; values are nil if unavailable.
package struct HostReading: Sendable, Equatable {
    /// The time of a processor since boot, in ticks of unspecified length.
    struct CPUTicks: Sendable, Equatable {
        let busy: UInt64
        let total: UInt64
    }

    struct Level: Sendable, Equatable {
        /// Bytes in use.
        let used: Int64
        let total: Int64
    }

    /// The bytes of a volume; used and free can be less than total because of reserved space.
    struct Volume: Sendable, Equatable {
        let used: Int64
        /// Bytes available to this process.
        let free: Int64
        let total: Int64
    }

    /// Bytes transferred since boot.
    struct Traffic: Sendable, Equatable {
        let received: UInt64
        let sent: UInt64
    }

    var processors: [CPUTicks]?
    var memory: Level?
    /// The averages of 1, 5 and 15 minutes.
    var load: [Double]?
    /// The volume of the data folder.
    var disk: Volume?
    /// The sum of all external interfaces.
    var traffic: Traffic?

    init() {}

    var isEmpty: Bool { self == HostReading() }
}

package protocol HostReader: Sendable {
    /// Reads the current values; blocks briefly; unavailable values are nil.
    func read() -> HostReading
}

/// The system provides no readings.
struct HostUnreadable: ExplainedError {
    var description: String {
        "This system reports neither CPU, memory, load, disk nor network. On Linux, check that /proc is mounted."
    }
}
