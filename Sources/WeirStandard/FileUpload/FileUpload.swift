package import Foundation
package import WeirFlows
package import WeirOperations
import WeirStates

/// Receives a file, compresses it and uploads it to a destination, with a state for each phase.
///
/// Memory use does not depend on the file's size: the file is processed in chunks and stored on disk between the phases. A
/// failed run keeps the file for a retry; a run that succeeds or is cancelled leaves only the file at its destination. Blocking
/// work runs on separate threads, not on Swift's pool.
package struct FileUpload: StateOperation {
    package struct Configuration: Sendable {
        /// The folder for files between the phases.
        let spool: String
        /// The destinations; the first is the default.
        let destinations: [any UploadDestination]
        /// The maximum size of a file in bytes.
        let maximumSize: Int64
        /// The size of a part in bytes, 64 to 1,024 kB.
        let partSize: Int
        /// The gzip level, from 1 (fast) to 9 (small).
        let compressionLevel: Int

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

    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// The file, and a choice of destinations if there are several.
    package var inputFields: [InputField] {
        let names = configuration.destinations.map { JSONValue.string($0.name) }
        guard names.count > 1, let first = names.first else { return Input.fields }
        return Input.fields + [
            InputField("destination", "Destination", .choice(names.compactMap(\.string)), default: first)
        ]
    }

    /// Performs the upload; throws ``FileUploadError``.
    ///
    /// Without content, as in a retry, it uses the file kept by an earlier run.
    package func perform(_ input: FileUploadInput, state: MutableStateFlow<FileUploadState>) async throws {
        let run = FileUploadRun(input: input, configuration: configuration, environment: environment, state: state)
        try await withTaskExecutorPreference(threads) { try await run.perform() }
    }

    /// Removes files of uploads that ended with their process.
    ///
    /// Call it before the first upload.
    ///
    /// Files kept for a retry stay for the given number of seconds. Throws ``FileUploadFailure``.
    package func removeLeftovers(keepingOriginalsFor age: TimeInterval = 7 * 86_400) async throws {
        try await withTaskExecutorPreference(threads) {
            try UploadSpool(directory: configuration.spool)
                .removeLeftovers(originalsBefore: environment.now().addingTimeInterval(-age))
            for destination in configuration.destinations { try await destination.removeLeftovers() }
        }
    }
}

package struct FileUploadInput: OperationInput {
    /// The file; only the request that starts the run has its content.
    let file: FileInput
    /// The name of the destination; nil for the first.
    let destination: String?

    package static var fields: [InputField] { [InputField("file", "File", .file, required: true)] }

    init(file: FileInput, destination: String? = nil) {
        self.file = file
        self.destination = destination
    }
}
