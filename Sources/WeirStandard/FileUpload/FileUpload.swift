package import Foundation
package import WeirFlows
package import WeirOperations
import WeirStates

/// Receives a file, compresses it and passes it on to a destination, and shows each phase.
///
/// Memory stays small however large the file is: it is processed in pieces, and waits on disk between the phases. A run
/// that fails keeps the file for a retry; a run that succeeds or is cancelled leaves nothing behind except, on success,
/// the file at its destination. It blocks threads of its own, not those of Swift's pool.
package struct FileUpload: StateOperation {
    /// The limits and folders of uploads.
    package struct Configuration: Sendable {
        /// The folder in which files wait.
        package let spool: String
        /// The destinations; the first is used if none is named.
        package let destinations: [any UploadDestination]
        /// The maximum size of a file in bytes.
        package let maximumSize: Int64
        /// The size of a part in bytes, 64 to 1,024 kB.
        package let partSize: Int
        /// How hard to compress, from 1, fast, to 9, small.
        package let compressionLevel: Int

        /// Creates a configuration.
        package init(
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

    /// Creates the operation.
    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// The file, and the destinations to choose from where there is more than one.
    package var inputFields: [InputField] {
        let names = configuration.destinations.map { JSONValue.string($0.name) }
        guard names.count > 1, let first = names.first else { return Input.fields }
        return Input.fields + [
            InputField("destination", "Destination", .choice(names.compactMap(\.string)), default: first)
        ]
    }

    /// Goes from `none` through all phases to `success`; throws ``FileUploadError``, which becomes `error`.
    ///
    /// Without bytes of its own, as in a retry, it uses those that an earlier run of the same file kept.
    package func perform(_ input: FileUploadInput, state: MutableStateFlow<FileUploadState>) async throws {
        let run = FileUploadRun(input: input, configuration: configuration, environment: environment, state: state)
        try await withTaskExecutorPreference(threads) { try await run.perform() }
    }

    /// Removes files of uploads that ended with their process.
    ///
    /// Call it before the first upload.
    ///
    /// Files kept for a retry stay for the given number of seconds, by default a week. Throws ``FileUploadFailure``.
    package func removeLeftovers(keepingOriginalsFor age: TimeInterval = 7 * 86_400) async throws {
        try await withTaskExecutorPreference(threads) {
            try UploadSpool(directory: configuration.spool)
                .removeLeftovers(originalsBefore: environment.now().addingTimeInterval(-age))
            for destination in configuration.destinations { try await destination.removeLeftovers() }
        }
    }
}
