import CZlib
import Crypto
import Foundation

/// Compresses or decompresses a gzip stream (RFC 1952) piece by piece with zlib.
///
/// An empty second member with the hash of the first one follows, because other compressed bytes can stand for the same
/// content. Programs that decompress gzip skip it. Not thread-safe.
final class GzipCoder {
    enum Direction { case compress, decompress }

    struct Damaged: Error {}

    // Unsafe memory: allocated and freed with the coder; zlib receives the size of each buffer.
    private let stream: UnsafeMutablePointer<z_stream>
    private let direction: Direction
    private var room = [UInt8](repeating: 0, count: 65_536)
    private var hash = SHA256()
    /// What is still expected of the seal; nil before the end of the first member.
    private var seal: ArraySlice<UInt8>?
    /// Whether the end of the stream, and of its seal, was reached.
    private(set) var isFinished = false

    /// The header that the compressor writes: no name, no time, level 6, Unix.
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    init(_ direction: Direction) throws(StartError) {
        self.direction = direction
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = CInt(clamping: MemoryLayout<z_stream>.size)
        let bitsOfGzip = MAX_WBITS + 16
        let result =
            direction == .compress
            ? deflateInit2_(stream, 6, Z_DEFLATED, bitsOfGzip, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            : inflateInit2_(stream, bitsOfGzip, ZLIB_VERSION, size)
        guard result == Z_OK else {
            stream.deallocate()
            throw .unavailable("There is no memory for compression.")
        }
    }

    deinit {
        if direction == .compress { deflateEnd(stream) } else { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Codes bytes and passes the output on in pieces; with `isLast`, all that is left.
    ///
    /// Returns the number of bytes after the end of a decompressed stream. Throws ``Damaged`` if they are not a gzip stream
    /// with its seal.
    @discardableResult
    func take(_ bytes: [UInt8], isLast: Bool = false, emit: ([UInt8]) throws -> Void) throws -> Int {
        guard direction == .decompress else {
            let (_, isOver) = try code(bytes, isLast: isLast) { bytes in
                hash.update(data: bytes)
                try emit(bytes)
            }
            if isOver {
                isFinished = true
                try emit(Self.seal(hash.finalize()))
            }
            return 0
        }
        var left = bytes[...]
        if seal == nil {
            let (count, isOver) = try code(bytes, emit: emit)
            hash.update(data: bytes.dropLast(count))
            left = bytes.suffix(count)
            guard isOver else { return count }
            seal = Self.seal(hash.finalize())[...]
        }
        guard let expected = seal else { return left.count }
        let count = min(left.count, expected.count)
        guard left.prefix(count) == expected.prefix(count) else { throw Damaged() }
        seal = expected.dropFirst(count)
        isFinished = count == expected.count
        return left.count - count
    }

    /// The member after the first one: a header with the hash in an extra field, and no content.
    private static func seal(_ hash: SHA256.Digest) -> [UInt8] {
        let extra = Array("WB".utf8) + [32, 0] + Array(hash)
        let header: [UInt8] = [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 3, 36, 0]
        return header + extra + [3, 0] + [UInt8](repeating: 0, count: 8)
    }

    /// Passes bytes through zlib; returns how many it left, and whether the member is over.
    private func code(
        _ bytes: [UInt8], isLast: Bool = false, emit: ([UInt8]) throws -> Void
    ) throws -> (left: Int, isOver: Bool) {
        var bytes = bytes
        // zlib does not modify its input; its declaration merely lacks `const`.
        return try bytes.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(clamping: input.count)
            var isOver = false
            repeat {
                let produced = try room.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: output.count)
                    let result =
                        direction == .compress
                        ? deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) : inflate(stream, Z_NO_FLUSH)
                    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw Damaged() }
                    isOver = result == Z_STREAM_END
                    return output.count - Int(clamping: stream.pointee.avail_out)
                }
                if produced > 0 { try emit(Array(room.prefix(produced))) }
            } while stream.pointee.avail_out == 0 && !isOver
            stream.pointee.next_in = nil
            return (Int(clamping: stream.pointee.avail_in), isOver)
        }
    }
}
