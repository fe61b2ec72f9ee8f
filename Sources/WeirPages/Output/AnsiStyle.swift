/// How a piece of a line looks, as far as pages show what escape sequences ask for.
struct AnsiStyle: Hashable, Sendable {
    /// The colours there are; bright ones look the same, since each has to be readable on the page's own ground.
    enum Color: String, CaseIterable, Sendable { case black, red, green, yellow, blue, magenta, cyan, white }

    var color: Color?
    var isBold = false
    var isFaint = false
    var isItalic = false
    var isUnderlined = false

    /// The classes of the element; empty for plain text.
    var classes: String {
        var names: [String] = []
        if let color { names.append("ansi-\(color.rawValue)") }
        if isBold { names.append("ansi-bold") }
        if isFaint { names.append("ansi-faint") }
        if isItalic { names.append("ansi-italic") }
        if isUnderlined { names.append("ansi-underline") }
        return names.joined(separator: " ")
    }

    /// The style after a sequence of ECMA-48's *select graphic rendition*, whose numbers these are.
    ///
    /// Backgrounds, blinking, and colours beyond the 16 are left out: nobody could promise that they can be read.
    mutating func apply(_ numbers: [Int]) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: self = AnsiStyle()
            case 1: isBold = true
            case 2: isFaint = true
            case 3: isItalic = true
            case 4, 21: isUnderlined = true
            case 22: (isBold, isFaint) = (false, false)
            case 23: isItalic = false
            case 24: isUnderlined = false
            // Never traps: there are eight colours.
            case 30...37: color = Color.allCases[number - 30]
            // Never traps: there are eight colours.
            case 90...97: color = Color.allCases[number - 90]
            case 39: color = nil
            case 38, 48, 58:
                let index = Self.takeExtended(&rest)
                if number == 38 { color = index.map { Color.allCases[$0 % 8] } }
            default: break
            }
        }
    }

    /// Reads the numbers of an extended colour; returns its index if it is one of the 16.
    private static func takeExtended(_ rest: inout ArraySlice<Int>) -> Int? {
        switch rest.popFirst() {
        case 5: return rest.popFirst().flatMap { (0..<16).contains($0) ? $0 : nil }
        case 2:
            rest = rest.dropFirst(3)
            return nil
        default: return nil
        }
    }
}
