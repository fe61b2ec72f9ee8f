import MarkupTesting
import Testing
import WeirAccess

@testable import WeirPages

/// Triggers and notifications on the pages of operations and runs.
@Suite struct HookPagesTests {
    @Test func `what came and what was sent looks as it was reviewed, in each language`() throws {
        let snapshots = MarkupSnapshots(suite: "HookPagesTests")
        let fixture = try Fixture()
        for locale in [PageLocale.english, .brazilianPortuguese] {
            let writer = fixture.pages.writer(locale)
            for isOfRun in [false, true] {
                let html = writer.render("partials/hooks", writer.hooks(.sample(of: "copy", isOfRun: isOfRun))).html
                #expect(Markup.check(html, as: .fragment).isEmpty)
                let name = isOfRun ? "run" : "operation"
                #expect(throws: Never.self) {
                    try snapshots.verify(html, as: .fragment, named: "\(name).\(locale)")
                }
            }
        }
    }

    @Test func `addresses are for those who set senders up, and tests for those who may start`() throws {
        let fixture = try Fixture()
        let viewer = fixture.pages.restricted(to: fixture.catalog, permissions: .nothing)
        let page = viewer.writer(.english)
        let html = page.render("partials/hooks", page.hooks(.sample(of: "copy"))).html
        #expect(!html.contains("hooks/copy/push"))
        #expect(!html.contains("weir secret set"))
        #expect(!html.contains("notifications/test"))
    }
}
