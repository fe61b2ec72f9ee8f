import Journals
import MarkupTesting
import Pages
import States
import Testing

@Suite struct SystemPageTests {
    @Test func `each count of runs is that of its operation and its phase alone`() throws {
        let facts = SystemFacts(
            facts: [],
            counts: [
                RunCount(operation: "copy", phase: .failed, count: 3),
                RunCount(operation: "copy", phase: .succeeded, count: 4),
                RunCount(operation: "watch", phase: .failed, count: 5),
            ])
        let html = try Fixture().pages.system(facts, frame: PageFrame())
        let page = try MarkupDocument(html, as: .document)
        let links = try page.elements("//section[@aria-labelledby='system-counts']//td/a")
        #expect(links.map(\.text).sorted() == ["3", "4", "5"])
        #expect(links.first { $0["href"] == "/runs?operation=copy&phase=failed" }?.text == "3")
    }
}
