#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// Starts programs, and takes their ends.
package enum ChildProcess {
    /// What a program is started as.
    package enum Kind {
        /// The helper program, in a session of its own, so that a Ctrl-C at the server's terminal reaches the server alone.
        case helper
        /// A command in this process's place, in its session and with no signal held back; those named do to it what they
        /// do to any.
        case wrapped(defaulted: [Int32])
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program; one that is wrapped is looked for in `PATH`.
    ///   - arguments: Its arguments, from its own name on; none holds NUL.
    ///   - environment: All of its environment, as `NAME=value`.
    ///   - descriptors: What it finds at which number; all are above those numbers.
    ///   - kind: What it is started as.
    /// - Returns: The process.
    /// - Throws: `CommandFailure` with what the system says.
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

    /// Takes the end of a process that has ended, or is about to.
    package static func reap(_ process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
