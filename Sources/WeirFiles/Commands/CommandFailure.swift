#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a command could not be started.
package struct CommandFailure: Error, Sendable, Hashable {
    /// What was being done: `exec`, `directory`, `nice`, `memory`, `files`, `terminal`, `input`, `fork` or `helper`.
    package let step: String
    /// The system's number of the error.
    package let error: Int32

    package init(step: String, error: Int32) {
        self.step = step
        self.error = error
    }

    /// What happened and what to do, without naming the server's own paths.
    ///
    /// - Parameter program: What was to be run, as it is written in the definition.
    /// - Returns: One or two sentences.
    package func sentence(running program: String) -> String {
        switch (step, error) {
        case ("exec", ENOENT):
            "The program “\(program)” is not there. Install it on the server, or correct the command or its PATH."
        case ("exec", EACCES):
            "The program “\(program)” may not be run: make it executable for the user that the server runs as."
        case ("exec", ENOEXEC):
            "“\(program)” is no program that this machine can run. A script needs a first line such as #!/bin/sh."
        case ("exec", E2BIG), ("helper", E2BIG):
            "The arguments and the environment of the command are longer than the system allows. Pass long values on standard input."
        case ("directory", ENOENT):
            "The folder that the command should run in is not there. Make it, or correct working_dir."
        case ("directory", EACCES), ("directory", EPERM):
            "The folder that the command should run in may not be entered by the user that the server runs as."
        case ("directory", ENOTDIR): "What the command should run in is no folder. Correct working_dir."
        case ("nice", _): "The command may not be given that priority: only root may go below 0. Correct nice."
        case ("memory", _), ("files", _): "The command's limits could not be set. Correct limits."
        case ("terminal", _):
            "The system has no terminal left to give to the command. Try again, or leave terminal out."
        case (_, EAGAIN), (_, ENOMEM):
            "The machine has no room for one more program. Wait until others have ended, then try again."
        case (_, EMFILE), (_, ENFILE):
            "The server has too many files open to start a command. Wait until others have ended, or raise `ulimit -n`."
        default: "The command could not be started (\(step), error \(error)). The server's log may say more."
        }
    }
}
