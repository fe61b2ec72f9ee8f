import HTTPTypes
import Hummingbird
import WeirAccess
import WeirJournals

/// A resource of the site, below the mount path.
enum Route: Hashable, Sendable {
    case page(PageName)
    /// A live page after the next change, for browsers without JavaScript.
    case pageAfter(PageName, cursor: String)
    /// The runs of an operation; its start form posts here.
    case operationRuns(String)
    /// The resumable uploads to an operation.
    case operationUploads(String)
    case operationUpload(operation: String, upload: String)
    /// An operation's status as an image.
    case badge(String)
    /// An operation or a run as a small page for a frame on another site.
    case widget(PageName)
    /// A widget after the next change.
    case widgetAfter(PageName, cursor: String)
    /// A comparison of two moments of a run or a store.
    case moments(PageName)
    case comparison(String)
    case operationHealth(String)
    /// What happened in a period.
    case report
    case acknowledgement(String)
    case acknowledgementEnd(String)
    case runCancellation(String)
    case runRetries(String)
    /// A retry from the failed step of a run.
    case runContinuation(String)
    case runDecision(String)
    case storeActions(String)
    /// The state of a store, for replacement.
    case storeState(String)
    case storeReset(String)
    /// A file that a store's effect offers.
    case storeEffect(EffectPlace)
    case viewerName
    /// The whole output of a run as text.
    case runOutput(String)
    /// A part of the output of a run, or a search in it, for the run's page.
    case runLines(String)
    /// A file that a run keeps.
    case runArtifact(run: String, name: String)
    case runExport(String)
    case runsExport
    /// A preview of a change of several runs.
    case runChange
    case runViews
    case pins
    /// The page that asks for the name of a preset.
    case presetForm(String)
    /// The presets of an operation that a person saves.
    case presets(String)
    case manyRunCancellations
    case manyRunRetries
    case manyRunDeletions
    case imports
    case noticeDismissal(String)
    /// The end of a quiet start.
    case resumption
    case schedules
    case schedulePause(String)
    case hook(operation: String, name: String)
    case notificationTest(String)
    /// A test of the notifications about the server.
    case serverNotificationTest
    case scheduleResumption(String)
    case gallery
    case system
    case poll
    /// A file of `Public`, by its path segments.
    case asset([String])
    case api(APIRoute)
    /// Messages of assistants (the Model Context Protocol).
    case assistant
    /// The description of the API as a page.
    case apiGuide
    case metrics
    case healthLive
    case healthReady
    /// What the server sees of a connection, and when its answer arrives.
    case healthConnection
    /// The default target of the greeting operation.
    case hello

    /// A change of a store and the index of an effect in it.
    struct EffectPlace: Hashable, Sendable {
        let store: String
        let sequence: SequenceNumber
        let index: Int

        init?(_ segments: [String]) {
            guard segments.count == 5, segments[0] == "stores", segments[2] == "effects",
                let sequence = SequenceNumber(segments[3]), let index = Int(segments[4])
            else { return nil }
            (store, self.sequence, self.index) = (segments[1], sequence, index)
        }
    }

    init?(_ segments: [String]) {
        switch (segments.count, segments.first) {
        case (0, _): self = .page(.overview)
        case (1, "runs"): self = .page(.runs)
        case (1, "gallery"): self = .gallery
        case (1, "schedules"): self = .schedules
        case (1, "report"): self = .report
        case (3, "schedules") where segments[2] == "pause": self = .schedulePause(segments[1])
        case (3, "schedules") where segments[2] == "resumption": self = .scheduleResumption(segments[1])
        case (3, "hooks"): self = .hook(operation: segments[1], name: segments[2])
        case (4, "operations") where segments[2] == "notifications" && segments[3] == "test":
            self = .notificationTest(segments[1])
        case (2, "notifications") where segments[1] == "test": self = .serverNotificationTest
        case (1, "system"): self = .system
        case (1, "api"): self = .apiGuide
        case (1, "mcp"): self = .assistant
        case (1, "hello"): self = .hello
        case (1, "metrics"): self = .metrics
        case (1, "pins"): self = .pins
        case (2, "after"): self = .pageAfter(.overview, cursor: segments[1])
        case (2, "operations"): self = .page(.operation(segments[1]))
        case (3, "operations") where segments[2] == "runs": self = .operationRuns(segments[1])
        case (3, "operations") where segments[2] == "uploads": self = .operationUploads(segments[1])
        case (4, "operations") where segments[2] == "uploads":
            self = .operationUpload(operation: segments[1], upload: segments[3])
        case (3, "operations") where segments[2] == "presets": self = .presets(segments[1])
        case (4, "operations") where segments[2] == "presets" && segments[3] == "new":
            self = .presetForm(segments[1])
        case (3, "operations") where segments[2] == "badge.svg": self = .badge(segments[1])
        case (3, "operations") where segments[2] == "compare": self = .comparison(segments[1])
        case (3, "operations") where segments[2] == "health": self = .operationHealth(segments[1])
        case (3, "operations") where segments[2] == "acknowledgement": self = .acknowledgement(segments[1])
        case (4, "operations") where segments[2] == "acknowledgement" && segments[3] == "end":
            self = .acknowledgementEnd(segments[1])
        case (4, "operations") where segments[2] == "after":
            self = .pageAfter(.operation(segments[1]), cursor: segments[3])
        case (3, "runs") where segments[1] == "after": self = .pageAfter(.runs, cursor: segments[2])
        case (3..., "widgets"):
            guard let name = Self.widget(segments[1], segments[2]) else { return nil }
            if segments.count == 3 {
                self = .widget(name)
            } else {
                guard segments.count == 5, segments[3] == "after" else { return nil }
                self = .widgetAfter(name, cursor: segments[4])
            }
        case (1, "imports"): self = .imports
        case (2, "runs") where segments[1] == "export": self = .runsExport
        case (3, "runs") where segments[2] == "export": self = .runExport(segments[1])
        case (3, "runs") where segments[2] == "moments": self = .moments(.run(segments[1]))
        case (3, "stores") where segments[2] == "moments": self = .moments(.store(segments[1]))
        case (2, "runs") where segments[1] == "views": self = .runViews
        case (2, "runs") where segments[1] == "change": self = .runChange
        case (2, "runs") where segments[1] == "cancellations": self = .manyRunCancellations
        case (2, "runs") where segments[1] == "retries": self = .manyRunRetries
        case (2, "runs") where segments[1] == "deletions": self = .manyRunDeletions
        case (2, "runs"): self = .page(.run(segments[1]))
        case (3, "runs") where segments[2] == "cancellation": self = .runCancellation(segments[1])
        case (3, "runs") where segments[2] == "retries": self = .runRetries(segments[1])
        case (3, "runs") where segments[2] == "continuation": self = .runContinuation(segments[1])
        case (3, "runs") where segments[2] == "decision": self = .runDecision(segments[1])
        case (3, "runs") where segments[2] == "output": self = .runOutput(segments[1])
        case (3, "runs") where segments[2] == "lines": self = .runLines(segments[1])
        case (4..., "runs") where segments[2] == "artifacts":
            self = .runArtifact(run: segments[1], name: segments.dropFirst(3).joined(separator: "/"))
        case (4, "runs") where segments[2] == "after": self = .pageAfter(.run(segments[1]), cursor: segments[3])
        case (1, "stores"): self = .page(.stores)
        case (1, "wall"): self = .page(.wall)
        case (3, "wall") where segments[1] == "after": self = .pageAfter(.wall, cursor: segments[2])
        case (3, "stores") where segments[1] == "after": self = .pageAfter(.stores, cursor: segments[2])
        case (2, "stores"): self = .page(.store(segments[1]))
        case (3, "stores") where segments[2] == "actions": self = .storeActions(segments[1])
        case (3, "stores") where segments[2] == "state": self = .storeState(segments[1])
        case (3, "stores") where segments[2] == "reset": self = .storeReset(segments[1])
        case (4, "stores") where segments[2] == "after": self = .pageAfter(.store(segments[1]), cursor: segments[3])
        case (5, "stores"):
            guard let place = EffectPlace(segments) else { return nil }
            self = .storeEffect(place)
        case (3, "notices") where segments[2] == "dismissal": self = .noticeDismissal(segments[1])
        case (1, "resumption"): self = .resumption
        case (1, "name"): self = .viewerName
        case (2, "health") where segments[1] == "live": self = .healthLive
        case (2, "health") where segments[1] == "ready": self = .healthReady
        case (2, "health") where segments[1] == "connection": self = .healthConnection
        case (2..., "live") where segments[1] == "1": self = .poll
        case (2..., "assets"): self = .asset(Array(segments.dropFirst()))
        case (2..., "api") where segments[1] == "v1":
            guard let route = APIRoute(segments.dropFirst(2)) else { return nil }
            self = .api(route)
        default: return nil
        }
    }

    private static func widget(_ kind: String, _ id: String) -> PageName? {
        switch kind {
        case "operations": .operation(id)
        case "runs": .run(id)
        default: nil
        }
    }

    /// Whether other sites may embed it, if the configuration allows them.
    var isEmbeddable: Bool {
        switch self {
        case .badge, .widget, .widgetAfter: true
        default: false
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .operationRuns, .runCancellation, .runRetries, .runContinuation, .runDecision, .imports: [.post]
        case .storeActions, .storeState, .storeReset, .viewerName, .noticeDismissal, .resumption: [.post]
        case .scheduleResumption, .hook, .notificationTest, .serverNotificationTest, .acknowledgementEnd:
            [.post]
        case .acknowledgement, .schedulePause: [.get, .head, .post]
        case .assistant: [.post]
        case .operationUploads: [.post, .options]
        case .operationUpload: [.head, .patch, .delete, .options]
        case .manyRunCancellations, .manyRunRetries, .manyRunDeletions, .runViews, .pins, .presetForm, .presets: [.post]
        case .poll, .healthConnection: [.get]
        case .api(let route): route.methods
        default: [.get, .head]
        }
    }

    /// Whether errors are always problem documents rather than pages.
    var isForPrograms: Bool {
        switch self {
        case .api, .assistant, .poll, .healthLive, .healthReady, .healthConnection, .hello, .hook, .metrics,
            .runLines:
            true
        default: false
        }
    }
}

/// A resource below `api/v1`: a row of ``APIResource/table``, and the values of the parameters in its path.
struct APIRoute: Hashable, Sendable {
    let resource: APIResource
    let values: [String]

    /// Creates the route of a path below `api/v1`; nil if `table` does not have it.
    init?(_ segments: ArraySlice<String>, in table: [APIResource] = APIResource.table) {
        for resource in table {
            guard let values = resource.values(in: segments) else { continue }
            (self.resource, self.values) = (resource, values)
            return
        }
        return nil
    }

    /// The first parameter of the path: the subject of the required right.
    var id: String { values.first ?? "" }

    /// The second parameter of the path.
    var part: String { values.dropFirst().first ?? "" }

    /// `HEAD` is allowed wherever `GET` is.
    var methods: [HTTPRequest.Method] {
        resource.methods.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }

    var requirement: Requirement {
        switch resource.right {
        case .nothing: .nothing
        case .anything(let verb): .anything(verb)
        case .everything(let verb): .everything(verb)
        case .operation(let verb): .operation(verb, id)
        case .store(let verb): .store(verb, id)
        case .run(let verb): .run(verb, id)
        case .reporting: .reporting(id)
        case .feed: .feed
        }
    }

    func auditAction(_ method: HTTPRequest.Method) -> AuditAction? {
        let declared = resource.methods.first { $0.method == (method == .head ? .get : method) }
        guard let action = declared?.audit else { return nil }
        // A head does not reveal what an export contains.
        if action == .export, method == .head { return nil }
        // Of the streams, only outputs are audited.
        if resource.right == .feed, !id.hasPrefix("output-") { return nil }
        return action
    }
}

/// A row of the API's table: everything about one path.
///
/// The router, the rights, the audit, the check of query parameters and the description are made from it.
struct APIResource: Hashable, Sendable {
    typealias Handler = @Sendable (AudienceDashboard, APIRoute, Exchange) async throws(Problem) -> Response

    /// The right that all methods of a resource require, on the first parameter of its path.
    enum Right: Hashable, Sendable {
        /// No right: the answer is about the caller alone.
        case nothing
        case anything(Verb)
        case everything(Verb)
        case operation(Verb)
        case store(Verb)
        case run(Verb)
        case reporting
        case feed
    }

    /// The path below `api/v1`, such as `runs/{run}/artifacts/{name}`.
    let path: String
    let right: Right
    let methods: [APIMethod]
    /// Whether the query can have parameters besides the declared ones, or its handler checks them.
    let checksQuery: Bool
    let answer: Handler
    private let segments: [Substring]
    /// Whether the last parameter contains the rest of the path.
    private let takesRest: Bool

    init(
        _ path: String, _ right: Right, _ methods: APIMethod..., checksQuery: Bool = false, takesRest: Bool = false,
        answer: @escaping Handler
    ) {
        self.init(path, right, methods, checksQuery: checksQuery, takesRest: takesRest, answer: answer)
    }

    init(
        _ path: String, _ right: Right, _ methods: [APIMethod], checksQuery: Bool = false, takesRest: Bool = false,
        answer: @escaping Handler
    ) {
        (self.path, self.right, self.methods, self.checksQuery) = (path, right, methods, checksQuery)
        (self.answer, self.takesRest, segments) = (answer, takesRest, path.split(separator: "/"))
    }

    static func == (one: APIResource, other: APIResource) -> Bool { one.path == other.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The names of the query's parameters; nil if the handler checks them.
    var parameters: [String]? {
        checksQuery ? nil : methods.flatMap { $0.parameters.filter { $0.place == .query }.map(\.name) }
    }

    /// Returns the values of the path's parameters, or nil for another path.
    fileprivate func values(in sent: ArraySlice<String>) -> [String]? {
        guard sent.count == segments.count || takesRest && sent.count > segments.count else { return nil }
        var values: [String] = []
        for (segment, value) in zip(segments, sent) {
            if segment.hasPrefix("{") { values.append(value) } else if segment != value { return nil }
        }
        if sent.count > segments.count, let last = values.popLast() {
            values.append(([last] + sent.dropFirst(segments.count)).joined(separator: "/"))
        }
        return values
    }
}
