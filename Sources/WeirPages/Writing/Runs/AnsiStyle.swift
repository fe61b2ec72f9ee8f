/// The style of a piece of a line.
struct AnsiStyle: Hashable, Sendable {
    enum Color: Hashable, Sendable {
        /// Bright colours look the same, since each must be readable on the page's background.
        case black, red, green, yellow, blue, magenta, cyan, white
        /// A colour of a cube with six levels of red, green and blue.
        case cube(Int, Int, Int)

        static let basic: [Color] = [.black, .red, .green, .yellow, .blue, .magenta, .cyan, .white]

        /// The colour of the cube that is nearest to components from 0 to 255.
        static func nearest(_ red: Int, _ green: Int, _ blue: Int) -> Color {
            func level(_ component: Int) -> Int { (min(max(0, component), 255) + 25) / 51 }
            return .cube(level(red), level(green), level(blue))
        }

        /// A colour of the table of 256: the basic ones, a cube, and shades of grey.
        init?(index: Int) {
            switch index {
            case 0..<16: self = Self.basic[index % 8]
            case 16..<232: self = .cube((index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6)
            case 232..<256: self = .nearest(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10)
            default: return nil
            }
        }

        /// The levels of red, green and blue.
        fileprivate var levels: (red: Int, green: Int, blue: Int) {
            switch self {
            case .black: (0, 0, 0)
            case .red: (4, 0, 0)
            case .green: (0, 4, 0)
            case .yellow: (4, 4, 0)
            case .blue: (0, 0, 5)
            case .magenta: (4, 0, 4)
            case .cyan: (0, 4, 4)
            case .white: (5, 5, 5)
            case .cube(let red, let green, let blue): (red, green, blue)
            }
        }

        /// The classes of text in this colour.
        fileprivate var classes: [String] {
            switch self {
            case .black: ["ansi-black"]
            case .red: ["ansi-red"]
            case .green: ["ansi-green"]
            case .yellow: ["ansi-yellow"]
            case .blue: ["ansi-blue"]
            case .magenta: ["ansi-magenta"]
            case .cyan: ["ansi-cyan"]
            case .white: ["ansi-white"]
            case .cube: ["ansi-fg"] + levels(prefix: "")
            }
        }

        /// The classes of a background in this colour.
        fileprivate var backgroundClasses: [String] { ["ansi-bg"] + levels(prefix: "b") }

        /// The classes of the levels; 0 is the default.
        private func levels(prefix: String) -> [String] {
            let (red, green, blue) = levels
            return [("r", red), ("g", green), ("b", blue)].compactMap { $1 == 0 ? nil : "\(prefix)\($0)\($1)" }
        }
    }

    var color: Color?
    var background: Color?
    var isBold = false
    var isFaint = false
    var isItalic = false
    var isUnderlined = false
    var isStruck = false
    var isReversed = false

    var classes: String {
        var names: [String] = []
        if isReversed, color == nil { names.append("ansi-reverse") }
        if let color = isReversed ? background : color { names += color.classes }
        if let background = isReversed ? color : background { names += background.backgroundClasses }
        if isBold { names.append("ansi-bold") }
        if isFaint { names.append("ansi-faint") }
        if isItalic { names.append("ansi-italic") }
        if isUnderlined { names.append("ansi-underline") }
        if isStruck { names.append("ansi-strike") }
        return names.joined(separator: " ")
    }

    /// Applies the parameters of a *select graphic rendition* sequence of ECMA-48.
    ///
    /// Blinking, hidden text, and the colour of underlines are ignored.
    mutating func apply(_ numbers: [Int]) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: self = AnsiStyle()
            case 1: isBold = true
            case 2: isFaint = true
            case 3: isItalic = true
            case 4, 21: isUnderlined = true
            case 7: isReversed = true
            case 9: isStruck = true
            case 22: (isBold, isFaint) = (false, false)
            case 23: isItalic = false
            case 24: isUnderlined = false
            case 27: isReversed = false
            case 29: isStruck = false
            case 30...37: color = Color(index: number - 30)
            case 90...97: color = Color(index: number - 90)
            case 39: color = nil
            case 40...47: background = Color(index: number - 40)
            case 100...107: background = Color(index: number - 100)
            case 49: background = nil
            case 38, 48, 58:
                guard let named = Self.takeExtended(&rest) else { break }
                if number == 38 { color = named }
                if number == 48 { background = named }
            default: break
            }
        }
    }

    /// Reads the parameters of an extended colour; nil if they are incomplete or out of range.
    private static func takeExtended(_ rest: inout ArraySlice<Int>) -> Color? {
        switch rest.popFirst() {
        case 5: return rest.popFirst().flatMap { Color(index: $0) }
        case 2:
            guard let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst() else { return nil }
            return .nearest(red, green, blue)
        default: return nil
        }
    }
}
