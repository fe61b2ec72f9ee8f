import HTTPTypes
import Hummingbird

/// The files of `Public`.
struct Assets {
    let dashboard: AudienceDashboard

    /// The file, or that it has not changed.
    ///
    /// Asked for anew each time, which costs no bytes while it stays the same.
    func show(_ path: [String], _ exchange: Exchange) throws(Problem) -> Response {
        guard let asset = dashboard.assets[path] else { throw .notFound("There is no such file.") }
        let known = (exchange.header(.ifNoneMatch) ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(where: { $0 == asset.tag || $0 == "W/" + asset.tag || $0 == "*" }) {
            return Response(status: .notModified, headers: [.eTag: asset.tag, .cacheControl: "public, no-cache"])
        }
        return .bytes(
            asset.bytes, type: asset.contentType, caching: "public, no-cache", headers: [.eTag: asset.tag])
    }
}
