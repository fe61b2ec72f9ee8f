import Foundation
import WeirJournals

/// A page that is followed live: what it shows and in which language.
///
/// Its name is the name of its feed.
/// English pages are named as their topic (`board`, `runs`, `operation-upload`, `store-runbook`); pages in another language
/// have a double hyphen and the lowercased tag behind it: `board--pt-br`. Ids hold no double hyphen, so names are unique.
package struct LivePage: Sendable, Hashable, CustomStringConvertible {
    /// What it shows.
    package let topic: PageTopic
    /// The language.
    package let locale: PageLocale

    /// Creates a page from its parts.
    package init(_ topic: PageTopic, _ locale: PageLocale = .english) {
        self.topic = topic
        self.locale = locale
    }

    /// The name of the page's feed.
    package var feedName: String {
        let name =
            switch topic {
            case .runs: "runs"
            case .stores: "stores"
            case .board, .operation, .run, .store, .output: topic.topic.description
            }
        return locale == .english ? name : name + "--" + locale.tag.lowercased()
    }

    /// Reads the name of a feed, only in its one right spelling; nil for anything else.
    ///
    /// That there is such a locale, operation or run is not known here: ask `PageRenderer.page(feedName:)`.
    package init?(feedName: some StringProtocol) {
        guard feedName.utf8.count <= 64 else { return nil }
        let text = String(feedName)
        var name = text
        locale =
            if let range = text.range(of: "--") {
                PageLocale(text[range.upperBound...]) ?? .english
            } else {
                .english
            }
        if locale != .english { name = String(text.dropLast(locale.tag.count + 2)) }
        switch Topic(name) {
        case .board: topic = .board
        case .operation(let id): topic = .operation(id)
        case .run(let id): topic = .run(id)
        case .store(let id): topic = .store(id)
        case .output(let run): topic = .output(run)
        case nil where name == "runs": topic = .runs
        case nil where name == "stores": topic = .stores
        case nil: return nil
        }
        guard feedName == self.feedName else { return nil }
    }

    /// The name of the page's feed.
    package var description: String { feedName }
}
