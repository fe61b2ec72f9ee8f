#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts the helper program with descriptors at the places where it expects them.
enum HelperProcess {
    /// Starts a program in a session of its own, so that a Ctrl-C at the server's terminal reaches the server alone.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Its arguments, from its own name on; none holds NUL.
    ///   - environment: All of its environment, as `NAME=value`.
    ///   - descriptors: What it finds at 0, 1, 2 and so on; all are above those numbers.
    /// - Returns: The process.
    /// - Throws: `CommandFailure` with what the system says.
    static func start(
        _ path: String, arguments: [String], environment: [String], descriptors: [Int32]
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
        for (place, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(clamping: place))
        }
        #if canImport(Darwin)
            let flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            let flags = 0x80  // POSIX_SPAWN_SETSID
        #endif
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        let words = arguments.map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { for copy in words + variables { free(copy) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, path, &actions, &attributes, words + [nil], variables + [nil])
        guard error == 0 else { throw CommandFailure(step: "helper", error: error) }
        return process
    }

    /// Takes the end of a process that has ended, or is about to.
    static func reap(_ process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
