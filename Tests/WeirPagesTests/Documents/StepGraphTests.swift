import MarkupTesting
import Testing
import WeirAccess
@testable import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirPages

/// The picture of a run whose steps are a graph, and its lanes.
@Suite struct StepGraphTests {
    private static let at = Timestamp(milliseconds: 1_795_262_400_000)
    private static let plan = StepsPlan([
        .init("build", .run(operation: "copy", input: [:]), needs: []),
        .init("unit", .run(operation: "copy", input: [:]), needs: ["build"]),
        .init("secret", .run(operation: "hidden", input: [:]), needs: ["build"]),
        .init("approval", .approval(.init(prompt: StepValue([.text("Go?")]))), needs: ["unit", "secret"]),
        .init("tidy", .run(operation: "copy", input: [:]), isFinally: true),
    ])

    private static func renderer(_ plan: StepsPlan = plan) throws -> PageRenderer {
        let fixture = try Fixture()
        var catalog = fixture.pages.catalog
        catalog.add(
            StepsOperation(plan, fields: []), id: "release", title: "Release", summary: "A test.", tags: [],
            reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        return fixture.pages.restricted(to: catalog, permissions: .everything)
    }

    /// The progress after `build` succeeded, while `unit` and `secret` run.
    private static var running: StepsProgress {
        var progress = StepsProgress(of: plan)
        progress.steps[0].begin(at, run: "01k9build")
        progress.steps[0].end(.succeeded, at.after(2_000))
        progress.steps[1].begin(at.after(2_000), run: "01k9unit")
        progress.steps[2].begin(at.after(2_000), run: "01k9secret")
        progress.steps[2].state = "revealing"
        return progress
    }

    /// The progress after the end of the run.
    private static var ended: StepsProgress {
        var progress = running
        progress.steps[1].end(.failed, at.after(9_000))
        progress.steps[2].end(.succeeded, at.after(3_000))
        progress.steps[3].status = .skipped
        progress.steps[3].because = .init(.need, step: "unit")
        progress.steps[4].begin(at.after(9_000), run: "01k9tidy")
        progress.steps[4].end(.succeeded, at.after(10_000))
        progress.ending = .init(.stepFailed, step: "unit")
        return progress
    }

    private static func run(_ states: [StepsState], expected: RunEstimate? = nil) throws -> [RunView] {
        var views: [RunView] = []
        for (index, state) in ([StepsState.waiting(StepsProgress(of: plan))] + states).enumerated() {
            let opening = RunOpening(actor: "ana", input: [:], expected: expected)
            let draft = ChangeDraft(
                stream: .run("01k9abcdef"), subject: "release", revision: Int64(index),
                at: index == 0 ? at : at.after(10_000), state: try StateRecord(state), isTransition: true,
                opening: index == 0 ? opening : nil)
            let change = Change(sequence: SequenceNumber(clamping: index + 1), draft: draft)
            views.append(try #require(views.last?.applying(change) ?? RunView(opening: change)))
        }
        return views
    }

    private static let cursor = PageCursor(epoch: "e", sequence: 1, next: "n", now: "w", snap: "s", after: "a")

    private static func page(_ run: RunView, _ locale: PageLocale = .english) throws -> MarkupDocument {
        let frame = PageFrame(locale: locale, path: "/runs/01k9abcdef")
        let html = try renderer().document(.run(run), cursor: cursor, frame: frame)
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    @Test func `a renderer that has shown other states of a run shows the next one as a new renderer does`() throws {
        let frame = PageFrame(path: "/runs/01k9abcdef")
        let used = try Self.renderer()
        for isGraph in [true, false] {
            var later = Self.running
            later.steps[1].progress = WorkProgress(1, of: 4)
            later.steps[3].status = .asking
            let states = [Self.running, later, Self.ended].map { progress -> StepsState in
                var progress = progress
                if !isGraph { for index in progress.steps.indices { progress.steps[index].needs = nil } }
                return progress.ending == nil ? .at("unit", progress) : .failed(progress)
            }
            for run in try Self.run(states) + Self.run(states.dropLast().reversed()) {
                let html = used.document(.run(run), cursor: Self.cursor, frame: frame)
                #expect(try html == Self.renderer().document(.run(run), cursor: Self.cursor, frame: frame))
            }
        }
    }

    @Test(arguments: ["en", "pt-BR", "es"]) func `each step is an item with its sign, its state, its time and its run`(
        tag: String
    ) throws {
        let run = try #require(try Self.run([.at("unit", Self.running)]).last)
        let page = try Self.page(run, try #require(PageLocale(tag)))
        let items = try page.elements("//div[contains(@class,'graph')]/ol/li")
        #expect(items.count == 5)
        let build = try #require(items.first?.text)
        #expect(build.contains("Build") && build.contains("2.0\u{A0}s") || build.contains("2,0\u{A0}s"))
        #expect(try page.elements("//div[contains(@class,'node')]/svg/path").count == 5)
        #expect(try page.elements("//div[contains(@class,'node')]/a[@href='/runs/01k9unit']").count == 1)
        // The picture and the rows have the same items, and the lines behind them are hidden from screen readers.
        #expect(try page.elements("//svg[contains(@class,'edges') and @aria-hidden='true']").count == 2)
        #expect(try page.elements("//li[@aria-current='step']").count == 2)
        #expect(try page.elements("//*[@style]").isEmpty)
    }

    @Test func `of a step whose operation may not be seen the picture shows its name, its status and its time`() throws
    {
        let page = try Self.page(try #require(try Self.run([.at("unit", Self.running)]).last))
        let secret = try #require(try page.elements("//li[contains(@id,'-step2')]").first?.text)
        #expect(secret.contains("Secret") && secret.contains("Running"))
        #expect(!secret.lowercased().contains("reveal"))
        #expect(try page.elements("//a[contains(@href,'01k9secret')]").isEmpty)
    }

    @Test func `an ended run shows why steps were skipped and which steps made it as long as it was`() throws {
        let estimate = RunEstimate(cases: [:], steps: ["unit": 4_000], whole: 7_000)
        let page = try Self.page(try #require(try Self.run([.failed(Self.ended)], expected: estimate).last))
        let text = try #require(try page.elements("//main").first?.text)
        #expect(text.contains("Skipped, because the step “Unit” did not succeed."))
        #expect(text.contains("Critical path: Build \u{2192} Unit \u{2192} Tidy"))
        #expect(text.contains("usually 4.0\u{A0}s"))
        #expect(text.contains("3.0\u{A0}s longer than the median of the last successful runs, 7.0\u{A0}s."))
        #expect(try page.elements("//div[contains(@class,'node') and contains(@class,'critical')]").count == 3)
        #expect(try page.elements("//svg/path[@class='critical']").count == 2)
        #expect(try page.elements("//div[@class='lanes']/svg/rect[contains(@class,'seg')]").count == 5)
    }

    @Test(arguments: [
        ("en", "The step “Unit” failed. Also failed: “Tidy”."),
        ("pt-BR", "A etapa “Unit” falhou. Outras falhas: “Tidy”."),
        ("es", "El paso “Unit” falló. Otros fallos: “Tidy”."),
    ]) func `the page names all failed steps`(_ tag: String, _ sentence: String) throws {
        var progress = Self.ended
        progress.steps[4].status = .failed
        let page = try Self.page(
            try #require(try Self.run([.failed(progress)]).last), try #require(PageLocale(tag)))
        let text = try #require(try page.elements("//main").first?.text)
        #expect(text.contains(sentence))
    }

    @Test func `the causes of a failure include the first failed item of a list`() throws {
        var progress = Self.ended
        var items = StepItems(total: 3, digest: "")
        for (index, mark) in [StepItems.Mark.cancelled, .failed, .failed].enumerated() {
            items.mark(index, mark)
            items.note(.init(index: index, item: "i\(index)", run: "01k9item\(index)"))
        }
        (progress.steps[1].run, progress.steps[1].items) = (nil, items)
        let record = try #require(try Self.run([.failed(progress)]).last).record
        #expect(RunSurroundings.failedSteps(of: record).map(\.run) == ["01k9item1"])
    }

    @Test func `the page of an operation shows its steps before the first run`() throws {
        let html = try Self.renderer().document(
            .operation(OperationView(id: "release")), cursor: Self.cursor, frame: PageFrame(path: "/operations/release")
        )
        #expect(Markup.check(html, as: .document).isEmpty)
        let page = try MarkupDocument(html, as: .document)
        #expect(try page.elements("//div[contains(@class,'node') and contains(@class,'idle')]").count == 5)
        #expect(try page.elements("//div[contains(@class,'node')]/a").isEmpty)
    }

    @Test func `a page of the past shows the picture of that moment`() throws {
        let views = try Self.run([.at("unit", Self.running), .failed(Self.ended)])
        let moment = RunMoment(run: views[1], newest: views[2], previous: 1, next: 3)
        let html = try Self.renderer().document(.run(moment), ahead: nil, frame: PageFrame(path: "/runs/01k9abcdef"))
        let page = try MarkupDocument(html, as: .document)
        #expect(try page.elements("//li[@aria-current='step']").count == 2)
        #expect(try page.elements("//div[contains(@class,'critical')]").isEmpty)
    }

    @Test(arguments: [2, 20, 200])
    func `when a step ends or begins, its node and its lane are sent, and nothing else of the picture`(count: Int)
        throws
    {
        let plan = StepsPlan(
            (0..<count).map {
                .init("step-\($0)", .run(operation: "copy", input: [:]), needs: $0 < 10 ? [] : ["step-\($0 - 10)"])
            })
        let page = LivePage(.run("01k9abcdefghjkmnpqrstvwxyz"))
        let pages = try Self.renderer(plan)
        var script = BoardScript(pages.catalog)
        var progress = StepsProgress(of: plan)
        for index in 0..<min(4, count) { progress.steps[index].begin(Self.at, run: "01k9child\(index)") }
        _ = script.open("01k9abcdefghjkmnpqrstvwxyz", "release", try StateRecord(StepsState.at("step-0", progress)))
        // The end of a later step, that of the current one, and the begin of another.
        for (index, state) in [(count > 2 ? 2 : 1, "step-0"), (0, "step-1"), (count - 1, "step-1")]
        where !progress.steps[index].status.isOver {
            if progress.steps[index].status == .running {
                progress.steps[index].end(.succeeded, Self.at.after(60))
            } else {
                progress.steps[index].begin(Self.at.after(60), run: "01k9child\(index)")
            }
            let move = script.move("01k9abcdefghjkmnpqrstvwxyz", try StateRecord(StepsState.at(state, progress)))
            let moved = try #require(move)
            let patches = pages.patches(for: moved, page: page)
            let parts = patches.filter { "\($0)".contains("-step") || "\($0)".contains("-lane") }
            #expect(!parts.isEmpty)
            #expect(parts.allSatisfy { "\($0)".contains("-step\(index)") || "\($0)".contains("-lane\(index)") })
            #expect(parts.reduce(0) { $0 + $1.cost } <= 1_000, "\(count) steps, \(index)")
            // With the chip, the progress and the strip of the page's past, if another step is current.
            let limit = moved.change.isTransition ? 2_000 : 1_000
            #expect(patches.reduce(0) { $0 + $1.cost } <= limit, "\(count) steps, \(index)")
        }
    }
}

extension StepsProgress.Step {
    fileprivate mutating func begin(_ at: Timestamp, run: String) {
        (status, began, self.run) = (.running, at, run)
    }

    fileprivate mutating func end(_ status: StepsProgress.Status, _ at: Timestamp) {
        (self.status, ended) = (status, at)
    }
}
