import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

/// A request with its parsed target, route, sender and language.
struct Exchange: Sendable {
    let request: Request
    let target: RequestTarget
    let route: Route
    let locale: PageLocale
    let viewer: PageViewer
    let eventLoop: any EventLoop
    /// The sender's permissions; nil for routes that answer every sender alike.
    let admission: Admission?
    /// Checked while the body is read and the answer is written.
    let right: HeldRight?
    /// The account in the page's header; nil if authentication is off.
    let account: PageAccount?
    /// Stores a user's preferences; nil if they stay in the browser, because authentication is off.
    var directory: AccessDirectory?
    /// The client's address and whether a trusted proxy named it; nil in an app with its own authentication.
    var origin: RequestOrigin?
    /// Details for the audit entry of the request.
    var notes = AuditNotes()
    /// Records an audit entry for one of several runs; nil if there is no audit.
    var auditRun: (@Sendable (AuditAction, String, AuditEntry.Outcome) -> Void)?

    /// The sender's name, as recorded with runs and stores.
    var actor: String { viewer.name }

    /// The account that stores what a person saves; nil if a cookie does.
    var person: (principal: Principal, directory: AccessDirectory)? {
        // Anonymous visitors share one principal, so each browser keeps its own.
        guard let directory, let principal = admission?.authorization.principal, principal.kind != .anonymous else {
            return nil
        }
        return (principal, directory)
    }

    func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

    var acceptsGzip: Bool { AcceptedCoding.isGzip(header(.acceptEncoding)) }

    var path: String { String(target.text.prefix { $0 != "?" }) }

    /// Whether the client prefers JSON to a page.
    var wantsJSON: Bool { ContentType(firstOf: header(.accept))?.isJSON ?? false }

    /// Returns the path below the mount that the `Referer` field names, or the overview.
    func wayBack(in mount: MountPath) -> String {
        // Takes the part after the third slash of `https://host/path?query`.
        let parts = (header(.referer) ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return mount.wayBack(parts.count == 4 ? "/" + parts[3] : "")
    }

    func frame(_ dashboard: AudienceDashboard) -> PageFrame {
        var frame = PageFrame(
            locale: locale, path: target.text, clock: Timestamp(milliseconds: dashboard.clock.wall),
            viewer: viewer)
        frame.notices = dashboard.board.pageNotices
        frame.pausedSchedules = dashboard.board.pausedSchedules
        frame.acknowledged = dashboard.board.acknowledgements
        frame.withoutStart = dashboard.board.schedulesWithoutStart
        frame.account = account
        return frame
    }
}

extension Exchange {
    func moment(_ text: String) throws(Problem) -> SequenceNumber {
        guard let sequence = SequenceNumber(text), sequence > 0 else {
            throw .malformedQuery(
                "at", .queryAt)
        }
        return sequence
    }

    /// A text that identifies the principal; nil if authentication is off.
    var principalKey: String? {
        guard let admission, !admission.check.isOpen else { return nil }
        return admission.authorization.principal.key
    }

    /// Returns the idempotency key of the request: 1 to 255 visible characters, optionally quoted.
    ///
    /// Keys are scoped to the principal, not to its name.
    func idempotencyKey() throws(Problem) -> String? {
        guard let sent = header(.idempotencyKey) else { return nil }
        let isQuoted = sent.count >= 2 && sent.first == "\"" && sent.last == "\""
        let key = isQuoted ? String(sent.dropFirst().dropLast()) : sent
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                "malformed-header", .badRequest, "Malformed header",
                "Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.",
                errors: [.init(field: "Idempotency-Key", detail: "must be 1 to 255 visible ASCII characters")])
        }
        return ownKey(key)
    }

    /// Scopes a key to the principal, so that principals with the same name do not share it.
    func ownKey(_ key: String) -> String {
        guard let principalKey else { return key }
        // Neither part contains a line break, so the concatenation is unambiguous.
        return Hex(SHA256.hash(data: Data("\(principalKey)\n\(key)".utf8))).text
    }
}
