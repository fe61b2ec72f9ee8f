import HTTPTypes
import WeirJournals

/// What a URL names: the map of the whole site, below the mount path.
enum Route: Hashable, Sendable {
    /// A page that is followed live.
    case page(PageName)
    /// A live page's document after the next change, for browsers without JavaScript.
    case pageAfter(PageName, cursor: String)
    /// The runs of an operation, as its start form names them.
    case operationRuns(String)
    /// The uploads to an operation that can be continued.
    case operationUploads(String)
    /// One of them.
    case operationUpload(operation: String, upload: String)
    /// How an operation stands, as a picture.
    case badge(String)
    /// An operation or a run as a small page that another site shows in a frame.
    case widget(PageName)
    /// The same after the next change.
    case widgetAfter(PageName, cursor: String)
    /// Two moments of a run or a store, and what differs between them.
    case moments(PageName)
    /// Two of an operation's runs, side by side.
    case comparison(String)
    /// How an operation has done lately.
    case operationHealth(String)
    /// The cancellation of a run.
    case runCancellation(String)
    /// The attempts that follow a run.
    case runRetries(String)
    /// The attempt that takes over the steps of a run that succeeded.
    case runContinuation(String)
    /// The decision that a run asks for.
    case runDecision(String)
    /// The actions of a store.
    case storeActions(String)
    /// The state of a store, for another to be put in its place.
    case storeState(String)
    /// A store's way back to its first state.
    case storeReset(String)
    /// A file that a store's effect offers.
    case storeEffect(EffectPlace)
    /// The name under which somebody acts.
    case viewerName
    /// All lines that a run printed, as a text.
    case runOutput(String)
    /// A run as a file.
    case runExport(String)
    /// The runs of a list as a file.
    case runsExport
    /// What a change of many runs would do.
    case runChange
    /// The views of the list of runs that a browser keeps.
    case runViews
    /// The operations that a browser has pinned.
    case pins
    /// The cancellation of many runs.
    case manyRunCancellations
    /// The attempts that follow many runs.
    case manyRunRetries
    /// The runs that files bring.
    case imports
    /// The dismissal of a notice.
    case noticeDismissal(String)
    /// All schedules.
    case schedules
    /// The pause of an operation's schedule.
    case schedulePause(String)
    /// A trigger of an operation.
    case hook(operation: String, name: String)
    /// Test messages about an operation.
    case notificationTest(String)
    /// The end of that pause.
    case scheduleResumption(String)
    /// Every sample of every operation.
    case gallery
    /// What the server is and how it does.
    case system
    /// What live clients ask.
    case poll
    /// A file of `Public`, by the segments of its path.
    case asset([String])
    /// A resource of the API.
    case api(APIRoute)
    /// Whether the process lives.
    case healthLive
    /// Whether the process can do its work.
    case healthReady
    /// What the greeting asks by default.
    case hello

    /// The place of an effect: a change of a store, and its index in it.
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
        case (3, "schedules") where segments[2] == "pause": self = .schedulePause(segments[1])
        case (3, "schedules") where segments[2] == "resumption": self = .scheduleResumption(segments[1])
        case (3, "hooks"): self = .hook(operation: segments[1], name: segments[2])
        case (4, "operations") where segments[2] == "notifications" && segments[3] == "test":
            self = .notificationTest(segments[1])
        case (1, "system"): self = .system
        case (1, "hello"): self = .hello
        case (1, "pins"): self = .pins
        case (2, "after"): self = .pageAfter(.overview, cursor: segments[1])
        case (2, "operations"): self = .page(.operation(segments[1]))
        case (3, "operations") where segments[2] == "runs": self = .operationRuns(segments[1])
        case (3, "operations") where segments[2] == "uploads": self = .operationUploads(segments[1])
        case (4, "operations") where segments[2] == "uploads":
            self = .operationUpload(operation: segments[1], upload: segments[3])
        case (3, "operations") where segments[2] == "badge.svg": self = .badge(segments[1])
        case (3, "operations") where segments[2] == "compare": self = .comparison(segments[1])
        case (3, "operations") where segments[2] == "health": self = .operationHealth(segments[1])
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
        case (2, "runs"): self = .page(.run(segments[1]))
        case (3, "runs") where segments[2] == "cancellation": self = .runCancellation(segments[1])
        case (3, "runs") where segments[2] == "retries": self = .runRetries(segments[1])
        case (3, "runs") where segments[2] == "continuation": self = .runContinuation(segments[1])
        case (3, "runs") where segments[2] == "decision": self = .runDecision(segments[1])
        case (3, "runs") where segments[2] == "output": self = .runOutput(segments[1])
        case (4, "runs") where segments[2] == "after": self = .pageAfter(.run(segments[1]), cursor: segments[3])
        case (1, "stores"): self = .page(.stores)
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
        case (1, "name"): self = .viewerName
        case (2, "health") where segments[1] == "live": self = .healthLive
        case (2, "health") where segments[1] == "ready": self = .healthReady
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

    /// Whether other sites may use it, where the configuration names them.
    var isEmbeddable: Bool {
        switch self {
        case .badge, .widget, .widgetAfter: true
        default: false
        }
    }

    /// What can be done with it.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .operationRuns, .runCancellation, .runRetries, .runContinuation, .runDecision, .imports: [.post]
        case .storeActions, .storeState, .storeReset, .viewerName, .noticeDismissal: [.post]
        case .schedulePause, .scheduleResumption, .hook, .notificationTest: [.post]
        case .operationUploads: [.post, .options]
        case .operationUpload: [.head, .patch, .delete, .options]
        case .manyRunCancellations, .manyRunRetries, .runViews, .pins: [.post]
        case .poll: [.get]
        case .api(let route): route.methods
        default: [.get, .head]
        }
    }

    /// Whether its errors are problem documents, whatever the client accepts, rather than pages.
    var isForPrograms: Bool {
        switch self {
        case .api, .poll, .healthLive, .healthReady, .hello, .hook: true
        default: false
        }
    }
}
