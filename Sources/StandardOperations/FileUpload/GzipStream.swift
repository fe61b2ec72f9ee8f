import CZlib
import Foundation

/// Compresses bytes as they come into the gzip format (RFC 1952), by zlib.
///
/// One owner; not for two tasks at once.
///
/// The header holds neither name nor time, so equal bytes give equal files.
final class GzipStream {
    private let stream: UnsafeMutablePointer<z_stream>
    private var room: [UInt8]

    /// Makes a stream; the level is from 1, fast, to 9, small.
    init(level: Int, room: Int = 65_536) throws(FileUploadFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.room = [UInt8](repeating: 0, count: room)
        let sixteenForGzip = MAX_WBITS + 16
        guard
            deflateInit2_(
                stream, CInt(min(max(level, 1), 9)), Z_DEFLATED, sixteenForGzip, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                CInt(MemoryLayout<z_stream>.size)) == Z_OK
        else {
            stream.deallocate()
            throw .fileSystem(reason: "there is no memory to compress with")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Takes bytes and hands on those that are ready, at most the stream's room at a time.
    ///
    /// With `isLast` it hands on all that is left; nothing may follow. Throws what `emit` throws.
    func take(_ bytes: Data, isLast: Bool = false, emit: (Data) throws -> Void) throws {
        // zlib does not write to its input; the pointer is mutable because it was declared before `const` was usual.
        try bytes.withUnsafeBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let produced = try room.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    guard deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR else {
                        throw FileUploadFailure.fileSystem(reason: "it cannot be compressed")
                    }
                    return output.count - Int(stream.pointee.avail_out)
                }
                if produced > 0 { try emit(Data(room[..<produced])) }
            } while stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
        }
    }
}
