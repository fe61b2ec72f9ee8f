import Foundation
package import WeirJournals

/// A live page: its topic and language.
///
/// Its name is the name of its feed. English pages are named by their topic (`board`, `runs`, `operation-upload`,
/// `store-runbook`); names in another language end with a double hyphen and the lowercased tag: `board--pt-br`. Ids cannot
/// contain a double hyphen, so names are unique.
package struct LivePage: Sendable, Hashable, CustomStringConvertible {
    package let topic: PageTopic
    package let locale: PageLocale

    package init(_ topic: PageTopic, _ locale: PageLocale = .english) {
        self.topic = topic
        self.locale = locale
    }

    package var feedName: String {
        let name =
            switch topic {
            case .runs: "runs"
            case .stores: "stores"
            case .wall: "wall"
            case .board, .operation, .run, .store, .output: topic.topic.description
            }
        return locale == .english ? name : name + "--" + locale.tag.lowercased()
    }

    /// Parses the name of a feed; returns nil unless the spelling is canonical.
    ///
    /// This does not check that the locale, operation or run exists; `PageRenderer.page(feedName:)` does.
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
        case nil where name == "wall": topic = .wall
        case nil: return nil
        }
        guard feedName == self.feedName else { return nil }
    }

    package var description: String { feedName }
}

package enum PageTopic: Sendable, Hashable {
    case board
    case runs
    case operation(String)
    case run(String)
    case stores
    case store(String)
    /// The runs that need a person, and the active ones, for a screen on a wall.
    case wall
    /// The output of one run, which is part of its page and has a feed of its own.
    case output(String)

    /// The topic whose changes the page follows.
    package var topic: Topic {
        switch self {
        case .board, .runs, .stores, .wall: .board
        case .operation(let id): .operation(id)
        case .run(let id): .run(id)
        case .store(let id): .store(id)
        case .output(let run): .output(run)
        }
    }

    /// Whether viewers start the operations of the topic that run only while watched.
    ///
    /// A list of runs would otherwise change because it is read.
    package var startsOperations: Bool { self != .runs && self != .stores }
}

/// The position of a page in its feed, and the URLs that continue from there.
package struct PageCursor: Sendable, Hashable {
    package var epoch: String
    /// The sequence of the last change of the page's topic that the page shows, or 0.
    var sequence: SequenceNumber
    /// The URL that responds after the next change.
    package var next: String
    /// The URL that responds at once with the changes that follow.
    package var now: String
    package var snap: String
    /// The URL of the whole document after the next change, for a browser without JavaScript.
    ///
    /// Nil for a page that must not reload, such as one with a form, which a new document would empty.
    var after: String?

    package init(epoch: String, sequence: SequenceNumber, next: String, now: String, snap: String, after: String?) {
        self.epoch = epoch
        self.sequence = sequence
        self.next = next
        self.now = now
        self.snap = snap
        self.after = after
    }
}
