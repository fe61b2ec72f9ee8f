#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Foundation

/// What is open for one command, and how it is closed again whatever fails in between.
package struct Descriptors {
    private var open: Set<Int32> = []

    package init() {}

    /// A pipe whose ends no other program gets; both are above the numbers that the helper program expects things at.
    package mutating func pipe() throws(CommandFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else { throw CommandFailure(step: "helper", error: errno) }
        let (read, write) = (try raised(ends[0]), try raised(ends[1]))
        return (read, write)
    }

    /// A file without a name that holds the bytes, ready to be read from its beginning.
    mutating func file(holding bytes: [UInt8]) throws(CommandFailure) -> Int32 {
        // It has a name for a moment only, and on Linux never reaches a disk.
        var file: Int32 = -1
        var name: [CChar] = []
        for folder in ["/dev/shm/", NSTemporaryDirectory()] where file < 0 {
            name = Array((folder + "weir-input.XXXXXX").utf8CString)
            file = mkstemp(&name)
        }
        guard file >= 0 else { throw CommandFailure(step: "helper", error: errno) }
        unlink(name)
        let place = try raised(file)
        var written = 0
        while written < bytes.count {
            // Unsafe memory: what is written lies in the array, from where the last piece ended.
            let count = bytes[written...].withUnsafeBytes { write(place, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CommandFailure(step: "helper", error: errno) }
            written += count
        }
        guard lseek(place, 0, SEEK_SET) == 0 else { throw CommandFailure(step: "helper", error: errno) }
        return place
    }

    /// Takes a descriptor over that was opened elsewhere.
    mutating func adopt(_ descriptor: Int32) { open.insert(descriptor) }

    /// Gives a descriptor away: whoever has it now closes it.
    package mutating func release(_ descriptor: Int32) { open.remove(descriptor) }

    mutating func close(_ descriptor: Int32) {
        guard open.remove(descriptor) != nil else { return }
        closeDescriptor(descriptor)
    }

    package mutating func closeAll() { for descriptor in open { close(descriptor) } }

    private mutating func raised(_ descriptor: Int32) throws(CommandFailure) -> Int32 {
        open.insert(descriptor)
        let higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
        guard higher >= 0 else { throw CommandFailure(step: "helper", error: errno) }
        open.insert(higher)
        close(descriptor)
        return higher
    }
}

/// The system's `close`, which a method of that name hides.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// The system's `pipe`, which a method of that name hides.
private func makePipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
