import Dispatch
import Foundation

/// The folder for files between the phases: `<id>.<n>.part` while arriving, `<id>.original` when complete, `<id>.<n>.gz`
/// compressed.
struct UploadSpool: Sendable {
    let directory: String

    /// Returns whether an id consists of letters, digits and hyphens, so that it cannot leave the folder.
    static func isID(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    func original(_ id: String) -> String { "\(directory)/\(id).original" }

    func hasOriginal(_ id: String) -> Bool { FileSystem.exists(original(id)) }

    /// Creates a file for incoming content.
    func arriving(_ id: String) throws(FileUploadFailure) -> OutputFile {
        try FileSystem.makeDirectory(directory)
        return try OutputFile.unused { "\(directory)/\(id).\($0).part" }
    }

    /// Creates a file for compressed content.
    func compressed(_ id: String) throws(FileUploadFailure) -> OutputFile {
        try OutputFile.unused { "\(directory)/\(id).\($0).gz" }
    }

    /// Removes files that no run can use: everything except originals, and originals last written before a date.
    func removeLeftovers(originalsBefore date: Date) throws(FileUploadFailure) {
        for entry in try FileSystem.entries(of: directory) {
            let path = directory + "/" + entry
            let isOld =
                entry.hasSuffix(".original") && FileSystem.status(of: path).map { $0.modified < date } ?? false
            if entry.hasSuffix(".part") || entry.hasSuffix(".gz") || isOld { try FileSystem.remove(path) }
        }
    }
}

/// Threads for blocking file I/O, which keeps other tasks responsive.
final class WorkerThreads: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility, attributes: .concurrent)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
