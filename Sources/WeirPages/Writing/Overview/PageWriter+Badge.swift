import WeirBoards
import WeirStates

extension PageWriter {
    /// How an operation stands, for `partials/badge`: its name and the state of its newest run.
    func badge(_ operation: String, latest: RunView?) -> Fields {
        let chip =
            latest.map { self.chip($0.record) }
            ?? catalog[operation].map { self.chip($0.initial.caseName, $0.initial.phase, in: operation) } ?? [:]
        let title = String(title(of: operation).prefix(60))
        let word = String((chip["word"] as? String ?? "").prefix(40))
        let (left, right) = (Self.width(of: title), Self.width(of: word) + Self.shapeWidth)
        return [
            "title": title, "word": word, "tone": chip["tone"], "shape": chip["shape"], "split": String(left),
            "length": String(right), "width": String(left + right), "shapeX": String(left + 7),
            "wordX": String(left + Self.shapeWidth + 2),
        ]
    }

    private static var shapeWidth: Int { 16 }

    /// About how wide a text is in the badge's type, with room around it; wide scripts take twice as much.
    private static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(14) { width, scalar in width + (scalar.value < 0x1100 ? 7 : 12) }
    }
}
