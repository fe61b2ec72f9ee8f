import Foundation
import WeirJournals

/// A reader's arrangement of the operations on the overview.
///
/// Its URL parameters are `text` (words in the name, id or tags), `sort` (`name`, `change` or `running`), `group` (`tag`
/// or `none`) and `density` (`compact`, a table, or `cards`); unknown values are ignored. Without them, many operations
/// are a table by tag and a few are cards. Pinned operations are stored in a cookie of the browser.
package struct Arrangement: Sendable, Hashable {
    enum Order: String, Sendable, CaseIterable {
        case name
        case change
        case running
    }

    /// Search words; an operation must match all of them.
    var text = ""
    var order: Order?
    enum Grouping: String {
        case tag
        case none
    }

    enum Density: String {
        case compact
        case cards
    }

    /// The chosen grouping, or nil for the one that suits the number of operations.
    var grouping: Grouping?
    var density: Density?
    /// The largest number of operations that are cards unless the reader chooses otherwise.
    static let fewest = 12

    var isGrouped: Bool { grouping == .tag }
    var isCompact: Bool { density == .compact }
    /// The pinned operations, which are listed first.
    var pins = Pins()

    static let longest = 100

    package init() {}

    package init(parameters: [String: String], pins: Pins = Pins()) {
        let text = (parameters["text"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        self.text = String(text.prefix(Self.longest))
        order = parameters["sort"].flatMap { Order(rawValue: $0) }
        grouping = parameters["group"].flatMap { Grouping(rawValue: $0) }
        density = parameters["density"].flatMap { Density(rawValue: $0) }
        self.pins = pins
    }

    /// The non-empty URL parameters, in a fixed order.
    var parameters: [(name: String, value: String)] {
        let all = [
            ("text", text), ("sort", order?.rawValue ?? ""), ("group", grouping?.rawValue ?? ""),
            ("density", density?.rawValue ?? ""),
        ]
        return all.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }

    /// The query string including `?`; empty for the default arrangement.
    package var query: String {
        let query = parameters.map { URLText.query($0.name, $0.value) }.joined(separator: "&")
        return query.isEmpty ? "" : "?" + query
    }

    /// Whether rendered pages can be cached for all readers: the arrangement contains no text or pins of one person.
    package var isCommon: Bool { text.isEmpty && pins.ids.isEmpty }

    /// The arrangement of a number of operations, with what the reader has not chosen.
    func resolved(count: Int, hasTags: Bool) -> Arrangement {
        var resolved = self
        let isMany = count > Self.fewest
        if density == nil { resolved.density = isMany ? .compact : .cards }
        if grouping == nil { resolved.grouping = isMany && hasTags ? .tag : Grouping.none }
        return resolved
    }

    /// Whether a change of state can move an operation.
    var isMoving: Bool { order == .change || order == .running || !pins.ids.isEmpty }
}

extension Arrangement {
    /// The ids of the operations pinned in a browser; the cookie separates them by dots.
    package struct Pins: Sendable, Hashable {
        package private(set) var ids: [String] = []

        package static let maximum = 50

        package init() {}

        /// Reads a cookie's value, skipping invalid ids.
        package init(_ text: String) {
            for id in text.split(separator: ".").map(String.init) where Self.isID(id) && !ids.contains(id) {
                guard ids.count < Self.maximum else { break }
                ids.append(id)
            }
        }

        package var text: String { ids.joined(separator: ".") }

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

    /// The properties of an operation that an arrangement uses.
    struct Item {
        let id: String
        let title: String
        let tags: [String]
        let position: Int
        let isActive: Bool
        /// The sequence of the latest change of state, or 0.
        let changed: SequenceNumber
    }

    struct Group: Equatable {
        enum Name: Hashable { case all, pinned, tag(String), untagged }

        let name: Name
        var ids: [String]
    }

    /// Returns the operations in groups, sorted, and the ids of those that do not match `text`.
    ///
    /// Every possible group is included even if it is empty, so that operations pinned later have a group to move to.
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

    /// The text without case and diacritics; `overview.js` implements the same folding.
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
