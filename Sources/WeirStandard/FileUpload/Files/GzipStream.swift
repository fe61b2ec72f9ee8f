import CZlib
import Foundation

/// A gzip compressor (RFC 1952) based on zlib.
///
/// Not thread-safe.
///
/// The header contains neither a name nor a time, so equal input produces equal output.
final class GzipStream {
    // Unsafe memory: allocated and freed with the stream; zlib receives the size of the buffer.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room: [UInt8]

    /// Creates a stream with a level from 1 (fast) to 9 (small).
    init(level: Int, room: Int = 65_536) throws(FileUploadFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.room = [UInt8](repeating: 0, count: max(1, room))
        let sixteenForGzip = MAX_WBITS + 16
        guard
            deflateInit2_(
                stream, CInt(clamping: min(max(level, 1), 9)), Z_DEFLATED, sixteenForGzip, 8, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                CInt(clamping: MemoryLayout<z_stream>.size)) == Z_OK
        else {
            stream.deallocate()
            throw .fileSystem(reason: "there is no memory for compression")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses bytes and emits completed output, at most the stream's buffer at a time.
    ///
    /// With `isLast`, emits all remaining output; the stream is then finished. Rethrows the errors of `emit`.
    func take(_ bytes: Data, isLast: Bool = false, emit: (Data) throws -> Void) throws {
        // zlib does not modify its input; its declaration merely lacks `const`.
        try bytes.withUnsafeBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            // Never traps: an upload is compressed in pieces of 256 kB.
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let produced = try room.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: output.count)
                    guard deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR else {
                        throw FileUploadFailure.fileSystem(reason: "it cannot be compressed")
                    }
                    return output.count - Int(clamping: stream.pointee.avail_out)
                }
                if produced > 0 { try emit(Data(room[..<produced])) }
            } while stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
        }
    }
}
