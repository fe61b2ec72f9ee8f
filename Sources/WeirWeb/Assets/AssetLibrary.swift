import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirStates

/// The files of `Public`, read once at startup, with an optional custom folder that replaces files one by one.
///
/// A request can only name a path found at startup, so no path leads out of the folders. Symbolic links and hidden files are
/// skipped.
///
/// Pages name files below a folder derived from a hash of all files, such as `@3f2c…/weir.css`. Browsers cache these URLs
/// forever, and the folder changes with any byte. Modules and style sheets refer to other files by relative URLs, as in
/// `Public` itself.
struct AssetLibrary: Sendable {
    struct Asset: Sendable {
        let bytes: ByteBuffer
        /// The bytes compressed with gzip, or nil if that saves nothing.
        let compressed: ByteBuffer?
        let contentType: String
        let tag: EntityTag

        init(_ data: Data, at path: String) {
            bytes = ByteBuffer(bytes: data)
            contentType = AssetLibrary.contentType(of: path)
            let isText = contentType.hasPrefix("text/") || contentType.hasSuffix("json") || contentType.hasSuffix("xml")
            compressed = isText && data.count > 500 ? Gzip.compress(bytes, level: 9) : nil
            tag = EntityTag(Hex(SHA256.hash(data: data).prefix(16)).text)
        }
    }

    /// The maximum size of a file in bytes; all files are kept in memory.
    private static let fileLimit = 64 << 20

    /// The folder below `assets` in the pages' URLs, a hash of all files.
    let folder: String
    private let assets: [String: Asset]

    /// Reads the bundled folder, once in a process if there is no custom one, then the custom one.
    ///
    /// Weir's scripts are bundled (`ScriptBundle`). If the custom folder replaces any of them, all are served individually.
    ///
    /// Throws `AssetLibraryError` when a folder or a file cannot be read.
    init(overlay: URL?) throws(AssetLibraryError) {
        self = try overlay == nil ? Self.bundled.get() : AssetLibrary(reading: overlay)
    }

    private static let bundled = Result { () throws(AssetLibraryError) in try AssetLibrary(reading: nil) }

    private init(reading overlay: URL?) throws(AssetLibraryError) {
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

    /// The file at a path below `assets`, and whether the path is immutable.
    ///
    /// The folder of another version returns the current file, because pages loaded before an upgrade, or from another server
    /// of a cluster, still request it.
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

/// A folder of static files that cannot be read.
public struct AssetLibraryError: Error, Sendable, CustomStringConvertible {
    let folder: String

    /// The error, with a remedy.
    public var description: String {
        "The folder of files \(folder) cannot be read. "
            + "Use a folder with the layout of Public and readable files of at most 64 MiB, or leave it out."
    }
}

struct Assets {
    let dashboard: AudienceDashboard

    /// Returns a file, or 304 if it has not changed; content-addressed URLs are cached forever, others are revalidated.
    func show(_ path: [String], _ exchange: Exchange) throws(Problem) -> Response {
        guard let (asset, isFinal) = dashboard.assets[path] else { throw .notFound(.noSuchFile) }
        let compressed = exchange.acceptsGzip ? asset.compressed : nil
        let tag = compressed == nil ? asset.tag : asset.tag.coded("gzip")
        let caching = isFinal ? "public, max-age=31536000, immutable" : "public, no-cache"
        var headers: HTTPFields = [.eTag: tag.field, .cacheControl: caching]
        if asset.compressed != nil { headers[.vary] = "Accept-Encoding" }
        if tag.isKnown(to: exchange.header(.ifNoneMatch)) { return Response(status: .notModified, headers: headers) }
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        return .bytes(compressed ?? asset.bytes, type: asset.contentType, caching: caching, headers: headers)
    }
}

/// Removes comments and indentation from Weir's own scripts and styles, and line ends and spaces at the punctuation of
/// styles.
///
/// It relies on the formatting rules of the bundled `Public` (see `Documentation/page-contract.md`). Files of a custom folder
/// are not processed.
enum ServedText {
    static func bytes(of path: String, _ data: Data) -> Data {
        let text = String(decoding: data, as: UTF8.self)
        switch path.split(separator: ".").last {
        case "js":
            let lines = trimmed(withoutBlocks(text, opening: "/**")).filter { !$0.hasPrefix("//") }
            return Data(lines.joined(separator: "\n").utf8)
        case "css":
            // Each line of the bundled styles ends with punctuation, and no text in quotation marks has these characters.
            let styles = trimmed(withoutBlocks(text, opening: "/*")).joined()
            let dense = [" {", "{ ", "; ", " }", ", ", ": "].reduce(styles) {
                $0.replacingOccurrences(of: $1, with: $1.trimmingCharacters(in: .whitespaces))
            }
            return Data(dense.utf8)
        default: return data
        }
    }

    private static func trimmed(_ text: String) -> [Substring] {
        text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
    }

    private static func withoutBlocks(_ text: String, opening: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: opening),
            let end = rest.range(of: "*/", range: start.upperBound..<rest.endIndex)
        {
            result += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return result + rest
    }
}
