#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends a wait for a file descriptor, from any thread: a pipe that can be read while it is signalled.
///
/// Without a pipe, as when the process has no descriptors left, nothing is interrupted.
final class Interruption: Sendable {
    /// What can be read while it is signalled.
    let descriptor: Int32
    private let input: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, let output = ends.first, let input = ends.last else {
            (descriptor, input) = (-1, -1)
            return
        }
        for end in [output, input] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, self.input) = (output, input)
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        _ = close(input)
    }

    /// Interrupts; a pipe that is full is signalled already.
    func signal() {
        guard input >= 0 else { return }
        var byte: UInt8 = 0
        _ = write(input, &byte, 1)
    }

    /// Forgets all signals.
    func clear() {
        guard descriptor >= 0 else { return }
        var bytes: [UInt8] = Array(repeating: 0, count: 256)
        while read(descriptor, &bytes, 256) == 256 {}
    }
}
