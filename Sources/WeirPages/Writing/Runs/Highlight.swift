import WeirFlows
import WeirJournals

/// Marks the matches of a search in the texts of a page.
///
/// Each page has a time budget for marking; texts beyond it are not marked.
struct Highlight {
    private static let limit = 4_000
    /// The number of characters around a match in the excerpt of a long text.
    private static let around = 40

    private let patterns: [[Unicode.Scalar]]
    private let budget: WorkBudget

    /// Creates a highlight that marks nothing if the search is nil.
    init(_ search: SearchQuery?, budget: WorkBudget = WorkBudget(.milliseconds(200))) {
        patterns = search?.terms.map { Array($0.pattern.unicodeScalars) } ?? []
        self.budget = budget
    }

    /// Whether further texts are not marked.
    var isOver: Bool { patterns.isEmpty || budget.isExceeded }

    func html(_ text: String) -> TrustedHTML {
        guard !isOver else { return TrustedHTML(CleanText(text).markup) }
        let start = text.prefix(Self.limit)
        let characters = Array(start)
        return TrustedHTML(
            html(characters, marked(characters)).html + CleanText(String(text[start.endIndex...])).markup)
    }

    /// The part of a text around the first match, or nil without a match.
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
                // The space after a word is also the one before the next.
                place += pattern.last == " " ? pattern.count - 1 : pattern.count
            }
        }
        return marked
    }

    /// The folded text between spaces, with the index of the character of each scalar.
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
