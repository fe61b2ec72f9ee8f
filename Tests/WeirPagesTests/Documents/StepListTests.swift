import MarkupTesting
import Testing
import WeirAccess
@testable import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirPages

/// The page of a run of steps.
@Suite struct StepListTests {
    private static let plan = StepsPlan([
        .init("copy", .run(operation: "copy", input: [:])),
        .init("approval", .approval(.init(prompt: StepValue([.text("Go?")])))),
        .init("switch", .run(operation: "hidden", input: [:])),
    ])

    private static func renderer(_ permissions: Permissions? = nil) throws -> PageRenderer {
        let fixture = try Fixture()
        var catalog = fixture.pages.catalog
        catalog.add(
            StepsOperation(plan, fields: []), id: "release", title: "Release", summary: "A test.", tags: [],
            reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        catalog.add(
            StepsOperation(plan, fields: []), id: "release-roll-back", title: "roll-back", summary: "", tags: [],
            reentry: .concurrent, timeout: nil, schedule: nil, partOf: "release")
        return fixture.pages.restricted(to: catalog, permissions: permissions ?? .everything)
    }

    private static func run(
        _ progress: StepsProgress, of operation: String = "release", _ state: (StepsProgress) -> StepsState
    ) throws -> RunView {
        let at = Timestamp(milliseconds: 1_795_262_400_000)
        let draft = ChangeDraft(
            stream: .run("01k9abcdef"), subject: operation, revision: 0, at: at,
            state: try StateRecord(state(progress)),
            isTransition: true, opening: RunOpening(actor: "ana", input: [:]))
        return try #require(RunView(opening: Change(sequence: 1, draft: draft)))
    }

    private static func asking() throws -> RunView {
        var progress = StepsProgress(plan.steps.map { .init($0.name, operation: $0.operation) })
        let at = Timestamp(milliseconds: 1_795_262_400_000)
        (progress.steps[0].status, progress.steps[0].run, progress.steps[0].doneIn) = (
            .succeeded, "01k9child1", "01k9before"
        )
        (progress.steps[0].began, progress.steps[0].ended) = (at, at.after(2_000))
        (progress.steps[1].status, progress.steps[1].prompt, progress.steps[1].began) = (
            .asking, "Go live with <b>1</b>?", at
        )
        progress.steps[1].until = at.after(60_000)
        return try run(progress) { .at("approval", $0) }
    }

    @Test func `a list of runs names the whole of a step's run, also in its filter`() throws {
        let run = try Self.run(StepsProgress([.init("copy", operation: "copy")]), of: "release-roll-back") {
            .at("copy", $0)
        }
        let writer = try Self.renderer().writer(.english)
        let filter = RunFilter(parameters: ["operation": "release-roll-back"])
        let html = writer.render("pages/runs", writer.runsPage([run.record], filter: filter, olderURL: nil)).html
        let list = try MarkupDocument(html, as: .fragment)
        let name = "Release \u{B7} Roll back"
        #expect(try list.elements("//tbody//a[@href='/operations/release-roll-back']").map(\.text) == [name])
        #expect(try list.elements("//option[@value='release-roll-back']").map(\.text) == [name])
    }

    private func page(_ run: RunView, _ pages: PageRenderer, _ locale: PageLocale = .english) throws -> MarkupDocument {
        let cursor = PageCursor(epoch: "e", sequence: 1, next: "n", now: "w", snap: "s", after: "a")
        let html = pages.document(.run(run), cursor: cursor, frame: PageFrame(locale: locale, path: "/runs/01k9abcdef"))
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    @Test func `a run that asks shows its steps, the question and two buttons`() throws {
        for locale in [PageLocale.english, .brazilianPortuguese] {
            let page = try page(Self.asking(), Self.renderer(), locale)
            #expect(try page.elements("//ol[contains(@class,'stages')]/li").count == 3)
            #expect(
                try page.elements("//form[contains(@class,'decision')]//button").map { $0["value"] } == [
                    "approve", "refuse",
                ])
            #expect(try page.elements("//a[@href='/runs/01k9child1']").count == 1)
            #expect(try page.elements("//a[@href='/runs/01k9before']").count == 1)
            // A step without a run of its own leads nowhere, and not to the run that it belongs to.
            #expect(try page.elements("//ol[contains(@class,'stages')]//a").count == 2)
        }
    }

    @Test func `the page of a step's own run has the label of the step`() throws {
        let run = try Self.run(StepsProgress(), of: "release-roll-back") { .waiting($0) }
        #expect(try page(run, Self.renderer()).elements("//h1").first?.text == "Roll back")
    }

    @Test func `of a step whose operation may not be seen there are the name and how it stands`() throws {
        var progress = StepsProgress(Self.plan.steps.map { .init($0.name, operation: $0.operation) })
        progress.steps[2].status = .running
        progress.steps[2].run = "01k9secret"
        progress.steps[2].state = "revealing"
        progress.steps[2].progress = WorkProgress(40, of: 100)
        // It is not in the catalog of those who may not see it.
        let page = try page(Self.run(progress) { .at("switch", $0) }, Self.renderer())
        let item = try #require(try page.elements("//ol[contains(@class,'stages')]/li").last?.text)
        #expect(item.contains("Switch") && item.contains("Running"))
        #expect(!item.lowercased().contains("reveal") && !item.contains("secret") && !item.contains("40"))
    }

    @Test func `a skipped step names the failed step only if that is why it was skipped`() throws {
        var progress = StepsProgress(Self.plan.steps.map { .init($0.name, operation: $0.operation) })
        progress.steps[0].status = .failed
        progress.ending = .init(.stepFailed, step: "copy")
        for index in 1...2 { progress.steps[index].status = .skipped }
        progress.steps[1].because = .init(.condition, condition: "inputs.n is above 5")
        progress.steps[2].because = .init(.need, step: "copy")
        let items = try page(Self.run(progress) { .failed($0) }, Self.renderer()).elements(
            "//ol[contains(@class,'stages')]/li"
        ).map(\.text)
        #expect(items.map { $0.contains("Skipped because") } == [false, false, true])
    }

    @Test func `the steps look as they were reviewed`() throws {
        let snapshots = MarkupSnapshots(suite: "StepListTests")
        let pages = try Self.renderer()
        var failed = try Self.asking().record.state.state(as: StepsState.self).steps
        failed.steps[1].status = .failed
        failed.steps[1].decision = .init(isApproved: false, by: "vera", comment: "not <today>")
        failed.steps[2].status = .skipped
        failed.ending = .init(.refused, step: "approval", by: "vera", detail: "not <today>")
        let runs = [("asking", try Self.asking()), ("refused", try Self.run(failed) { .failed($0) })]
        for (name, run) in runs {
            for locale in [PageLocale.english, .brazilianPortuguese] {
                let html = pages.writer(locale).statePanel(run, id: "s", place: .init(uid: "s", isCompact: false)).html
                #expect(throws: Never.self) { try snapshots.verify(html, as: .fragment, named: "\(name).\(locale)") }
            }
        }
    }
}
