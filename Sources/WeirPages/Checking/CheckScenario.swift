import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// Renders every page in every situation that has its own branch, from the catalog's samples.
///
/// The time is proportional to the number of operations: each state of each operation is rendered once with its own
/// template. Pages that operations share are rendered only for operations and states with a trait that no earlier one has,
/// each in a catalog that contains nothing else.
struct CheckScenario {
    let writer: PageWriter
    private let isWhole: Bool
    private let cursor = PageCursor(epoch: "e", sequence: 1, next: "n", now: "w", snap: "s", after: "a")
    private let output = PageOutput(
        tail: OutputTail(
            head: 2,
            lines: [OutputLine(number: 2, draft: OutputDraft(at: Timestamp(milliseconds: 0), text: "x"))],
            isClosed: false),
        cursor: PageCursor(epoch: "e", sequence: 2, next: "n", now: "w", snap: "s", after: nil))
    private let frame = {
        var frame = PageFrame(
            path: "/?a=b", clock: Timestamp(milliseconds: 0), viewer: PageViewer(name: "x", canRename: true))
        frame.notices = Self.notices
        frame.account = PageAccount(name: "x")
        frame.viewers = "x"
        return frame
    }()
    private static let notices = {
        let moment = Timestamp(milliseconds: 0)
        let ofJournal = JournalNotice.Kind.allCases.flatMap { kind in
            [nil, "f"].map { JournalNotice(kind, at: moment, file: $0, lost: 1...2) }
        }
        var notices = PageNotices(notRecordedSince: moment, replacedAt: moment, notices: ofJournal)
        notices.removal = AnnouncedRemoval(reason: .size, runs: 1, kept: 1, due: moment)
        notices.refusedSettings = RefusedSettings(at: moment, lost: ["k"])
        notices.diskAlmostFullSince = moment
        notices.quiet = QuietStart(.copied, since: moment)
        return notices
    }()

    init(writer: PageWriter, isWhole: Bool = false) {
        self.writer = writer
        self.isWhole = isWhole
    }

    /// Renders all pages.
    ///
    /// - Parameter checkpoint: Called between operations and stores.
    /// - Throws: The error of the checkpoint, which ends the rendering.
    func render<Failure: Error>(_ checkpoint: () throws(Failure) -> Void) throws(Failure) {
        var traits = OperationTraits(writer.strings)
        var shown: [CatalogEntry] = []
        for entry in writer.catalog.entries {
            try checkpoint()
            let views = SampleViews(entry).views
            states(entry, views)
            var isNew = traits.insert(entry)
            let ends = [Phase.succeeded, .failed].compactMap { phase in
                views.firstIndex { $0.record.state.phase == phase }
            }
            let samples = views.enumerated().filter { index, view in
                let isNewState = traits.insert(view.record.state, of: entry)
                isNew = isNew || isNewState
                // Includes the first and the last state, because pages compare states, and a success and a failure,
                // because the overview names the last failure before a success.
                return isWhole || isNewState || index == 0 || index == views.count - 1 || ends.contains(index)
            }
            guard isWhole || isNew else { continue }
            shown.append(entry)
            alone([entry]).operation(entry, samples.map(\.element) + others(entry, views))
        }
        for entry in writer.catalog.stores {
            try checkpoint()
            alone([]).stores(entry)
        }
        try checkpoint()
        alone(shown).everything()
    }

    /// The scenario for a catalog with only these operations.
    private func alone(_ entries: [CatalogEntry]) -> CheckScenario {
        var writer = writer
        writer.catalog = Catalog()
        for entry in entries { writer.catalog.add(entry) }
        for entry in self.writer.catalog.stores { writer.catalog.add(entry) }
        return CheckScenario(writer: writer, isWhole: isWhole)
    }

    /// Renders each state of an operation with its own template.
    private func states(_ entry: CatalogEntry, _ views: [RunView]) {
        let place = PageWriter.Place(uid: "x", isCompact: false)
        for view in views + [interrupted(entry, views)].compactMap({ $0 }) { _ = writer.stateBody(view, place) }
    }

    private func operation(_ entry: CatalogEntry, _ views: [RunView]) {
        for view in views { pages(entry, view, all: views) }
        past(entry, views)
        startForm(entry)
        health(entry, views)
        for view in [views.first, nil] {
            _ = writer.render("partials/badge", writer.badge(entry.id, latest: view))
        }
        let contents = views.map(PageContent.run) + [.operation(OperationView(id: entry.id))]
        for fields in contents.compactMap({ writer.widget($0, after: "a") }) {
            _ = writer.render("pages/widget", fields)
        }
    }

    /// Renders the pages that concern all operations or none.
    private func everything() {
        let board = BoardView(sequence: 0, operations: [], recentRuns: [])
        for content in [.stores(board), .board(board), .runs(board), .wall(board)] as [PageContent] { pages(content) }
        if let busy = busyBoard() { pages(.board(busy)) }
        arranged(board, text: writer.catalog.entries.first?.id ?? "")
        // Never traps: the views of an entry are the same each time.
        if let view = writer.catalog.entries.lazy.compactMap({ SampleViews($0).views.last }).first {
            // Fills the list, so that it links to older runs.
            let runs = (0..<PageWriter.liveRuns).map { _ in view }
            pages(.runs(BoardView(sequence: 1, operations: [], recentRuns: runs)))
        }
        for fields in [
            writer.gallery(), writer.gallery(atMost: 0),
            writer.gallery(.operation(writer.catalog.entries.first?.id ?? "")),
        ] {
            let gallery = writer.region("pages/gallery", fields, title: writer.title(""), frame: frame)
            _ = writer.document(gallery, title: writer.title(""), section: .gallery, frame: frame)
        }
        schedules()
        report()
        api()
        hooks()
        artifacts()
        system()
        accounts()
        _ = writer.render("partials/notices", ["standing": writer.standing(Self.notices)])
        for names in [["x"], (0...PageWriter.namedViewers).map { _ in "x" }] {
            _ = writer.render("partials/viewers", ["viewers": writer.viewers(names)])
        }
        let problem = PageProblem(status: 404, title: "title", detail: Message(verbatim: "detail"))
        _ = writer.region("pages/problem", writer.problemPage(problem), title: writer.title(""), frame: frame)
    }

    /// Renders schedules that are active, paused and refused, and that missed times.
    private func schedules() {
        let at = Timestamp(milliseconds: 0)
        let text = try? Schedule(cron: "@daily", randomDelay: "5m")
        guard let start = text.map({ ScheduledStart($0) }), let entry = writer.catalog.entries.first else { return }
        let record = SampleViews(entry).views.first?.record
        let views = [nil, ScheduleStanding.Pause(by: "x", at: at, reason: "x")].flatMap { pause in
            [("x", nil), (nil, "x")].map { run, refusal in
                let standing = ScheduleStanding(
                    "x", from: at, pause: pause, last: .init(time: at, at: at, run: run, refusal: refusal),
                    missed: .init(count: run == nil ? 1 : 2, newest: at, at: at))
                return ScheduleView(operation: entry.id, start: start, standing: standing, lastRun: record, at: at)
            }
        }
        for views in [views, []] {
            _ = writer.region("pages/schedules", writer.schedulesPage(views), title: writer.title(""), frame: frame)
        }
        for view in views {
            let fields = writer.operationPage(OperationView(id: entry.id), draft: nil, schedule: view)
            _ = writer.region("pages/operation", fields, title: writer.title(""), frame: frame)
        }
    }

    private func hooks() {
        guard let entry = writer.catalog.entries.first else { return }
        for hooks in [PageHooks.sample(of: entry.id), .sample(of: entry.id, isOfRun: true)] {
            let fields = writer.operationPage(OperationView(id: entry.id), draft: nil, hooks: hooks)
            _ = writer.region("pages/operation", fields, title: writer.title(""), frame: frame)
        }
        if let view = SampleViews(entry).views.last {
            let fields = writer.runPage(view, hooks: .sample(of: entry.id, isOfRun: true))
            _ = writer.region("pages/run", fields, title: writer.title(""), frame: frame)
        }
        let bare = writer.operationPage(OperationView(id: entry.id), draft: nil, hooks: .bare(of: entry.id))
        _ = writer.region("pages/operation", bare, title: writer.title(""), frame: frame)
    }

    private func artifacts() {
        guard let sample = writer.catalog.entries.first.flatMap({ SampleViews($0).views.last })?.record else { return }
        let artifact = Artifact(name: "dist/a.csv", bytes: 9)
        let payload: JSONValue = ["artifacts": [["name": .string(artifact.name), "bytes": .integer(artifact.bytes)]]]
        let record = RunRecord(
            id: sample.id, operation: sample.operation, opening: sample.opening,
            state: StateRecord(caseName: "succeeded", payload: payload, phase: .succeeded), cause: nil, revision: 1,
            sequence: 2, openedSequence: 1, startedAt: sample.startedAt, endedAt: sample.startedAt)
        let fields = writer.runPage(RunView(record: record, transitions: [], omittedTransitions: 0))
        _ = writer.region("pages/run", fields, title: writer.title(""), frame: frame)
        for body in [
            .text("x", isCut: true), .table([["a"], ["b"]], isCut: false), .image, .document, .binary,
        ] as [PageArtifact.Body] {
            let page = writer.artifactPage(PageArtifact(run: record, artifact: artifact, body: body))
            _ = writer.region("pages/artifact", page, title: writer.title(""), frame: frame)
        }
    }

    private func accounts() {
        let at = Timestamp(milliseconds: 0)
        var signIn = SignInForm()
        (signIn.mistake, signIn.hasProvider, signIn.refused) = (.wrong, true, "x")
        signIn.signOutURL = "x"
        var (setUp, newPassword) = (SetUpForm(), NewPasswordForm(name: "x", action: "x"))
        (setUp.error, newPassword.error) = (Message(verbatim: "x"), Message(verbatim: "x"))
        var facts = AccountFacts(name: "x", kind: "person")
        (facts.groups, facts.verbs, facts.links) = (["x"], ["x"], ["users"])
        facts.canSignIn = true
        var users = UserList(
            rows: [("x", [("x", "x", true, "x", "x", "x")], at, true, true, at)], roles: ["x"])
        (users.known, users.grants) = ([("x", "x")], [("x", "x")])
        (users.error, users.sendsMail) = (Message(verbatim: "x"), true)
        users.link = (name: "x", url: "x", expires: at, mail: "x", fault: "x")
        users.people = [
            (id: "x", name: "x", identity: "y", groups: "x", seen: at, leaseEnd: at, sessions: 1, tokens: 1, links: 1)
        ]
        let session = (id: "x", name: "x", address: "x", begun: at, used: at, isThis: true)
        let shared: AllLinkRow = (id: "x", run: "x", operation: "x", maker: nil, expires: at)
        let token: TokenList.Row = (id: "x", name: "x", roles: "x", maker: nil, expires: at, used: "x")
        var tokens = TokenList(rows: [token], roles: ["x"])
        (tokens.error, tokens.secret) = (Message(verbatim: "x"), "x")
        let entry: AuditList.Row = (
            number: 1, at: at, name: "x", action: "x", subject: "x", outcome: "done", count: 2, address: "x",
            detail: "x"
        )
        var audit = AuditList(rows: [entry], actions: ["x"], outcomes: ["done"], head: "x")
        audit.older = 1
        let link: LinkList.Row = (id: "x", maker: nil, created: at, expires: at, mayRevoke: true)
        var links = LinkList(run: "x", rows: [link])
        (links.error, links.address) = (Message(verbatim: "x"), "x")
        for page in [
            .signIn(signIn), .setUp(setUp), .account(facts), .newPassword(newPassword), .users(users), .tokens(tokens),
            .signInCode(SignInCodeForm()), .secondFactor(.sample(at)), .links(links), .audit(audit),
            .sessions([session]), .allLinks([shared]),
        ] as [AccountPage] {
            let (template, fields, title) = writer.accountPage(page)
            _ = writer.region(template, fields, title: writer.title(title), frame: frame)
        }
    }

    private func pages(_ entry: CatalogEntry, _ view: RunView, all: [RunView]) {
        let operation = OperationView(id: entry.id, recent: [view] + all, activeRuns: 2)
        let board = BoardView(sequence: 1, operations: [operation], recentRuns: [view])
        for content in [.board(board), .runs(board), .operation(operation), .run(view)] as [PageContent] {
            pages(content)
        }
        arranged(board, text: entry.id)
        acknowledged(board, entry)
        for item in writer.tail(of: board) { _ = writer.render("partials/tail-item", item) }
        var filter = RunFilter(parameters: ["operation": "x", "from": "y", "to": "z"])
        filter.before = 1
        _ = writer.render("pages/runs", writer.runsPage([view.record], filter: filter, olderURL: "o"))
        let failed = RunFilter(parameters: ["phase": "failed"])
        _ = writer.render(
            "pages/runs",
            writer.runsPage([view.record, view.record], filter: failed, olderURL: nil, total: .atLeast(1)))
        changes(view)
        surroundings(view)
        var frame = PageFrame()
        frame.views = [SavedView(name: "v", filter: filter)]
        _ = writer.render(
            "pages/runs",
            writer.runsPage([], filter: filter, olderURL: nil).merging(["views": writer.views(frame, filter)]))
        let other = RunFilter(parameters: [
            "from": "2026-11-21", "to": "2026-11-22",
            "attempt": "3", "within": "24h", "sort": "duration", "text": view.record.id,
        ])
        _ = writer.render("pages/runs", writer.runsPage([view.record], filter: other, olderURL: nil))
        _ = writer.render(
            "pages/runs",
            writer.runsPage(
                [], filter: RunFilter(parameters: ["x": "y"]), olderURL: nil, mistake: Message(verbatim: "m")))
    }

    /// Renders the overview with a filter that matches an operation, and with one that matches none.
    private func arranged(_ board: BoardView, text id: String) {
        var arrangement = Arrangement(parameters: ["text": id, "sort": "running", "density": "compact"])
        _ = writer.render("pages/board", writer.board(board, arrangement))
        (arrangement.text, arrangement.grouping, arrangement.pins) = ("\u{0}", .tag, Arrangement.Pins(id))
        _ = writer.render("pages/board", writer.board(board, arrangement))
    }

    /// Renders the other runs on a run's page.
    private func surroundings(_ view: RunView) {
        var around = RunSurroundings()
        (around.failedSteps, around.failures, around.isOpenEnded) = ([view.record], 2, true)
        (around.success, around.ahead, around.front, around.isRetriedDeleted) = (view.record, 1, view.record.id, true)
        for around in [around, RunSurroundings()] {
            _ = writer.render("partials/surroundings", writer.surroundings(view, around))
            _ = writer.render("partials/origin", writer.origin(view, around))
        }
    }

    private func changes(_ view: RunView) {
        for change in RunChange.allCases {
            let plan = RunChange.Plan(
                change, runs: [view.record], unknown: 1, hasMore: true, key: "k", filter: RunFilter())
            _ = writer.render("pages/run-change", writer.planPage(plan))
            let items = RunChange.Result.allCases.map {
                RunChange.Report.Item(
                    run: view.record.id, result: $0, newRun: view.record.id,
                    detail: Message(verbatim: "d"))
            }
            let report = RunChange.Report(change, items: items, filter: RunFilter())
            _ = writer.render("pages/run-change", writer.reportPage(report))
        }
    }

    private func stores(_ entry: StoreEntry) {
        for view in SampleStores(entry).views {
            let board = BoardView(sequence: 1, operations: [], recentRuns: [], stores: [view])
            for content in [.board(board), .stores(board), .store(view)] as [PageContent] { pages(content) }
            let drafts = writer.acts(view, isPast: false, draft: nil).map { act in
                let mistakes = (entry.forms.flatMap(\.fields).map(\.name) + ["other"])
                    .map { InputMistake(field: $0, detail: "d") }
                return FormDraft(form: act.id, errors: mistakes, message: Message(verbatim: "m"))
            }
            for draft in drafts {
                _ = writer.region(
                    "pages/store", writer.storePage(view, past: nil, draft: draft), title: writer.title(""),
                    frame: frame)
            }
            let latest = SampleStores(entry).views.first ?? view
            let past = writer.storePage(view, past: .init(latest: latest, next: 9), draft: nil)
            let pair = writer.momentsPage(.store(latest, view, newest: latest))
            _ = writer.region("pages/moments", pair, title: writer.title(""), frame: frame)
            _ = writer.region("pages/store", past, title: writer.title(""), frame: frame)
        }
    }

    private func pages(_ content: PageContent) {
        let main = writer.region(content, cursor: cursor, frame: frame, draft: nil, output: output)
        let title = writer.title(content)
        _ = writer.document(main, title: title, section: writer.section(of: content), cursor: cursor, frame: frame)
    }

    /// Renders past moments, and comparisons of two runs.
    private func past(_ entry: CatalogEntry, _ views: [RunView]) {
        for view in views {
            let moment = RunMoment(run: view, newest: view, previous: 1, next: 2)
            _ = writer.region(.run(moment), ahead: 9, frame: frame)
            _ = writer.comparePage(RunComparison(view, views.first ?? view))
            let compared = RunComparison(views.first ?? view, view)
            for other in Self.differences(compared) { _ = writer.render("pages/compare", writer.comparePage(other)) }
            let pair = MomentPair.run(views.first ?? view, view, newest: view)
            _ = writer.region("pages/moments", writer.momentsPage(pair), title: writer.title(""), frame: frame)
            _ = writer.region("pages/compare", writer.comparePage(compared), title: writer.title(""), frame: frame)
        }
    }

    /// Runs that no sample covers: interrupted ones, and ones with an estimate.
    private func others(_ entry: CatalogEntry, _ views: [RunView]) -> [RunView] {
        [interrupted(entry, views)].compactMap { $0 } + expected(entry, views)
    }

    /// An interrupted run with omitted transitions that retries another.
    private func interrupted(_ entry: CatalogEntry, _ views: [RunView]) -> RunView? {
        guard let last = views.last else { return nil }
        let opening = RunOpening(
            actor: "a", input: ["file": ["filename": "f", "length": 1]], retryOf: "other", attempt: 2)
        let state = StateRecord(caseName: "interrupted", payload: ["last": "x"], phase: .interrupted)
        let record = RunRecord(
            id: "other", operation: entry.id, opening: opening, state: state, cause: EndCause.shutdown.description,
            revision: 1, sequence: 2, openedSequence: 1, startedAt: last.record.startedAt,
            endedAt: last.record.startedAt)
        return RunView(record: record, transitions: last.transitions, omittedTransitions: 1)
    }

    private func expected(_ entry: CatalogEntry, _ views: [RunView]) -> [RunView] {
        views.filter { $0.record.state.phase == .active }.prefix(1).map { view in
            let sample = view.record
            let rest = RunEstimate.Remaining(shortest: 1_000, longest: 2_000, right: 9, tried: 10)
            let opening = RunOpening(
                actor: "a", input: sample.opening.input,
                expected: RunEstimate(cases: [sample.state.caseName: rest]))
            let record = RunRecord(
                id: "expected", operation: entry.id, opening: opening, state: sample.state, cause: nil, revision: 1,
                sequence: 2, openedSequence: 1, startedAt: sample.startedAt, endedAt: nil)
            return RunView(record: record, transitions: view.transitions, omittedTransitions: 0)
        }
    }

    /// Renders the health of an operation with runs of every outcome, and without runs.
    private func health(_ entry: CatalogEntry, _ views: [RunView]) {
        let sample = SampleViews(entry).views.last?.record
        let now = (sample?.startedAt ?? Timestamp(milliseconds: 0)).after(60_000)
        let rest = RunEstimate.Remaining(shortest: 1, longest: 2, right: 9, tried: 10)
        let runs = [Phase.succeeded, .failed, .cancelled, .active].flatMap { phase in
            (0..<5).map { index in
                RunRecord(
                    id: "\(phase)\(index)", operation: entry.id,
                    opening: RunOpening(
                        actor: "a", input: ["x": "y"], expected: RunEstimate(cases: ["x": rest])),
                    state: StateRecord(caseName: "x", payload: ["message": "m"], phase: phase), cause: nil, revision: 1,
                    sequence: 2, openedSequence: 1, startedAt: now.before(50_000),
                    endedAt: phase == .active ? nil : now.before(40_000))
            }
        }
        for health in [
            OperationHealth(of: entry.id, runs: runs, isCut: true, details: views, asOf: now),
            OperationHealth(of: entry.id, runs: runs, details: views, asOf: now.after(3 * 86_400_000)),
            OperationHealth(of: entry.id, runs: [], asOf: now),
        ] {
            _ = writer.region("pages/health", writer.healthPage(health), title: writer.title(""), frame: frame)
        }
    }

    private func startForm(_ entry: CatalogEntry) {
        let mistakes = (entry.fields.map(\.name) + ["other"]).map { InputMistake(field: $0, detail: "d") }
        let draft = FormDraft(values: [:], errors: mistakes, message: Message(verbatim: "m"))
        let view = OperationView(id: entry.id)
        let preset = InputPreset(name: "x", input: ["x": "y"])
        for own in [[], [preset]] {
            let page = writer.operationPage(view, draft: draft, presets: (own, "x"), mistakes: ["m"])
            _ = writer.region("pages/operation", page, title: writer.title(""), frame: frame)
        }
        let values = JSONValue.object(Dictionary(entry.fields.map { ($0.name, "x") }) { first, _ in first })
        _ = writer.region(
            "pages/preset", writer.presetPage(entry, values, text: "{}"), title: writer.title(""), frame: frame)
    }

    private func api() {
        var method = PageAPI.Method(name: "x", method: "GET", path: "x", summary: "x", right: "x")
        (method.parameters, method.body, method.answers) = ([.init("x", "x")], ["x"], [.init("200", "x")])
        let page = PageAPI(sections: [PageAPI.Section(name: "x", text: "x", methods: [method])])
        _ = writer.region("pages/api", writer.apiPage(page), title: writer.title(""), frame: frame)
    }

    private func system() {
        let values: [SystemFacts.Fact.Value] = [.text("x"), .moment(Timestamp(milliseconds: 0))]
        let counts = writer.catalog.entries.map { RunCount(operation: $0.id, phase: .failed, count: 1) }
        let problem = TemplateProblem(file: "f", line: 1, message: "m")
        let node = JournalNode(id: "x", name: "x", beat: 1, isRecording: true, standing: NodeStanding())
        let nodes = [NodeView(node: node, isThis: true, isSilent: false)]
        let check = SystemFacts.Check(problems: [problem], at: Timestamp(milliseconds: 0))
        let conditions = ServerCondition.Kind.allCases.map { kind in
            ServerCondition(kind, since: Timestamp(milliseconds: 0), sentence: "s")
        }
        var reading = SystemFacts.Reading("x", .bytes(1), parts: [1, nil])
        (reading.limit, reading.share, reading.end) = (.bytes(2), 0.5, Timestamp(milliseconds: 0))
        var facts = SystemFacts(
            facts: values.map { .init("x", $0) }, counts: counts, check: check, nodes: nodes, conditions: conditions,
            readings: [reading])
        facts.hooks = .sample(of: ServerCondition.operation)
        _ = writer.region("pages/system", writer.systemPage(facts), title: writer.title(""), frame: frame)
    }
}
