import HTTPTypes
public import Hummingbird
import Journals
import Pages

extension Dashboard {
    /// Answers a request whose path lies below the mount path.
    ///
    /// Never throws: a mistake is an answer too.
    ///
    /// Suspends while a request is held, at most 14 s (60 s with the API's `wait`), and while a body is read.
    public func respond(to request: Request) async -> Response {
        let text = request.head.path ?? ""
        var route: Route?
        var response: Response
        do {
            let exchange = try exchange(request, text: text, route: &route)
            response = try await answer(exchange)
        } catch {
            response = self.response(to: error, request: request, text: text, route: route)
        }
        let isPage = response.headers[.contentType]?.hasPrefix("text/html") ?? false
        SecurityHeaders.add(to: &response.headers, isPage: isPage)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Holds a request against what every request must fulfil, in this order: host, path, method, origin.
    private func exchange(_ request: Request, text: String, route: inout Route?) throws(Problem) -> Exchange {
        guard hosts.allows(request.head.authority) else { throw .otherHost(request.head.authority ?? "") }
        let target: RequestTarget
        do {
            target = try RequestTarget(text, mount: mount)
        } catch {
            throw error == .outside ? .noSuchPage : .malformedPath
        }
        route = Route(target.segments)
        guard let route else { throw .noSuchPage }
        guard route.methods.contains(request.method) else { throw .methodNotAllowed(route.methods) }
        if ![.get, .head].contains(request.method),
            !CrossSiteCheck.allows(request.headers, authority: request.head.authority)
        {
            throw .crossSite
        }
        return Exchange(
            request: request, target: target, route: route, locale: locale(of: request),
            viewer: viewer(of: request, isForPrograms: route.isForPrograms), eventLoop: eventLoopGroup.any())
    }

    private func answer(_ exchange: Exchange) async throws(Problem) -> Response {
        if [.get, .head].contains(exchange.request.method), !exchange.route.isForPrograms,
            let tag = exchange.target.query["lang"]
        {
            return try Languages(dashboard: self).choose(tag, exchange)
        }
        return switch exchange.route {
        case .page(let name): try await LivePages(dashboard: self).show(name, exchange)
        case .pageAfter(let name, let cursor):
            try await LivePages(dashboard: self).showNext(name, after: cursor, exchange)
        case .operationRuns(let id), .api(.operationRuns(let id)):
            try await RunStarts(dashboard: self).create(of: id, exchange)
        case .runCancellation(let run), .api(.runCancellation(let run)):
            try await RunCancellations(dashboard: self).create(of: run, exchange)
        case .runRetries(let run), .api(.runRetries(let run)):
            try await RunRetries(dashboard: self).create(of: run, exchange)
        case .storeActions(let id), .api(.storeActions(let id)):
            try await StoreCommands(dashboard: self).act(on: id, exchange)
        case .storeState(let id), .api(.storeState(let id)):
            try await StoreCommands(dashboard: self).put(into: id, exchange)
        case .storeReset(let id), .api(.storeReset(let id)):
            try await StoreCommands(dashboard: self).reset(id, exchange)
        case .storeEffect(let place): try await StoreEffects(dashboard: self).show(place, exchange)
        case .viewerName: try await ViewerName(dashboard: self).keep(exchange)
        case .runOutput(let run): try await OutputText(dashboard: self).show(run, exchange)
        case .api(.runOutput(let run)): try await OutputLines(dashboard: self).list(of: run, exchange)
        case .runExport(let run), .api(.runExport(let run)): try await RunExports(dashboard: self).show(run)
        case .runsExport, .api(.runsExport): try await RunExports(dashboard: self).list(exchange)
        case .imports, .api(.imports): try await RunImports(dashboard: self).create(exchange)
        case .comparison(let operation): try await ComparePage(dashboard: self).show(operation, exchange)
        case .api(.runComparison(let run)): try await ComparePage(dashboard: self).list(run, exchange)
        case .gallery: .page(renderer.gallery(frame: exchange.frame(self)))
        case .system: try await SystemPage(dashboard: self).show(exchange)
        case .poll: try await Polls(dashboard: self).answer(exchange)
        case .asset(let path): try Assets(dashboard: self).show(path, exchange)
        case .api(.operations): try OperationList(dashboard: self).list()
        case .api(.operation(let id)): try OperationList(dashboard: self).show(id)
        case .api(.runs): try await RunList(dashboard: self).list(exchange)
        case .api(.stores): try StoreList(dashboard: self).list()
        case .api(.store(let id)): try await StoreList(dashboard: self).show(id, exchange)
        case .api(.run(let id)): try await RunList(dashboard: self).show(id, exchange)
        case .api(.feedChanges(let feed)): try await FeedChanges(dashboard: self).list(feed, exchange)
        case .healthLive: try Health(dashboard: self).live()
        case .healthReady: try Health(dashboard: self).ready()
        case .hello: try Greeter(dashboard: self).greet(exchange)
        }
    }

    /// A problem as a document for a program, or as a page for a browser.
    private func response(to problem: Problem, request: Request, text: String, route: Route?) -> Response {
        var response: Response
        let accept = request.headers[.accept] ?? ""
        if route?.isForPrograms != true, accept.contains("text/html") {
            let page = PageProblem(status: problem.status.code, title: problem.title, detail: problem.detail)
            let frame = PageFrame(locale: locale(of: request), path: text)
            response = .page(renderer.problem(page, frame: frame), status: problem.status)
            response.headers[.cacheControl] = "no-store"
        } else {
            let path = String(text.prefix { $0 != "?" }.prefix(1_000))
            do {
                response = try .json(
                    problem.document(instance: path), type: "application/problem+json", status: problem.status)
            } catch {
                response = Response(status: .internalServerError, headers: [.cacheControl: "no-store"])
            }
        }
        for field in problem.headers { response.headers.append(field) }
        if problem.closes { response.headers[.connection] = "close" }
        return response
    }

    private func locale(of request: Request) -> PageLocale {
        renderer.locale(
            choice: request.cookies[Languages.cookie]?.value, acceptLanguage: request.headers[.acceptLanguage])
    }

    /// Who asks: what a trusted proxy says, else what the client says of itself, else by which door it came.
    private func viewer(of request: Request, isForPrograms: Bool) -> PageViewer {
        let field = configuration.actorHeader.flatMap { HTTPField.Name($0) } ?? .weirActor
        let told = request.headers[field].map { String($0.filter { !$0.isNewline }.prefix(100)) } ?? ""
        guard told.isEmpty else { return PageViewer(name: told, canRename: false) }
        let name = isForPrograms ? "api" : ViewerName.name(in: request) ?? "operator"
        return PageViewer(name: name, canRename: true)
    }
}
