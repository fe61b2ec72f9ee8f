import Foundation

/// A signal with its conventional name.
package struct ProcessSignal: Sendable, Hashable, CustomStringConvertible {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// Finds a signal by name, with or without `SIG`; nil if ``names`` does not contain it.
    init?(_ name: String) {
        let short = name.uppercased().hasPrefix("SIG") ? String(name.uppercased().dropFirst(3)) : name.uppercased()
        guard let known = Self.known.first(where: { $0.name == short }) else { return nil }
        number = known.number
    }

    static let terminate = ProcessSignal(number: SIGTERM)
    static let kill = ProcessSignal(number: SIGKILL)

    static var names: [String] { known.map(\.name) }

    package var description: String {
        Self.known.first { $0.number == number }.map { "SIG" + $0.name } ?? "signal \(number)"
    }

    /// An explanation of a process's end by this signal, as a clause, or nil if the name is sufficient.
    package var meaning: String? { Self.known.first { $0.number == number }?.meaning }

    private struct Known: Sendable {
        let name: String
        let number: Int32
        var meaning: String?
    }

    private static let known: [Known] = [
        Known(name: "HUP", number: SIGHUP), Known(name: "INT", number: SIGINT),
        Known(name: "QUIT", number: SIGQUIT),
        Known(name: "ILL", number: SIGILL, meaning: "it ran an instruction that the processor does not know"),
        Known(name: "TRAP", number: SIGTRAP, meaning: "it stopped itself, as programs do at an error of their own"),
        Known(name: "ABRT", number: SIGABRT, meaning: "it gave up, as programs do at an error of their own"),
        Known(name: "BUS", number: SIGBUS, meaning: "it reached for memory that is not there"),
        Known(name: "FPE", number: SIGFPE, meaning: "it divided by zero, or the like"),
        Known(name: "KILL", number: SIGKILL, meaning: "a user, or the system when memory ran out, killed it"),
        Known(name: "USR1", number: SIGUSR1),
        Known(name: "SEGV", number: SIGSEGV, meaning: "it reached for memory that is not its own"),
        Known(name: "USR2", number: SIGUSR2),
        Known(name: "PIPE", number: SIGPIPE, meaning: "its output was closed while it was writing"),
        Known(name: "ALRM", number: SIGALRM), Known(name: "TERM", number: SIGTERM, meaning: "it was asked to stop"),
        Known(name: "CONT", number: SIGCONT), Known(name: "WINCH", number: SIGWINCH),
        Known(name: "XCPU", number: SIGXCPU, meaning: "it used more processor time than it may"),
        Known(name: "XFSZ", number: SIGXFSZ, meaning: "it wrote a larger file than it may"),
    ]
}

package struct CommandFailure: Error, Sendable, Hashable {
    /// The failed step: `exec`, `directory`, `nice`, `memory`, `files`, `terminal`, `input`, `user`, `fork` or `helper`.
    let step: String
    package let error: Int32
    /// A sentence that is more precise than that of the error.
    var explanation: String?

    /// Whether the program or its interpreter is missing.
    var isMissing: Bool { step == "exec" && error == ENOENT }

    init(step: String, error: Int32) {
        self.step = step
        self.error = error
    }

    /// Describes the failure of a program of the definition, and its fix, without paths of the server.
    func sentence(running program: String) -> String {
        if let explanation { return explanation }
        return switch (step, error) {
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
            "The server's user has no access to the command's working directory."
        case ("directory", ENOTDIR): "The command's working directory is not a folder. Correct working_dir."
        case ("nice", _): "The command cannot have that priority: values below 0 require root. Correct nice."
        case ("memory", _), ("files", _): "The command's limits could not be set. Correct limits."
        case ("user", ENOENT): "The user that the program should run as does not exist. Create it, or correct user."
        case ("user", EPERM):
            "The server may not run programs as another user. Run it as root, or remove user."
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
