package import WeirStates

/// An operation whose output has a limit of its own.
package protocol LimitedOutput {
    /// The maximum size of a run's recorded output, or nil for that of the board.
    var maximumOutput: ByteCount? { get }
}

/// Why lines of an output are not kept.
enum OutputOmission: Sendable, Hashable {
    /// They were offered without waiting, and there was no room.
    case speed
    /// The output has reached its maximum size.
    case size(ByteCount)
    /// The journal's disk is almost full.
    case space

    /// The notice before the first such line, or nil if the count of the lines suffices.
    var announcement: String? {
        switch self {
        case .speed: nil
        case .size(let maximum): "… The output has reached its maximum of \(maximum). Further lines are not kept."
        case .space: "… The server's disk is almost full. Output is not kept until space is free."
        }
    }

    /// The notice after a number of such lines.
    func count(_ lines: Int) -> String {
        let words = lines == 1 ? "1 line was" : "\(Self.grouped(lines)) lines were"
        return switch self {
        case .speed: "… \(words) not kept: lines were printed faster than they could be recorded."
        case .size(let maximum): "… \(words) not kept: the output is longer than \(maximum)."
        case .space: "… \(words) not kept: the server's disk was almost full."
        }
    }

    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}
