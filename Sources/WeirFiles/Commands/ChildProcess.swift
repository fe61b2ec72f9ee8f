package import Foundation

package enum ChildProcess {
    package enum Kind {
        /// The helper, in its own session, so that a Ctrl-C at the server's terminal does not reach it.
        case helper
        /// A command in this process's session, with an empty signal mask and the given signals reset to their default actions.
        case wrapped(defaulted: [Int32])
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program. A wrapped one is searched in `PATH`.
    ///   - arguments: The arguments, starting with the program's name. None contains NUL.
    ///   - environment: The complete environment, as `NAME=value`.
    ///   - descriptors: The open descriptors by their number in the child. All are greater than those numbers.
    ///   - kind: How the program is started.
    /// - Returns: The process id.
    /// - Throws: `CommandFailure` with the system's error.
    package static func start(
        _ path: String, arguments: [String], environment: [String], descriptors: [Int32: Int32], as kind: Kind
    ) throws(CommandFailure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (place, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, place) }
        switch kind {
        case .helper:
            #if canImport(Darwin)
                let flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                let flags = 0x80  // POSIX_SPAWN_SETSID
            #endif
            posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        case .wrapped(let defaulted):
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for number in defaulted { sigaddset(&signals, number) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setflags(
                &attributes,
                Int16(truncatingIfNeeded: POSIX_SPAWN_SETSIGDEF) | Int16(truncatingIfNeeded: POSIX_SPAWN_SETSIGMASK))
        }
        let words = arguments.map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { for copy in words + variables { free(copy) } }
        var process: pid_t = 0
        switch kind {
        case .helper:
            let error = posix_spawn(&process, path, &actions, &attributes, words + [nil], variables + [nil])
            guard error == 0 else { throw CommandFailure(step: "helper", error: error) }
        case .wrapped:
            let error = posix_spawnp(&process, path, &actions, &attributes, words + [nil], variables + [nil])
            guard error == 0 else { throw CommandFailure(step: "exec", error: error) }
        }
        return process
    }
}

package struct Descriptors {
    private var open: Set<Int32> = []

    package init() {}

    /// Creates a pipe with close-on-exec ends, whose numbers are above those that the helper expects.
    package mutating func pipe() throws(CommandFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else { throw CommandFailure(step: "helper", error: errno) }
        let (read, write) = (try raised(ends[0]), try raised(ends[1]))
        return (read, write)
    }

    /// Creates an anonymous file with the given contents, positioned at its start.
    mutating func file(holding bytes: [UInt8]) throws(CommandFailure) -> Int32 {
        // It is unlinked at once, and on Linux it is never written to a disk.
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
            // Unsafe memory: the array contains the bytes from the end of the last piece.
            let count = bytes[written...].withUnsafeBytes { write(place, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CommandFailure(step: "helper", error: errno) }
            written += count
        }
        guard lseek(place, 0, SEEK_SET) == 0 else { throw CommandFailure(step: "helper", error: errno) }
        return place
    }

    mutating func adopt(_ descriptor: Int32) { open.insert(descriptor) }

    /// Gives up ownership of a descriptor.
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
