import CZlib
import NIOCore

/// Compresses to the gzip format (RFC 1952) with zlib.
///
/// A body consists of parts that are compressed independently. A shared part is compressed once and reused, and
/// request-specific parts are stored uncompressed in between. The result is a single gzip member whose checksum is combined
/// from those of the parts.
enum Gzip {
    struct Part: Sendable {
        /// Deflate blocks (RFC 1951) that end on a byte boundary; none is marked final.
        fileprivate let blocks: ByteBuffer
        fileprivate let checksum: UInt
        /// The uncompressed length in bytes.
        fileprivate let length: Int

        var size: Int { blocks.readableBytes }

        /// Compresses bytes at a level from 1, fastest, to 9, smallest; returns nil if memory is exhausted.
        init?(compressing bytes: ByteBuffer, level: Int32 = Z_DEFAULT_COMPRESSION) {
            guard let blocks = Gzip.deflate(bytes, level: level) else { return nil }
            self.blocks = blocks
            checksum = Gzip.checksum(of: bytes)
            length = bytes.readableBytes
        }

        /// Stores text uncompressed.
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

    static func body(of parts: some Collection<Part>) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(parts.reduce(20) { $0 + $1.size })
        // No name and no time, so that output is deterministic; 255 is an unknown operating system.
        body.writeBytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        var (checksum, length) = (crc32(0, nil, 0), 0)
        for part in parts {
            body.writeImmutableBuffer(part.blocks)
            checksum = crc32_combine(checksum, part.checksum, part.length)
            length += part.length
        }
        // An empty final block.
        body.writeBytes([3, 0])
        body.writeInteger(UInt32(truncatingIfNeeded: checksum), endianness: .little)
        body.writeInteger(UInt32(truncatingIfNeeded: length), endianness: .little)
        return body
    }

    /// The compressed bytes, or nil if they are not smaller.
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
        // A negative value selects raw deflate without a header.
        let began = deflateInit2_(
            &stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(clamping: MemoryLayout<z_stream>.size))
        guard began == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var blocks = ByteBuffer()
        // The sync flush adds a few bytes beyond the bound.
        let room = Int(clamping: deflateBound(&stream, UInt(clamping: bytes.readableBytes))) + 64
        let isDone = bytes.withUnsafeReadableBytes { input in
            blocks.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
                // zlib does not write to its input; its declaration merely lacks `const`.
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

/// Parses `Accept-Encoding` (RFC 9110, section 12.5.3).
enum AcceptedCoding {
    static func isGzip(_ header: String?) -> Bool {
        guard let header else { return false }
        // A fast path for the headers that browsers send.
        if header == "gzip" || (header.hasPrefix("gzip,") && !header.contains(";")) { return true }
        var (named, isAllowed): (Bool?, Bool) = (nil, false)
        for choice in header.split(separator: ",") {
            let parts = choice.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard let coding = parts.first, ["gzip", "x-gzip", "*"].contains(coding) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let isTaken = weight != 0
            // An entry for gzip overrides the wildcard; `x-gzip` is the same coding, and a refusal of either counts.
            if coding == "*" { isAllowed = isTaken } else { named = isTaken && named != false }
        }
        return named ?? isAllowed
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
