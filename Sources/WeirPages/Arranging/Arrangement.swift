import Foundation
import WeirJournals
import WeirStates

/// How a reader has arranged the operations of the overview.
///
/// The address has `text` (words in the name, id or tags), `sort` (`name`, `change` or `running`), `group` (`tag`) and `density`
/// (`compact`); what it does not know is left out. What is pinned is in a cookie of the browser.
package struct Arrangement: Sendable, Hashable {
    /// What decides which operation comes first.
    package enum Order: String, Sendable, CaseIterable {
        /// The name, by the alphabet.
        case name
        /// The newest change of state first.
        case change
        /// What is running first.
        case running
    }

    /// Words, each of which an operation has to have; empty for all operations.
    package var text = ""
    /// The order; nil for that of the catalog.
    package var order: Order?
    /// Whether operations stand under their first tag.
    package var isGrouped = false
    /// Whether there are more of them on a screen, with less of each.
    package var isCompact = false
    /// What comes before all others.
    package var pins = Pins()

    /// How many characters the text has at most.
    static let longest = 100

    /// Everything, as the catalog lists it.
    package init() {}

    /// Reads the parameters of a URL.
    package init(parameters: [String: String], pins: Pins = Pins()) {
        let text = (parameters["text"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        self.text = String(text.prefix(Self.longest))
        order = parameters["sort"].flatMap { Order(rawValue: $0) }
        isGrouped = parameters["group"] == "tag"
        isCompact = parameters["density"] == "compact"
        self.pins = pins
    }

    /// The parameters of its address, without those that say nothing, always in the same order.
    var parameters: [(name: String, value: String)] {
        let all = [
            ("text", text), ("sort", order?.rawValue ?? ""), ("group", isGrouped ? "tag" : ""),
            ("density", isCompact ? "compact" : ""),
        ]
        return all.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }

    /// The parameters with the question mark before them; empty where everything is as usual.
    package var query: String {
        let query = parameters.map { URLText.query($0.name, $0.value) }.joined(separator: "&")
        return query.isEmpty ? "" : "?" + query
    }

    /// Whether pages so arranged are few enough to be kept for everybody: what one person typed or pinned is theirs.
    package var isCommon: Bool { text.isEmpty && pins.ids.isEmpty }

    /// Whether what changes can move an operation.
    var isMoving: Bool { order == .change || order == .running || !pins.ids.isEmpty }
}

extension Arrangement {
    /// The operations that a browser has pinned: their ids, with dots between them in a cookie.
    package struct Pins: Sendable, Hashable {
        /// The ids, in the order in which they were pinned.
        package private(set) var ids: [String] = []

        /// How many there may be.
        package static let maximum = 50

        /// Nothing is pinned.
        package init() {}

        /// Reads a cookie's value; what cannot be an id is left out.
        package init(_ text: String) {
            for id in text.split(separator: ".").map(String.init) where Self.isID(id) && !ids.contains(id) {
                guard ids.count < Self.maximum else { break }
                ids.append(id)
            }
        }

        /// The value of the cookie.
        package var text: String { ids.joined(separator: ".") }

        /// Pins an operation, or takes its pin away.
        package mutating func toggle(_ id: String) {
            if ids.contains(id) {
                ids.removeAll { $0 == id }
            } else {
                ids.append(id)
            }
        }

        private static func isID(_ text: String) -> Bool {
            text.utf8.count <= 64
                && text.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
    }

    /// What an arrangement knows of an operation.
    struct Item {
        let id: String
        let title: String
        /// In the order of the alphabet.
        let tags: [String]
        /// Its place in the catalog.
        let position: Int
        let isActive: Bool
        /// The sequence of its latest change of state; 0 for none.
        let changed: SequenceNumber
    }

    /// Operations that stand together.
    struct Group: Equatable {
        enum Name: Hashable { case all, pinned, tag(String), untagged }

        let name: Name
        var ids: [String]
    }

    /// The operations in their groups, in order, and those that the text leaves out.
    ///
    /// Each group that there can be is there, also without operations: one that is pinned later finds its place.
    func arranged(_ items: [Item]) -> (groups: [Group], others: [String]) {
        let words = Self.folded(text).split(whereSeparator: \.isWhitespace)
        let pinned = Set(pins.ids)
        let keys = Dictionary(items.map { ($0.id, Self.folded($0.title)) }) { first, _ in first }
        let sorted = items.sorted { isBefore($0, $1, pinned, keys) }
        var names: [Group.Name] = [.all]
        if isGrouped { names = [.pinned] + Set(items.compactMap(\.tags.first)).sorted().map { .tag($0) } + [.untagged] }
        var (members, others): ([Group.Name: [String]], [String]) = ([:], [])
        for item in sorted {
            let all = Self.folded(([item.title, item.id] + item.tags).joined(separator: " "))
            if !words.allSatisfy({ all.contains($0) }) {
                others.append(item.id)
            } else if !isGrouped {
                members[.all, default: []].append(item.id)
            } else {
                let name: Group.Name =
                    pinned.contains(item.id) ? .pinned : item.tags.first.map { .tag($0) } ?? .untagged
                members[name, default: []].append(item.id)
            }
        }
        return (names.map { Group(name: $0, ids: members[$0] ?? []) }, others)
    }

    private func isBefore(_ one: Item, _ other: Item, _ pinned: Set<String>, _ keys: [String: String]) -> Bool {
        if pinned.contains(one.id) != pinned.contains(other.id) { return pinned.contains(one.id) }
        switch order {
        case .name:
            let (a, b) = (keys[one.id] ?? "", keys[other.id] ?? "")
            if a != b { return a < b }
        case .change: if one.changed != other.changed { return one.changed > other.changed }
        case .running: if one.isActive != other.isActive { return one.isActive }
        case nil: break
        }
        return one.position < other.position
    }

    /// A text without case and accents, as `overview.js` makes it, too.
    static func folded(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: break
            default: scalars.append(scalar)
            }
        }
        return String(scalars).lowercased()
    }
}
