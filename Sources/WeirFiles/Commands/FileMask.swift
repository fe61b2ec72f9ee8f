/// The permissions that new files of a program do not get, such as `022` (POSIX `umask`).
package struct FileMask: Sendable, Hashable {
    /// The permission bits, from 0 to 0o777.
    package let bits: UInt16

    /// Creates a mask from the result of `umask`.
    package init(bits: some BinaryInteger) { self.bits = UInt16(truncatingIfNeeded: bits) & 0o777 }

    /// Reads three octal digits, with or without a leading zero; nil for anything else.
    package init?(_ text: String) {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...55).contains($0) }) else { return nil }
        guard let bits = UInt16(text, radix: 8), bits <= 0o777 else { return nil }
        self.bits = bits
    }
}
