import Crypto
import Foundation
import NIOCore

/// The files of `Public`, read once: the bundled ones, with a folder of one's own laid over them file by file.
///
/// A request names one of the paths found at the start or gets nothing, so no spelling of a path leads out of the folders.
/// Links are not followed, and names that begin with a dot are left out.
struct AssetLibrary: Sendable {
    /// One file.
    struct Asset: Sendable {
        let bytes: ByteBuffer
        let contentType: String
        /// A strong entity tag, made of the bytes.
        let tag: String
    }

    private var assets: [String: Asset] = [:]

    /// Reads the bundled folder and lays another over it.
    ///
    /// Throws `AssetLibraryError` when a folder or a file cannot be read.
    init(overlay: URL?) throws(AssetLibraryError) {
        let bundled = Bundle.module.bundleURL.appendingPathComponent("Public", isDirectory: true)
        try readAll(bundled, as: ServedText.bytes)
        if let overlay { try readAll(overlay) { _, data in data } }
    }

    /// The file at that path.
    subscript(segments: [String]) -> Asset? { assets[segments.joined(separator: "/")] }

    private mutating func readAll(
        _ folder: URL, as served: (_ path: String, Data) -> Data
    ) throws(AssetLibraryError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue
        else {
            throw AssetLibraryError(folder: folder.path)
        }
        do {
            try read(folder, below: "", as: served)
        } catch {
            throw AssetLibraryError(folder: folder.path)
        }
    }

    private mutating func read(
        _ folder: URL, below prefix: String, as served: (_ path: String, Data) -> Data
    ) throws {
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .isDirectoryKey, .isSymbolicLinkKey]
        let entries = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
        for entry in entries {
            let values = try entry.resourceValues(forKeys: keys)
            guard values.isSymbolicLink != true else { continue }
            let path = prefix + entry.lastPathComponent
            if values.isDirectory == true {
                try read(entry, below: path + "/", as: served)
            } else if values.isRegularFile == true {
                let data = served(path, try Data(contentsOf: entry))
                let hash = SHA256.hash(data: data).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                assets[path] = Asset(
                    bytes: ByteBuffer(bytes: data), contentType: Self.contentType(of: path),
                    tag: "\"" + hash.joined() + "\"")
            }
        }
    }

    private static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last?.lowercased() {
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json", "map": "application/json"
        case "svg": "image/svg+xml"
        case "html": "text/html; charset=utf-8"
        case "txt", "md": "text/plain; charset=utf-8"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "avif": "image/avif"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

/// A folder of files to serve that cannot be used.
public struct AssetLibraryError: Error, Sendable, CustomStringConvertible {
    /// The folder's path, for the person who configured it.
    public let folder: String

    /// What is wrong and what to do.
    public var description: String {
        "The folder of files \(folder) cannot be read. Use a folder with the layout of Public and readable files, or leave it out."
    }
}
