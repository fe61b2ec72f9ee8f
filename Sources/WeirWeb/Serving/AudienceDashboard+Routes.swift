import HTTPTypes
import Hummingbird
import WeirPages

extension AudienceDashboard {
    func answer(_ exchange: Exchange) async throws(Problem) -> Response {
        if [.get, .head].contains(exchange.request.method), !exchange.route.isForPrograms,
            let tag = exchange.target.query["lang"]
        {
            return try Languages(dashboard: self).choose(tag, exchange)
        }
        if case .api(let route) = exchange.route, let names = route.parameters {
            try exchange.target.query.check(names)
        }
        return switch exchange.route {
        case .page(let name): try await LivePages(dashboard: self).show(name, exchange)
        case .pageAfter(let name, let cursor):
            try await LivePages(dashboard: self).showNext(name, after: cursor, exchange)
        case .operationRuns(let id), .api(.operationRuns(let id)):
            try await RunStarts(dashboard: self).create(of: id, exchange)
        case .operationUploads(let id), .api(.operationUploads(let id)):
            try await TusRoutes(dashboard: self, operation: id).answerAll(exchange)
        case .operationUpload(let id, let upload), .api(.operationUpload(let id, let upload)):
            try await TusRoutes(dashboard: self, operation: id).answer(upload, exchange)
        case .runCancellation(let run), .api(.runCancellation(let run)):
            try await RunCancellations(dashboard: self).create(of: run, exchange)
        case .pins: try await Pins(dashboard: self).keep(exchange)
        case .runViews: try await RunViews(dashboard: self).keep(exchange)
        case .runChange: try await RunChanges(dashboard: self).show(exchange)
        case .manyRunCancellations: try await RunChanges(dashboard: self).create(.cancel, exchange)
        case .manyRunRetries: try await RunChanges(dashboard: self).create(.retry, exchange)
        case .runRetries(let run), .api(.runRetries(let run)):
            try await RunRetries(dashboard: self).create(of: run, exchange)
        case .runContinuation(let run), .api(.runContinuation(let run)):
            try await RunRetries(dashboard: self).continue(run, exchange)
        case .runDecision(let run), .api(.runDecision(let run)):
            try await RunDecisions(dashboard: self).create(of: run, exchange)
        case .storeActions(let id), .api(.storeActions(let id)):
            try await StoreCommands(dashboard: self).act(on: id, exchange)
        case .storeState(let id), .api(.storeState(let id)):
            try await StoreCommands(dashboard: self).put(into: id, exchange)
        case .storeReset(let id), .api(.storeReset(let id)):
            try await StoreCommands(dashboard: self).reset(id, exchange)
        case .storeEffect(let place): try await StoreEffects(dashboard: self).show(place, exchange)
        case .viewerName: try await ViewerName(dashboard: self).keep(exchange)
        case .runOutput(let run): try await OutputText(dashboard: self).show(run, exchange)
        case .runLines(let run): try await OutputWindows(dashboard: self).show(run, exchange)
        case .api(.runOutput(let run)): try await OutputLines(dashboard: self).list(of: run, exchange)
        case .runArtifact(let run, let name), .api(.runArtifact(let run, let name)):
            try await RunArtifacts(dashboard: self).show(name, of: run, exchange)
        case .api(.runArtifacts(let run)): try await RunArtifacts(dashboard: self).list(of: run)
        case .runExport(let run), .api(.runExport(let run)): try await RunExports(dashboard: self).show(run, exchange)
        case .runsExport, .api(.runsExport): try await RunExports(dashboard: self).list(exchange)
        case .imports, .api(.imports): try await RunImports(dashboard: self).create(exchange)
        case .resumption, .api(.resumption): try QuietEnd(dashboard: self).create(exchange)
        case .api(.backups): try Backups(dashboard: self).create()
        case .api(.latestBackup): try Backups(dashboard: self).show()
        case .api(.notices): try Notices(dashboard: self).list()
        case .noticeDismissal(let id), .api(.noticeDismissal(let id)):
            try await Notices(dashboard: self).dismiss(id, exchange)
        case .badge(let operation): try Badges(dashboard: self).show(operation, exchange)
        case .widget(let name): try await Widgets(dashboard: self).show(name, exchange)
        case .widgetAfter(let name, let cursor):
            try await Widgets(dashboard: self).showNext(name, after: cursor, exchange)
        case .moments(let name): try await MomentComparison(dashboard: self).show(name, exchange)
        case .comparison(let operation): try await ComparePage(dashboard: self).show(operation, exchange)
        case .operationHealth(let id): try await HealthPage(dashboard: self).show(id, exchange)
        case .api(.operationHealth(let id)): try await HealthPage(dashboard: self).list(id)
        case .api(.runComparison(let run)): try await ComparePage(dashboard: self).list(run, exchange)
        case .schedules: try await ScheduleList(dashboard: self).show(exchange)
        case .api(.schedules): try await ScheduleList(dashboard: self).list()
        case .api(.schedule(let id)): try await ScheduleList(dashboard: self).show(id)
        case .schedulePause(let id), .api(.schedulePause(let id)):
            try await SchedulePauses(dashboard: self).pause(id, exchange)
        case .scheduleResumption(let id), .api(.scheduleResumption(let id)):
            try await SchedulePauses(dashboard: self).resume(id, exchange)
        case .hook: throw .noSuchPage  // Handled before authorization.
        case .notificationTest(let id), .api(.notificationTest(let id)):
            try await HookPages(dashboard: self).test(id, exchange)
        case .api(.operationTriggers(let id)): try await HookPages(dashboard: self).triggers(id)
        case .api(.operationNotifications(let id)): try await HookPages(dashboard: self).list(id)
        case .api(.runNotifications(let run)): try await HookPages(dashboard: self).list(ofRun: run)
        case .gallery: try await GalleryPage(dashboard: self).show(exchange)
        case .system: try await SystemPage(dashboard: self).show(exchange)
        case .metrics: try metrics(exchange)
        case .poll: try await Polls(dashboard: self).answer(exchange)
        case .asset(let path): try Assets(dashboard: self).show(path, exchange)
        case .api(.operations): try OperationList(dashboard: self).list()
        case .api(.operation(let id)): try OperationList(dashboard: self).show(id)
        case .api(.runs): try await RunList(dashboard: self).list(exchange)
        case .api(.stores): try StoreList(dashboard: self).list()
        case .api(.store(let id)): try await StoreList(dashboard: self).show(id, exchange)
        case .api(.run(let id)): try await RunList(dashboard: self).show(id, exchange)
        case .api(.feedChanges(let feed)): try await FeedChanges(dashboard: self).list(feed, exchange)
        case .api(.stream(let feed)): try await Streams(dashboard: self).read(feed, isText: false, exchange)
        case .api(.streamText(let feed)): try await Streams(dashboard: self).read(feed, isText: true, exchange)
        case .api(.reportedRun(let operation, let run)):
            try await ReportStreams(dashboard: self).answer(run, of: operation, exchange)
        case .healthLive: try Health(dashboard: self).live()
        case .healthReady: try Health(dashboard: self).ready()
        case .hello: try Greeter(dashboard: self).greet(exchange)
        }
    }

    private func metrics(_ exchange: Exchange) throws(Problem) -> Response {
        guard let registry = self.configuration.metrics else { throw .noSuchPage }
        return MetricsAnswer(registry: registry).response(to: exchange.request.headers)
    }
}
