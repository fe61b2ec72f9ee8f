import Crypto
import Foundation
import NIOCore
import WeirStates

/// The files of `Public`, read once: the bundled ones, with a folder of one's own laid over them file by file.
///
/// A request names one of the paths found at the start or gets nothing, so no spelling of a path leads out of the folders.
/// Links are not followed, and names that begin with a dot are left out.
///
/// Pages name the files below a folder whose name is made of all their bytes, `@3f2c…/weir.css`, so that a browser keeps
/// them for good and asks for others as soon as one byte is different. Modules find each other and style sheets their
/// pictures there by relative addresses, as in `Public` itself.
struct AssetLibrary: Sendable {
    /// One file.
    struct Asset: Sendable {
        let bytes: ByteBuffer
        /// The same, compressed; nil if that saves nothing.
        let compressed: ByteBuffer?
        let contentType: String
        /// A strong entity tag, made of the bytes.
        let tag: EntityTag

        init(_ data: Data, at path: String) {
            bytes = ByteBuffer(bytes: data)
            contentType = AssetLibrary.contentType(of: path)
            let isText = contentType.hasPrefix("text/") || contentType.hasSuffix("json") || contentType.hasSuffix("xml")
            compressed = isText && data.count > 500 ? Gzip.compress(bytes, level: 9) : nil
            tag = EntityTag(Hex(SHA256.hash(data: data).prefix(16)).text)
        }
    }

    /// The most bytes of a file, since all files are kept in memory.
    private static let fileLimit = 64 << 20

    /// The folder that pages name the files in, below `assets`; made of all bytes.
    let folder: String
    private let assets: [String: Asset]

    /// Reads the bundled folder and lays another over it.
    ///
    /// Our scripts are joined (`ScriptBundle`); if the other folder replaces one of them, all are sent as they are.
    ///
    /// Throws `AssetLibraryError` when a folder or a file cannot be read.
    init(overlay: URL?) throws(AssetLibraryError) {
        let own = try Self.readAll(Bundle.module.bundleURL.appendingPathComponent("Public", isDirectory: true))
        var files = own
        for (path, data) in own { files[path] = ServedText.bytes(of: path, data) }
        let others = try overlay.map(Self.readAll) ?? [:]
        let scripts = own.keys.filter { $0.hasSuffix(".js") }
        if !scripts.contains(where: { others[$0] != nil }) {
            let sources = scripts.map { ($0, String(decoding: files[$0] ?? Data(), as: UTF8.self)) }
            for (path, text) in ScriptBundle.joining(Dictionary(sources) { $1 }) {
                files[path] = Data(text.utf8)
            }
        }
        files.merge(others) { $1 }
        let assets = Dictionary(files.map { ($0, Asset($1, at: $0)) }) { $1 }
        var hash = SHA256()
        for (path, asset) in assets.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Data((path + asset.tag.field).utf8))
        }
        folder = "@" + Hex(hash.finalize().prefix(8)).text
        self.assets = assets
    }

    /// The file that a path below `assets` names, and whether it always names these bytes.
    ///
    /// A folder of another version leads to the present file: a page that was loaded before an upgrade, or from another
    /// server beside this one, then still gets what it asks for.
    subscript(path: [String]) -> (asset: Asset, isFinal: Bool)? {
        if let asset = assets[path.joined(separator: "/")] { return (asset, false) }
        guard let first = path.first, first.hasPrefix("@") else { return nil }
        return assets[path.dropFirst().joined(separator: "/")].map { ($0, first == folder) }
    }

    private static func readAll(_ folder: URL) throws(AssetLibraryError) -> [String: Data] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue
        else {
            throw AssetLibraryError(folder: folder.path)
        }
        var files: [String: Data] = [:]
        do {
            try read(folder, below: "", into: &files)
        } catch {
            throw AssetLibraryError(folder: folder.path)
        }
        return files
    }

    private static func read(_ folder: URL, below prefix: String, into files: inout [String: Data]) throws {
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .isDirectoryKey, .isSymbolicLinkKey]
        let entries = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
        for entry in entries {
            let values = try entry.resourceValues(forKeys: keys)
            guard values.isSymbolicLink != true else { continue }
            let path = prefix + entry.lastPathComponent
            if values.isDirectory == true {
                try read(entry, below: path + "/", into: &files)
            } else if values.isRegularFile == true {
                files[path] = try RegularFile.bytes(of: entry.path, limit: fileLimit)
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
    package let folder: String

    /// What is wrong and what to do.
    public var description: String {
        "The folder of files \(folder) cannot be read. "
            + "Use a folder with the layout of Public and readable files of at most 64 MiB, or leave it out."
    }
}
