extension SQLiteJournal {
    /// How a journal's file is used.
    public struct Configuration: Sendable {
        /// What a change that was recorded outlives.
        public enum Durability: Sendable {
            /// The end of the process, however sudden. A power cut or a crash of the whole machine may take the changes of
            /// the last moments, but leaves the file sound: no change waits for the disk.
            case process
            /// A power cut too: each batch waits until the disk has it, some milliseconds.
            case power
        }

        /// What the file is opened for.
        public enum Access: Sendable {
            /// Recording; one process at a time.
            case writing
            /// Looking only, while another process may be recording.
            case reading
        }

        /// What a change that was recorded outlives.
        public var durability: Durability
        /// What the file is opened for.
        public var access: Access
        /// For how many milliseconds to wait when another program holds the file.
        public var busyTimeout: Int
        /// How large the file may grow, in bytes; nil is as large as the disk allows.
        public var maximumBytes: Int64?

        /// Makes a configuration.
        public init(
            durability: Durability = .process, access: Access = .writing, busyTimeout: Int = 250,
            maximumBytes: Int64? = nil
        ) {
            self.durability = durability
            self.access = access
            self.busyTimeout = busyTimeout
            self.maximumBytes = maximumBytes
        }
    }
}
