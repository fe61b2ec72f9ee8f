#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A signal that a process can be sent, by the name everybody knows it by.
package struct ProcessSignal: Sendable, Hashable, CustomStringConvertible {
    package let number: Int32

    /// Makes a signal of any number.
    package init(number: Int32) { self.number = number }

    /// Finds a signal by its name, with or without `SIG`; nil when it is none of ``names``.
    package init?(_ name: String) {
        let short = name.uppercased().hasPrefix("SIG") ? String(name.uppercased().dropFirst(3)) : name.uppercased()
        guard let known = Self.known.first(where: { $0.name == short }) else { return nil }
        number = known.number
    }

    package static let terminate = ProcessSignal(number: SIGTERM)
    package static let kill = ProcessSignal(number: SIGKILL)

    /// The names that can be written.
    package static var names: [String] { known.map(\.name) }

    /// The name, such as `SIGTERM`.
    package var description: String {
        Self.known.first { $0.number == number }.map { "SIG" + $0.name } ?? "signal \(number)"
    }

    /// What it says about a process that it ended, as a clause; nil where the name says all there is to say.
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
        Known(name: "KILL", number: SIGKILL, meaning: "somebody, or the system when memory ran out, killed it"),
        Known(name: "USR1", number: SIGUSR1),
        Known(name: "SEGV", number: SIGSEGV, meaning: "it reached for memory that is not its own"),
        Known(name: "USR2", number: SIGUSR2),
        Known(name: "PIPE", number: SIGPIPE, meaning: "nobody read any more what it wrote"),
        Known(name: "ALRM", number: SIGALRM), Known(name: "TERM", number: SIGTERM, meaning: "it was asked to stop"),
        Known(name: "CONT", number: SIGCONT), Known(name: "WINCH", number: SIGWINCH),
        Known(name: "XCPU", number: SIGXCPU, meaning: "it used more processor time than it may"),
        Known(name: "XFSZ", number: SIGXFSZ, meaning: "it wrote a larger file than it may"),
    ]
}
