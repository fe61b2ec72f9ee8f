import HTTPTypes
import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

struct Health {
    let dashboard: AudienceDashboard

    func live() throws(Problem) -> Response { try .json(["status": "live"]) }

    /// The readiness check: succeeds while the journal records changes and the server is not shutting down.
    func ready() throws(Problem) -> Response {
        if dashboard.pollResponder.isDraining || dashboard.stopNotice.isSet {
            throw notReady("The server is shutting down; ask another server, or try again when it is back.")
        }
        if case .notRecorded(let since, let reason) = dashboard.board.recording {
            throw notReady("Nothing has been recorded since \(since): \(reason)")
        }
        var members: [String: JSONValue] = ["status": "ready", "role": .string(dashboard.board.role.rawValue)]
        if dashboard.board.isQuiet { members["quiet"] = true }
        if let conditions = dashboard.configuration.conditions?() {
            // Only the kinds: everybody can read this.
            members["conditions"] = .array(Set(conditions.map(\.kind.rawValue)).sorted().map(JSONValue.string))
        }
        members["backup"] = dashboard.configuration.backups.map { .string($0.standing.word) }
        return try .json(.object(members))
    }

    private func notReady(_ detail: String) -> Problem {
        Problem("not-ready", .serviceUnavailable, "Not ready", detail, headers: [.retryAfter: "5"])
    }
}

/// The servers that share the journal.
struct Servers {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let servers = dashboard.board.nodes.map { view -> JSONValue in
            let standing = view.node.standing
            return [
                "id": .string(view.node.id), "name": .string(view.node.name), "this": .bool(view.isThis),
                "role": view.node.isRecording ? "recording" : "following", "silent": .bool(view.isSilent),
                "sequence": .integer(standing.head.rawValue), "runs": .integer(Int64(standing.runs)),
                "viewers": .integer(Int64(standing.viewers)), "files": standing.catalog.map(JSONValue.string) ?? .null,
            ]
        }
        return try .json(["servers": .array(servers)])
    }
}

/// Returns a plain-text greeting, which the greeting operation requests by default so that it works without a network.
struct Greeter {
    let dashboard: AudienceDashboard

    func greet(_ exchange: Exchange) throws(Problem) -> Response {
        guard dashboard.configuration.helloRoute else { throw .noSuchPage }
        guard let label = exchange.target.query["label"], !label.isEmpty else {
            throw .malformedQuery("label", "must name whom to greet, as in hello?label=World.")
        }
        return .text("Hello, \(label)!", type: "text/plain; charset=utf-8", caching: "no-store")
    }
}

struct Notices {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let notices = dashboard.board.notices.map { notice -> JSONValue in
            guard case .object(var members) = notice.json else { return notice.json }
            members["text"] = .string(notice.description)
            return .object(members)
        }
        return try .json(["notices": .array(notices)])
    }

    /// Dismisses a notice; a browser is redirected even if the notice is already dismissed.
    func dismiss(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let isDismissed: Bool
        do { isDismissed = try await dashboard.board.dismissNotice(id) } catch { throw Problem(error) }
        if isDismissed { exchange.notes.add("notice \(id)") }
        guard case .api = exchange.route else {
            return exchange.wantsJSON ? try .json([:]) : .seeOther(exchange.wayBack(in: dashboard.mount))
        }
        guard isDismissed else {
            throw .notFound(.unknownNotice)
        }
        return try list()
    }
}

extension VisibleBoard {
    var pageNotices: PageNotices {
        var notices = PageNotices(notices: self.notices)
        if case .notRecorded(let since, _) = recording { notices.notRecordedSince = since }
        notices.diskAlmostFullSince = diskAlmostFullSince.value
        notices.removal = announcedRemoval.value
        notices.refusedSettings = refusedSettings.value
        notices.quiet = quiet.value
        return notices
    }
}
