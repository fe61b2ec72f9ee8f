/// A number of bytes in human-readable form: `512 MB`, `2 GiB`, `4096`.
///
/// Never negative, and at most 2⁶⁰, so that adding two of them cannot overflow.
public struct ByteCount: Sendable, Hashable {
    /// The number of bytes.
    public let bytes: Int64

    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000),
    ]
    private static let largest: Int64 = 1 << 60

    /// Creates a byte count, clamped to 0…2⁶⁰.
    public init(clamping bytes: some BinaryInteger) {
        self.bytes = min(max(Int64(clamping: bytes), 0), Self.largest)
    }

    /// Parses a whole number with an optional unit: kB, MB, GB and TB are powers of 1,000; KiB, MiB, GiB and TiB are
    /// powers of 1,024.
    ///
    /// Units are case-insensitive.
    public init?(_ text: some StringProtocol) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard let number = Int64(digits) else { return nil }
        let factor = unit.isEmpty || unit == "b" ? 1 : Self.units.first { $0.name.lowercased() == unit }?.bytes
        guard let factor else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows, bytes <= Self.largest else { return nil }
        self.bytes = bytes
    }
}

extension ByteCount: CustomStringConvertible {
    /// The number in the largest unit in which it is whole.
    public var description: String {
        let unit = Self.units.first { bytes >= $0.bytes && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes) \($0.name)" } ?? "\(bytes) bytes"
    }
}

extension ByteCount: Comparable {
    /// Orders by the number of bytes.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}
