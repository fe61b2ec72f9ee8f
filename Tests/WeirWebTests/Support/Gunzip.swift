import CZlib
import Foundation

/// What was compressed to one member of the gzip format; its checksum and its length are checked.
func gunzip(_ data: Data) throws -> Data {
    struct Broken: Error { let code: CInt }
    var stream = z_stream()
    let size = CInt(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, size) == Z_OK else { throw Broken(code: 0) }
    defer { inflateEnd(&stream) }
    var input = Array(data)
    var output = [UInt8](repeating: 0, count: 4 << 20)
    let code = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            return inflate(&stream, Z_FINISH)
        }
    }
    guard code == Z_STREAM_END, stream.avail_in == 0 else { throw Broken(code: code) }
    return Data(output[..<Int(stream.total_out)])
}
