import Testing
import WeirFlows
import WeirJournals

@testable import WeirPages

@Suite struct HighlightTests {
    @Test(arguments: [
        ("go", "Let it go", "Let it <mark>go</mark>"), ("go", "Go on, go!", "<mark>Go</mark> on, <mark>go</mark>!"),
        ("go", "Let it be gone", "Let it be gone"), ("let*", "An outlet, letters", "An outlet, <mark>let</mark>ters"),
        ("one", "Let it be gone", "Let it be g<mark>one</mark>"), ("go", "go go", "<mark>go</mark> <mark>go</mark>"),
    ])
    func `what a search found is marked from the first word of a text to the last`(
        search: String, text: String, html: String
    ) {
        let highlight = Highlight(SearchQuery(search))
        #expect(highlight.html(text).html == html)
        #expect(highlight.excerpt(text)?.html == (html.contains("<mark>") ? html : nil))
    }

    @Test func `of a long text the beginning is searched, and all of it is shown`() {
        let text = "go " + String(repeating: "-", count: 4_000) + " go <"
        let highlight = Highlight(SearchQuery("go"))
        #expect(highlight.html(text).html == "<mark>go</mark> " + String(repeating: "-", count: 4_000) + " go &lt;")
        #expect(highlight.excerpt(String(repeating: "-", count: 4_000) + " go") == nil)
    }

    @Test func `nothing more is marked when the time of a page is over`() {
        let highlight = Highlight(SearchQuery("go"), budget: WorkBudget(.zero))
        #expect(highlight.html("Let it go").html == "Let it go")
        #expect(highlight.excerpt("Let it go") == nil)
        #expect(!highlight.isFound(in: "Let it go"))
    }
}
