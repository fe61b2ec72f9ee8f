import WeirStates

/// A reading of the system's counters since boot and its levels; values are nil if unavailable.
package struct HostReading: Sendable, Equatable {
    /// The time of a processor since boot, in ticks of unspecified length.
    package struct CPUTicks: Sendable, Equatable {
        package let busy: UInt64
        package let total: UInt64
    }

    package struct Level: Sendable, Equatable {
        /// Bytes in use.
        package let used: Int64
        package let total: Int64

        package init(used: Int64, total: Int64) {
            self.used = used
            self.total = total
        }
    }

    /// The bytes of a volume; used and free can be less than total because of reserved space.
    package struct Volume: Sendable, Equatable {
        package let used: Int64
        /// Bytes available to this process.
        package let free: Int64
        package let total: Int64
    }

    /// Bytes transferred since boot.
    package struct Traffic: Sendable, Equatable {
        package let received: UInt64
        package let sent: UInt64
    }

    package var processors: [CPUTicks]?
    package var memory: Level?
    /// The averages of 1, 5 and 15 minutes.
    package var load: [Double]?
    /// The volume of the data folder.
    package var disk: Volume?
    /// The sum of all external interfaces.
    package var traffic: Traffic?

    package init() {}

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
