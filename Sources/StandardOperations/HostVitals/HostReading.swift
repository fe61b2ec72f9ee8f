/// What the system says of itself at one moment: counters since boot and levels, each nil where it does not say.
public struct HostReading: Sendable, Equatable {
    /// Time of a processor since boot, in ticks of any length.
    public struct CPUTicks: Sendable, Equatable {
        /// Ticks at work.
        public let busy: UInt64
        /// All ticks.
        public let total: UInt64

        /// Makes a count.
        public init(busy: UInt64, total: UInt64) {
            self.busy = busy
            self.total = total
        }
    }

    /// Bytes in use and in all.
    public struct Level: Sendable, Equatable {
        /// Bytes in use.
        public let used: Int64
        /// Bytes there are.
        public let total: Int64

        /// Makes a level.
        public init(used: Int64, total: Int64) {
            self.used = used
            self.total = total
        }
    }

    /// Bytes of a volume; used and free are less than all where some are reserved.
    public struct Volume: Sendable, Equatable {
        /// Bytes in use.
        public let used: Int64
        /// Bytes that this process may still write.
        public let free: Int64
        /// Bytes there are.
        public let total: Int64

        /// Makes a volume.
        public init(used: Int64, free: Int64, total: Int64) {
            self.used = used
            self.free = free
            self.total = total
        }
    }

    /// Bytes since boot.
    public struct Traffic: Sendable, Equatable {
        /// Bytes received.
        public let received: UInt64
        /// Bytes sent.
        public let sent: UInt64

        /// Makes a count.
        public init(received: UInt64, sent: UInt64) {
            self.received = received
            self.sent = sent
        }
    }

    /// Each processor's time.
    public var processors: [CPUTicks]?
    /// Memory in use.
    public var memory: Level?
    /// The averages of 1, 5 and 15 minutes.
    public var load: [Double]?
    /// The volume of the data folder.
    public var disk: Volume?
    /// All interfaces that lead out of this machine.
    public var traffic: Traffic?

    /// Makes a reading that says nothing yet.
    public init() {}

    /// Whether it says nothing at all.
    var isEmpty: Bool { self == HostReading() }
}
