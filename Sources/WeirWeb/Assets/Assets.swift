import HTTPTypes
import Hummingbird
import NIOCore

/// The files of `Public`.
struct Assets {
    let dashboard: AudienceDashboard

    /// The file, or that it has not changed.
    ///
    /// One that is named by its content is never asked for again. Any other is asked for each time, which costs no bytes
    /// while it stays the same.
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
