import Foundation
import WeirFlows

/// One hidden file in a folder, on its way to its name.
final class LocalDirectorySession: UploadSession {
    private let file: OutputFile
    private let directory: String
    private let destination: String
    private let name: SafeFilename
    private let parts = Locked(0)
    private let final = Locked<String?>(nil)

    init(file: OutputFile, directory: String, destination: String, name: SafeFilename) {
        self.file = file
        self.directory = directory
        self.destination = destination
        self.name = name
    }

    func part(_ number: Int, _ bytes: Data) async throws {
        let isNext = parts.withLock { parts in
            parts += 1
            return parts == number
        }
        guard isNext else { throw FileUploadFailure.refused(reason: "The parts arrived in the wrong order. Retry.") }
        try file.write(bytes)
    }

    func close() async throws -> String {
        try file.flushToDisk()
        file.close()
        // Giving the name by `link` and not by `rename` is what keeps a file with that name from being replaced.
        for number in 1...10_000 {
            let candidate = name.numbered(number)
            guard try FileSystem.giveName(directory + "/" + candidate, to: file.path) else { continue }
            final.withLock { $0 = directory + "/" + candidate }
            try FileSystem.remove(file.path)
            try FileSystem.flushDirectory(directory)
            return destination + "/" + candidate
        }
        throw FileUploadFailure.refused(
            reason: "There are already 10,000 files with this name. Give the file another name.")
    }

    func abort() async {
        file.close()
        file.removeQuietly()
        if let final = final.withLock({ $0 }) { FileSystem.removeQuietly(final) }
    }
}
