import Foundation
import WeirFlows
import WeirOperations

/// Bytes made up as they are asked for.
final class GeneratedContent: FileContent {
    private let left: Locked<Int>
    private let pieceSize: Int
    private let piece: Data
    private let atPiece: @Sendable (Int) async throws -> Void
    private let number = Locked(0)

    /// So many bytes in pieces of a size; the closure is called before each piece with its number, from 1.
    init(_ count: Int, pieceSize: Int = 65_536, atPiece: @escaping @Sendable (Int) async throws -> Void = { _ in }) {
        left = Locked(count)
        self.pieceSize = pieceSize
        self.atPiece = atPiece
        piece = Self.noise(pieceSize)
    }

    func next() async throws -> Data? {
        let number = self.number.withLock { number in
            number += 1
            return number
        }
        try await atPiece(number)
        let count = left.withLock { left in
            let count = min(left, pieceSize)
            left -= count
            return count
        }
        return count == 0 ? nil : piece.prefix(count)
    }

    /// Bytes that do not compress well, the same each time.
    static func noise(_ count: Int) -> Data {
        var value: UInt64 = 0x9E37_79B9_7F4A_7C15
        return Data(
            (0..<count).map { _ in
                value ^= value << 13
                value ^= value >> 7
                value ^= value << 17
                return UInt8(truncatingIfNeeded: value)
            })
    }
}
