import Foundation

/// The folder in which files wait: `<id>.<n>.part` while they arrive, `<id>.original` when whole, `<id>.<n>.gz` compressed.
struct UploadSpool: Sendable {
    let directory: String

    /// Whether an id is made of letters, digits and hyphens, and so leads nowhere else.
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

    /// A new file for bytes that arrive.
    func arriving(_ id: String) throws(FileUploadFailure) -> OutputFile {
        try FileSystem.makeDirectory(directory)
        return try OutputFile.unused { "\(directory)/\(id).\($0).part" }
    }

    /// A new file for compressed bytes.
    func compressed(_ id: String) throws(FileUploadFailure) -> OutputFile {
        try OutputFile.unused { "\(directory)/\(id).\($0).gz" }
    }

    /// Removes what no run can use any more: everything that is no original, and originals last written before a date.
    func removeLeftovers(originalsBefore date: Date) throws(FileUploadFailure) {
        for entry in try FileSystem.entries(of: directory) {
            let path = directory + "/" + entry
            let isOld =
                entry.hasSuffix(".original") && FileSystem.status(of: path).map { $0.modified < date } ?? false
            if entry.hasSuffix(".part") || entry.hasSuffix(".gz") || isOld { try FileSystem.remove(path) }
        }
    }
}
