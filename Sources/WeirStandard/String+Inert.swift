extension String {
    /// Text from outside, made fit to be shown: bounded, and without what steers a terminal or turns the writing direction.
    ///
    /// Keeps line breaks and tabs. A cut is marked by an ellipsis.
    package func inert(limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars where !scalar.steers {
            guard count < limit else { return String(kept) + "…" }
            kept.append(scalar)
            count += 1
        }
        return String(kept)
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character other than a line break or tab, or one that overrides the writing direction.
    fileprivate var steers: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
