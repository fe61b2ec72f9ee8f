import WeirAccess

/// The right that a request requires: a verb and its subject.
enum Requirement: Hashable, Sendable {
    /// No right: the resource is the same for everyone, and is needed before signing in.
    case nothing
    /// A verb on at least one operation or store; the answer covers only subjects with that right.
    case anything(Verb)
    /// A verb on everything, including the server itself.
    case everything(Verb)
    case operation(Verb, String)
    case store(Verb, String)
    /// A verb on a run, and so on its operation.
    case run(Verb, String)
    /// The right to report runs of an operation, which need not be in the catalog.
    case reporting(String)
    /// The right to see the subject of a feed, which the feed's name contains.
    case feed
}

extension Route {
    /// The right that a request requires; no default, so that each new route decides explicitly.
    var requirement: Requirement {
        switch self {
        case .page(let name), .pageAfter(let name, cursor: _): name.requirement
        case .widget(let name), .widgetAfter(let name, cursor: _), .moments(let name): name.requirement
        case .presetForm(let id), .presets(let id): .operation(.start, id)
        case .operationRuns(let id), .operationUploads(let id), .operationUpload(let id, _): .operation(.start, id)
        case .badge(let id), .comparison(let id), .operationHealth(let id): .operation(.see, id)
        case .runCancellation(let run): .run(.cancel, run)
        case .runRetries(let run), .runContinuation(let run): .run(.start, run)
        // The step names its deciders; the board checks them.
        case .runDecision(let run): .run(.see, run)
        case .storeActions(let id): .store(.act, id)
        case .storeState(let id), .storeReset(let id): .store(.restore, id)
        case .storeEffect(let place): .store(.see, place.store)
        case .viewerName: .anything(.see)
        case .runOutput(let run), .runLines(let run), .runArtifact(let run, _): .run(.see, run)
        case .runExport(let run): .run(.export, run)
        case .runsExport: .anything(.export)
        case .runChange, .runViews, .pins, .apiGuide: .anything(.see)
        // The requests of its tools are checked like those of programs.
        case .assistant: .anything(.see)
        // The board checks each run.
        case .manyRunCancellations: .anything(.cancel)
        case .manyRunRetries: .anything(.start)
        case .manyRunDeletions: .everything(.administer)
        case .imports: .everything(.restore)
        case .noticeDismissal, .resumption, .serverNotificationTest: .everything(.administer)
        case .schedules, .report: .anything(.see)
        case .schedulePause(let id), .scheduleResumption(let id), .acknowledgement(let id), .acknowledgementEnd(let id):
            .operation(.start, id)
        // `HookReceiver` verifies the trigger's secret.
        case .hook: .nothing
        case .notificationTest(let id): .operation(.start, id)
        case .gallery: .anything(.see)
        case .system, .metrics: .everything(.administer)
        case .poll: .feed
        case .asset: .nothing
        case .api(let route): route.requirement
        case .healthLive, .healthReady, .healthConnection: .nothing
        case .hello: .nothing
        }
    }
}

extension PageName {
    fileprivate var requirement: Requirement {
        switch self {
        case .overview, .runs, .stores, .wall: .anything(.see)
        case .operation(let id): .operation(.see, id)
        case .run(let id): .run(.see, id)
        case .store(let id): .store(.see, id)
        }
    }
}
