/// A 64-bit FNV-1a hash, which unlike Swift's own is the same in every process and version.
///
/// It detects accidents, and spreads values; it does not protect from an attacker.
package struct StableHash: Sendable, Hashable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package init(_ bytes: some Sequence<UInt8>) { combine(bytes) }

    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01b3 }
    }
}
