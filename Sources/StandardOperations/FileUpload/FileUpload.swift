public import Flows
public import Foundation
public import Operations
import States

/// Takes a file, compresses it and passes it on to a destination, and shows each phase of that.
///
/// Memory stays small however large the file: it passes through in pieces, and waits on disk between the phases. A run
/// that fails keeps the file for a retry; one that succeeds or is cancelled leaves nothing behind but, on success, the
/// file at its destination. It blocks threads of its own, not those of Swift's pool.
public struct FileUpload: StateOperation {
    /// What uploads are held to.
    public struct Configuration: Sendable {
        /// The folder in which files wait.
        public let spool: String
        /// Where files can go, the first being the one taken when none is named.
        public let destinations: [any UploadDestination]
        /// How many bytes a file may have.
        public let maximumSize: Int64
        /// How many bytes a part has, 64 to 1,024 kB.
        public let partSize: Int
        /// How hard to compress, from 1, fast, to 9, small.
        public let compressionLevel: Int

        /// Makes a configuration.
        public init(
            spool: String, destinations: [any UploadDestination], maximumSize: Int64 = 64 << 30,
            partSize: Int = 256 << 10, compressionLevel: Int = 4
        ) {
            self.spool = spool
            self.destinations = destinations
            self.maximumSize = maximumSize
            self.partSize = min(max(partSize, 64 << 10), 1 << 20)
            self.compressionLevel = compressionLevel
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment
    private let threads = WorkerThreads(label: "weir.file-upload")

    /// Makes the operation.
    public init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// The file, and the destinations to choose from where there is more than one.
    public var inputFields: [InputField] {
        let names = configuration.destinations.map { JSONValue.string($0.name) }
        guard names.count > 1, let first = names.first else { return Input.fields }
        return Input.fields + [
            InputField("destination", "Destination", .choice(names.compactMap(\.string)), default: first)
        ]
    }

    /// Goes from `none` through all phases to `success`; throws ``FileUploadError``, which becomes `error`.
    ///
    /// Without bytes of its own, as in a retry, it goes on from those that an earlier run of the same file kept.
    public func perform(_ input: FileUploadInput, state: MutableStateFlow<FileUploadState>) async throws {
        let run = FileUploadRun(input: input, configuration: configuration, environment: environment, state: state)
        try await withTaskExecutorPreference(threads) { try await run.perform() }
    }

    /// Removes what a process left that did not live to end its uploads.
    ///
    /// Call it before the first upload.
    ///
    /// Files kept for a retry stay for so many seconds, by default a week. Throws ``FileUploadFailure``.
    public func removeLeftovers(keepingOriginalsFor age: TimeInterval = 7 * 86_400) async throws {
        try await withTaskExecutorPreference(threads) {
            try UploadSpool(directory: configuration.spool)
                .removeLeftovers(originalsBefore: environment.now().addingTimeInterval(-age))
            for destination in configuration.destinations { try await destination.removeLeftovers() }
        }
    }
}
