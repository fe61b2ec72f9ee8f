import WeirFlows
import WeirJournals

/// Marks where the terms of a search are in the texts of a page.
///
/// A page has a budget of time for its marks: the texts after that have none.
struct Highlight {
    /// The maximum number of characters of a text that are searched.
    private static let limit = 4_000
    /// How many characters around a mark are shown of a long text.
    private static let around = 40

    private let patterns: [[Unicode.Scalar]]
    private let budget: WorkBudget

    /// Marks nothing without a search.
    init(_ search: SearchQuery?, budget: WorkBudget = WorkBudget(.milliseconds(200))) {
        patterns = search?.terms.map { Array($0.pattern.unicodeScalars) } ?? []
        self.budget = budget
    }

    /// Whether no further text gets a mark.
    var isOver: Bool { patterns.isEmpty || budget.isExceeded }

    /// The text with its marks, as character data.
    func html(_ text: String) -> TrustedHTML {
        guard !isOver else { return TrustedHTML(CleanText(text).markup) }
        let start = text.prefix(Self.limit)
        let characters = Array(start)
        return TrustedHTML(
            html(characters, marked(characters)).html + CleanText(String(text[start.endIndex...])).markup)
    }

    /// The part of a text around the first mark; nil without one.
    func excerpt(_ text: String) -> TrustedHTML? {
        let start = text.prefix(Self.limit)
        let characters = Array(start)
        let marked = marked(characters)
        guard let first = marked.firstIndex(of: true) else { return nil }
        let part = characters.indices.clamped(to: max(0, first - Self.around)..<first + Self.around * 2)
        let before = part.lowerBound > 0 ? "\u{2026}" : ""
        let after = part.upperBound < characters.count || start.endIndex < text.endIndex ? "\u{2026}" : ""
        return TrustedHTML(before + html(Array(characters[part]), Array(marked[part])).html + after)
    }

    /// Whether there is a mark in a text.
    func isFound(in text: String) -> Bool { marked(Array(text.prefix(Self.limit))).contains(true) }

    private func html(_ characters: [Character], _ marked: [Bool]) -> TrustedHTML {
        var html = ""
        var start = 0
        while start < characters.count {
            let isMarked = marked[start]
            let end = marked[start...].firstIndex { $0 != isMarked } ?? characters.count
            let piece = CleanText(String(characters[start..<end])).markup
            html += isMarked ? "<mark>\(piece)</mark>" : piece
            start = end
        }
        return TrustedHTML(html)
    }

    /// Which characters belong to what was found.
    private func marked(_ characters: [Character]) -> [Bool] {
        var marked = characters.map { _ in false }
        guard !isOver else { return marked }
        let folded = fold(characters)
        for pattern in patterns {
            var place = 0
            while place + pattern.count <= folded.count {
                guard zip(folded.dropFirst(place), pattern).allSatisfy({ $0.scalar == $1 }) else {
                    place += 1
                    continue
                }
                let found = folded.dropFirst(place).prefix(pattern.count).filter { $0.scalar != " " }
                if let first = found.first?.character, let last = found.last?.character {
                    for character in first...last { marked[character] = true }
                }
                // The space behind a word is also the one in front of the next.
                place += pattern.last == " " ? pattern.count - 1 : pattern.count
            }
        }
        return marked
    }

    /// The text as it is searched, between spaces, with the character that each scalar comes from.
    private func fold(_ characters: [Character]) -> [(scalar: Unicode.Scalar, character: Int)] {
        var folded: [(scalar: Unicode.Scalar, character: Int)] = [(" ", 0)]
        var isApart = false
        for (place, character) in characters.enumerated() {
            let scalars = SearchWords.folded(String(character)).unicodeScalars
            let standsAlone = scalars.contains { $0.properties.isIdeographic || (0x3041...0x30FF).contains($0.value) }
            if (scalars.isEmpty || standsAlone || isApart), folded.last?.scalar != " " { folded.append((" ", place)) }
            folded += scalars.map { ($0, place) }
            isApart = standsAlone
        }
        if folded.last?.scalar != " " { folded.append((" ", characters.count)) }
        return folded
    }
}
