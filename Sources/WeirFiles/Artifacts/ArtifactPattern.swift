/// A pattern of paths below a folder: `dist/*.tar.gz`, `reports/**`.
///
/// `*` matches any characters and `?` one character of a component; the component `**` matches any number of folders.
/// A component that begins with a dot is matched only by a pattern that does.
struct ArtifactPattern: Sendable, Hashable {
    struct Mistake: Error {
        let sentence: String
    }

    /// The positions in a pattern that a path has reached.
    typealias Place = Set<Int>

    let text: String
    private let components: [ArraySlice<UInt8>]

    private static let anyDepth = Array("**".utf8)[...]

    init(_ text: String) throws(Mistake) {
        self.text = text
        components = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Array($0)[...] }
        let (dot, dots) = (Array(".".utf8)[...], Array("..".utf8)[...])
        if text.isEmpty || text.utf8.contains(0) {
            throw Mistake(sentence: "A pattern of files is a path such as dist/*.tar.gz.")
        }
        if text.hasPrefix("/") || components.contains(dots) {
            throw Mistake(sentence: "Only files below the folder where the program runs are kept. Remove / or .. here.")
        }
        if components.contains(where: \.isEmpty) || components.contains(dot) {
            throw Mistake(
                sentence: "A path has one / between two names, and none at its end. Correct “\(text.prefix(80))”.")
        }
        if text.contains("{{") {
            throw Mistake(sentence: "A pattern of files cannot hold a field. Use * for the part that differs.")
        }
    }

    /// Whether it has no wildcard.
    var isLiteral: Bool { !text.contains("*") && !text.contains("?") }

    var start: Place { spread([0]) }

    /// The place after another component of a path.
    func place(after place: Place, _ name: [UInt8]) -> Place {
        var next: Place = []
        for position in place {
            guard let component = components.dropFirst(position).first else { continue }
            if component == Self.anyDepth {
                if name.first != UInt8(ascii: ".") { next.insert(position) }
            } else if Self.matches(component, name[...]) {
                next.insert(position + 1)
            }
        }
        return spread(next)
    }

    /// Whether a path that has reached a place matches.
    func isMatched(at place: Place) -> Bool { place.contains(components.count) }

    /// Whether a path below one that has reached a place can match.
    func continues(at place: Place) -> Bool { place.contains { $0 < components.count } }

    /// Adds the positions that are reached by skipping `**`.
    private func spread(_ place: Place) -> Place {
        var place = place
        for (position, component) in components.enumerated()
        where component == Self.anyDepth && place.contains(position) {
            place.insert(position + 1)
        }
        return place
    }

    /// Matches a component in time proportional to the product of both lengths.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        if name.first == UInt8(ascii: "."), pattern.first != UInt8(ascii: ".") { return false }
        var (pattern, name) = (pattern, name)
        var other: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
        while true {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                other = (pattern, name)
                continue
            }
            if pattern.isEmpty, name.isEmpty { return true }
            if let wanted = pattern.first, let byte = name.first, wanted == byte || wanted == UInt8(ascii: "?") {
                (pattern, name) = (pattern.dropFirst(), name.dropFirst())
                // The remaining bytes of one character.
                if wanted == UInt8(ascii: "?") { name = name.drop { $0 & 0xC0 == 0x80 } }
                continue
            }
            guard let last = other, !last.name.isEmpty else { return false }
            other = (last.pattern, last.name.dropFirst())
            (pattern, name) = (last.pattern, last.name.dropFirst())
        }
    }
}
