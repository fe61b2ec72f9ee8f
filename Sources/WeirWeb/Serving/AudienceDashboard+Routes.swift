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
        return switch exchange.route {
        case .page(let name): try await LivePages(dashboard: self).show(name, exchange)
        case .pageAfter(let name, let cursor):
            try await LivePages(dashboard: self).showNext(name, after: cursor, exchange)
        case .operationRuns(let id):
            try await RunStarts(dashboard: self).create(of: id, exchange)
        case .operationUploads(let id):
            try await TusRoutes(dashboard: self, operation: id).answerAll(exchange)
        case .operationUpload(let id, let upload):
            try await TusRoutes(dashboard: self, operation: id).answer(upload, exchange)
        case .runCancellation(let run):
            try await RunCancellations(dashboard: self).create(of: run, exchange)
        case .pins: try await Pins(dashboard: self).keep(exchange)
        case .presetForm(let id): try await Presets(self, of: id).ask(exchange)
        case .presets(let id): try await Presets(self, of: id).change(exchange)
        case .runViews: try await RunViews(dashboard: self).keep(exchange)
        case .runChange: try await RunChanges(dashboard: self).show(exchange)
        case .manyRunCancellations: try await RunChanges(dashboard: self).create(.cancel, exchange)
        case .manyRunRetries: try await RunChanges(dashboard: self).create(.retry, exchange)
        case .manyRunDeletions: try await RunChanges(dashboard: self).create(.delete, exchange)
        case .runRetries(let run):
            try await RunRetries(dashboard: self).create(of: run, exchange)
        case .runContinuation(let run):
            try await RunRetries(dashboard: self).continue(run, exchange)
        case .runDecision(let run):
            try await RunDecisions(dashboard: self).create(of: run, exchange)
        case .storeActions(let id):
            try await StoreCommands(dashboard: self).act(on: id, exchange)
        case .storeState(let id):
            try await StoreCommands(dashboard: self).put(into: id, exchange)
        case .storeReset(let id):
            try await StoreCommands(dashboard: self).reset(id, exchange)
        case .storeEffect(let place): try await StoreEffects(dashboard: self).show(place, exchange)
        case .viewerName: try await ViewerName(dashboard: self).keep(exchange)
        case .runOutput(let run): try await OutputText(dashboard: self).show(run, exchange)
        case .runLines(let run): try await OutputWindows(dashboard: self).show(run, exchange)
        case .runArtifact(let run, let name):
            try await RunArtifacts(dashboard: self).show(name, of: run, exchange)
        case .runExport(let run): try await RunExports(dashboard: self).show(run, exchange)
        case .runsExport: try await RunExports(dashboard: self).list(exchange)
        case .imports: try await RunImports(dashboard: self).create(exchange)
        case .resumption: try QuietEnd(dashboard: self).create(exchange)
        case .noticeDismissal(let id):
            try await Notices(dashboard: self).dismiss(id, exchange)
        case .badge(let operation): try Badges(dashboard: self).show(operation, exchange)
        case .widget(let name): try await Widgets(dashboard: self).show(name, exchange)
        case .widgetAfter(let name, let cursor):
            try await Widgets(dashboard: self).showNext(name, after: cursor, exchange)
        case .moments(let name): try await MomentComparison(dashboard: self).show(name, exchange)
        case .comparison(let operation): try await ComparePage(dashboard: self).show(operation, exchange)
        case .operationHealth(let id): try await HealthPage(dashboard: self).show(id, exchange)
        case .report: try await ReportPage(dashboard: self).show(exchange)
        case .schedules: try await ScheduleList(dashboard: self).show(exchange)
        case .schedulePause(let id):
            if exchange.request.method == .post {
                try await SchedulePauses(dashboard: self).pause(id, exchange)
            } else {
                try await SchedulePauses(dashboard: self).ask(id, exchange)
            }
        case .scheduleResumption(let id):
            try await SchedulePauses(dashboard: self).resume(id, exchange)
        case .assistant: throw .noSuchPage  // Handled by the dashboard.
        case .acknowledgement(let id):
            if exchange.request.method == .post {
                try await Acknowledging(dashboard: self).create(of: id, exchange)
            } else {
                try await Acknowledging(dashboard: self).ask(id, exchange)
            }
        case .acknowledgementEnd(let id):
            try await Acknowledging(dashboard: self).end(of: id, exchange)
        case .hook: throw .noSuchPage  // Handled before authorization.
        case .notificationTest(let id):
            try await HookPages(dashboard: self).test(id, exchange)
        case .serverNotificationTest: try await HookPages(dashboard: self).test(nil, exchange)
        case .gallery: try await GalleryPage(dashboard: self).show(exchange)
        case .system: try await SystemPage(dashboard: self).show(exchange)
        case .metrics: try metrics(exchange)
        case .poll: try await Polls(dashboard: self).answer(exchange)
        case .asset(let path): try Assets(dashboard: self).show(path, exchange)
        case .apiGuide: try await APIGuide(dashboard: self).show(exchange)
        case .api(let route): try await answer(route, exchange)
        case .healthLive: try Health(dashboard: self).live()
        case .healthReady: try Health(dashboard: self).ready()
        case .healthConnection: try ConnectionProbe(dashboard: self).answer(exchange)
        case .hello: try Greeter(dashboard: self).greet(exchange)
        }
    }

    private func answer(_ route: APIRoute, _ exchange: Exchange) async throws(Problem) -> Response {
        if let names = route.resource.parameters { try exchange.target.query.check(names) }
        return try await route.resource.answer(self, route, exchange)
    }

    private func metrics(_ exchange: Exchange) throws(Problem) -> Response {
        guard let registry = self.configuration.metrics else { throw .noSuchPage }
        return MetricsAnswer(registry: registry).response(to: exchange.request.headers)
    }
}
