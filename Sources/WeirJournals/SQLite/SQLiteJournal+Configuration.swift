extension SQLiteJournal {
    /// How a journal's file is used.
    public struct Configuration: Sendable {
        /// What a recorded change survives.
        public enum Durability: Sendable {
            /// The end of the process, however sudden.
            ///
            /// A power cut or a crash of the whole machine can lose the changes of the last moments, but does not
            /// damage the file: no change waits for the disk. If changes may be lost, the journal continues as a new
            /// history.
            case process
            /// A power cut as well: each batch waits until the disk has it, some milliseconds.
            case machine
        }

        /// What the file is opened for.
        package enum Access: Sendable {
            /// Recording; one process at a time.
            case writing
            /// Reading only, while another process may be recording.
            case reading
        }

        /// What a recorded change survives.
        package var durability: Durability
        /// What the file is opened for.
        package var access: Access
        /// How many milliseconds to wait if another program holds the file.
        package var busyTimeout: Int
        /// The maximum size of the file, in bytes; nil is as large as the disk allows.
        package var maximumBytes: Int64?
        /// How long a search takes at most.
        package var searchTime = Duration.seconds(2)

        /// Creates a configuration.
        public init(durability: Durability = .process, busyTimeout: Int = 250, maximumBytes: Int64? = nil) {
            self.init(durability: durability, access: .writing, busyTimeout: busyTimeout, maximumBytes: maximumBytes)
        }

        package init(
            durability: Durability = .process, access: Access, busyTimeout: Int = 250, maximumBytes: Int64? = nil
        ) {
            self.durability = durability
            self.access = access
            self.busyTimeout = busyTimeout
            self.maximumBytes = maximumBytes
        }
    }
}
