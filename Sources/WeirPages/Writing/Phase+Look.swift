import WeirStates

extension Phase {
    /// The colour, as the name of a class and of an icon.
    var tone: String {
        switch self {
        case .idle: "idle"
        case .active: "active"
        case .succeeded: "ok"
        case .failed: "bad"
        case .cancelled, .interrupted: "warn"
        }
    }

    /// The shape, as SVG path data in a box of 16 by 16, filled by even and odd.
    var shape: String {
        switch self {
        case .idle: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2a5 5 0 1 1 0 10A5 5 0 0 1 8 3z"
        case .active: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z"
        case .succeeded: "M6.2 13.4L1.3 8.5l2-2 2.9 2.9L12.7 3l2 2z"
        case .failed: "M3.7 1.8L8 6.1l4.3-4.3 1.9 1.9L9.9 8l4.3 4.3-1.9 1.9L8 9.9l-4.3 4.3-1.9-1.9L6.1 8 1.8 3.7z"
        case .cancelled: "M2.5 2.5h11v11h-11z"
        case .interrupted: "M8 .8L15.8 15H.2zM7.1 6v4.6h1.8V6zm0 5.6v1.7h1.8v-1.7z"
        }
    }

    /// The shape as a character, where only text can stand.
    var glyph: String {
        switch self {
        case .idle: "\u{25CB}"
        case .active: "\u{25D0}"
        case .succeeded: "\u{2713}"
        case .failed: "\u{2715}"
        case .cancelled: "\u{25FC}"
        case .interrupted: "\u{26A0}"
        }
    }
}
