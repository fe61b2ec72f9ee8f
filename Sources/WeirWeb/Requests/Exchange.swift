import HTTPTypes
import Hummingbird
import NIOCore
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// One request with what is known of it: what it names, who asks, and in which language.
struct Exchange: Sendable {
    let request: Request
    let target: RequestTarget
    let route: Route
    let locale: PageLocale
    /// Who asks.
    let viewer: PageViewer
    /// An event loop of the server, for answers that come later.
    let eventLoop: any EventLoop
    /// Who asks, by the rules in force; nil for what is answered to everybody alike.
    let admission: Admission?
    /// The right by which the request goes on while its body is read or its answer written.
    let right: HeldRight?
    /// Who asks, as the header of a page says it; nil where nobody is asked.
    let account: PageAccount?
    /// Where what a person saves is kept; nil where it stays in the browser, because nobody is known.
    var directory: AccessDirectory?
    /// Writes down in the audit what was done to one of many runs; nil where there is no audit.
    var auditRun: (@Sendable (AuditAction, String, AuditEntry.Outcome) -> Void)?

    /// Who asks, as runs and stores record it.
    var actor: String { viewer.name }

    /// A header field's value.
    func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

    /// Whether the client takes a compressed answer.
    var acceptsGzip: Bool { AcceptedCoding.isGzip(header(.acceptEncoding)) }

    /// The path that was asked for, without the query.
    var path: String { String(target.text.prefix { $0 != "?" }) }

    /// Whether the client wants JSON where a browser gets a page.
    var wantsJSON: Bool { ContentType(firstOf: header(.accept))?.isJSON ?? false }

    /// The page below the mount path that the browser came from; the overview if that is not known.
    func wayBack(in mount: MountPath) -> String {
        // `https://host/path?query`: what stands behind the third slash, with it.
        let parts = (header(.referer) ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return mount.wayBack(parts.count == 4 ? "/" + parts[3] : "")
    }

    /// The frame of a page that answers this request.
    func frame(_ dashboard: AudienceDashboard) -> PageFrame {
        var frame = PageFrame(
            locale: locale, path: target.text, clock: Timestamp(milliseconds: dashboard.clock.wall),
            viewer: viewer)
        frame.notices = dashboard.board.pageNotices
        frame.account = account
        return frame
    }
}
