import Journals
import Testing

@testable import Pages

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
}
