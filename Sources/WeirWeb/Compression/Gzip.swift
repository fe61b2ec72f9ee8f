import CZlib
import NIOCore

/// Compresses to the gzip format (RFC 1952) with zlib.
///
/// A body is made of parts. Each is compressed without a look at the others, so that a part which everybody gets is
/// compressed once, and what belongs to one request is put between such parts as it is. The result is one ordinary gzip
/// member; its checksum is combined from those of the parts.
enum Gzip {
    /// A part of a body.
    struct Part: Sendable {
        /// Blocks of the format deflate (RFC 1951), none of them the last, which end with a whole byte.
        fileprivate let blocks: ByteBuffer
        fileprivate let checksum: UInt
        /// How long it is when it is not compressed, in bytes.
        fileprivate let length: Int

        /// How many bytes it takes.
        var size: Int { blocks.readableBytes }

        /// Compresses a part; nil if there is no memory to do so.
        ///
        /// The level is from 1, fast, to 9, small.
        init?(compressing bytes: ByteBuffer, level: Int32 = Z_DEFAULT_COMPRESSION) {
            guard let blocks = Gzip.deflate(bytes, level: level) else { return nil }
            self.blocks = blocks
            checksum = Gzip.checksum(of: bytes)
            length = bytes.readableBytes
        }

        /// Takes a part as it is.
        init(stored text: String) {
            let bytes = ByteBuffer(string: text)
            var rest = bytes
            var blocks = ByteBuffer()
            while let block = rest.readSlice(length: min(rest.readableBytes, 65_535)), block.readableBytes > 0 {
                let length = UInt16(truncatingIfNeeded: block.readableBytes)
                blocks.writeBytes([0])
                blocks.writeInteger(length, endianness: .little)
                blocks.writeInteger(~length, endianness: .little)
                blocks.writeImmutableBuffer(block)
            }
            self.blocks = blocks
            checksum = Gzip.checksum(of: bytes)
            length = bytes.readableBytes
        }
    }

    /// The body that these parts are, in order.
    static func body(of parts: some Collection<Part>) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(parts.reduce(20) { $0 + $1.size })
        // No name, no time, so that equal bytes are compressed to equal bytes; 255: no system in particular.
        body.writeBytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        var (checksum, length) = (crc32(0, nil, 0), 0)
        for part in parts {
            body.writeImmutableBuffer(part.blocks)
            checksum = crc32_combine(checksum, part.checksum, part.length)
            length += part.length
        }
        // An empty block, which is the last.
        body.writeBytes([3, 0])
        body.writeInteger(UInt32(truncatingIfNeeded: checksum), endianness: .little)
        body.writeInteger(UInt32(truncatingIfNeeded: length), endianness: .little)
        return body
    }

    /// The bytes, compressed; nil if that does not make them smaller.
    static func compress(_ bytes: ByteBuffer, level: Int32 = Z_DEFAULT_COMPRESSION) -> ByteBuffer? {
        guard let part = Part(compressing: bytes, level: level) else { return nil }
        let body = body(of: CollectionOfOne(part))
        return body.readableBytes < bytes.readableBytes ? body : nil
    }

    // Unsafe memory: zlib receives the sizes of both buffers, and neither outlives its closure.
    private static func checksum(of bytes: ByteBuffer) -> UInt {
        bytes.withUnsafeReadableBytes { bytes in
            crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }

    private static func deflate(_ bytes: ByteBuffer, level: Int32) -> ByteBuffer? {
        var stream = z_stream()
        // Negative: deflate alone, without a header.
        let began = deflateInit2_(
            &stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(clamping: MemoryLayout<z_stream>.size))
        guard began == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var blocks = ByteBuffer()
        // The flush at the end takes a few bytes more than the bound.
        let room = Int(clamping: deflateBound(&stream, UInt(clamping: bytes.readableBytes))) + 64
        let isDone = bytes.withUnsafeReadableBytes { input in
            blocks.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
                // zlib does not write to its input; the pointer is mutable because it was declared before `const` was usual.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(clamping: output.count)
                _ = CZlib.deflate(&stream, Z_SYNC_FLUSH)
                return output.count - Int(clamping: stream.avail_out)
            }
            return stream.avail_in == 0 && stream.avail_out > 0
        }
        return isDone ? blocks : nil
    }
}
