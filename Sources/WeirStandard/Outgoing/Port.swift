/// A TCP port that something can listen at: 1 to 65,535.
///
/// Numbers from outside become one before anything is done with them: what sockets are given is 16 bits wide, and a
/// conversion of a larger number ends the process.
package struct Port: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    package let number: UInt16

    /// A port of that number; nil if there is none.
    package init?(_ number: some BinaryInteger) {
        guard let number = UInt16(exactly: number), number > 0 else { return nil }
        self.number = number
    }

    /// The port that is written as one to five decimal digits; nil for any other text.
    package init?(text: some StringProtocol) {
        let isDecimal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...5).contains(text.utf8.count), isDecimal, let number = UInt16(text) else { return nil }
        self.init(number)
    }

    /// The number in decimal digits.
    package var description: String { String(number) }
}
