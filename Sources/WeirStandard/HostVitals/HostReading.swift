import WeirStates

/// What the system says of itself at one moment: counters since boot and levels, each nil if it does not say.
package struct HostReading: Sendable, Equatable {
    /// Time of a processor since boot, in ticks of any length.
    package struct CPUTicks: Sendable, Equatable {
        /// Ticks at work.
        package let busy: UInt64
        /// All ticks.
        package let total: UInt64

        /// Creates a count.
        package init(busy: UInt64, total: UInt64) {
            self.busy = busy
            self.total = total
        }
    }

    /// Bytes in use and in all.
    package struct Level: Sendable, Equatable {
        /// Bytes in use.
        package let used: Int64
        /// Bytes there are.
        package let total: Int64

        /// Creates a level.
        package init(used: Int64, total: Int64) {
            self.used = used
            self.total = total
        }
    }

    /// Bytes of a volume; used and free are less than all where some are reserved.
    package struct Volume: Sendable, Equatable {
        /// Bytes in use.
        package let used: Int64
        /// Bytes that this process may still write.
        package let free: Int64
        /// Bytes there are.
        package let total: Int64

        /// Creates a volume.
        package init(used: Int64, free: Int64, total: Int64) {
            self.used = used
            self.free = free
            self.total = total
        }
    }

    /// Bytes since boot.
    package struct Traffic: Sendable, Equatable {
        /// Bytes received.
        package let received: UInt64
        /// Bytes sent.
        package let sent: UInt64

        /// Creates a count.
        package init(received: UInt64, sent: UInt64) {
            self.received = received
            self.sent = sent
        }
    }

    /// Each processor's time.
    package var processors: [CPUTicks]?
    /// Memory in use.
    package var memory: Level?
    /// The averages of 1, 5 and 15 minutes.
    package var load: [Double]?
    /// The volume of the data folder.
    package var disk: Volume?
    /// All interfaces that lead out of this machine.
    package var traffic: Traffic?

    /// Creates a reading that says nothing yet.
    package init() {}

    /// Whether it says nothing at all.
    var isEmpty: Bool { self == HostReading() }
}

/// Reads what a machine says of itself.
package protocol HostReader: Sendable {
    /// What it says now. Short and blocking; what cannot be read is left out.
    func read() -> HostReading
}

/// This system provides no readings in a known way.
struct HostUnreadable: ExplainedError {
    var description: String {
        "This system reports neither CPU, memory, load, disk nor network. On Linux, check that /proc is mounted."
    }
}
