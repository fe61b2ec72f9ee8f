/// What is run, and how: the words of a command, its environment, where it runs and what it may take.
package struct CommandLaunch: Sendable {
    /// The size of a pseudo-terminal, in characters.
    package struct Terminal: Sendable, Hashable {
        package let columns: Int
        package let rows: Int

        /// Makes a size; numbers outside 1 to 10,000 are brought within.
        package init(columns: Int = 120, rows: Int = 40) {
            self.columns = min(max(columns, 1), 10_000)
            self.rows = min(max(rows, 1), 10_000)
        }
    }

    /// What the command may take of the machine; nil leaves a limit as it is.
    package struct Limits: Sendable, Hashable {
        /// How much it gives way to others, from -20 to 19.
        package var nice: Int?
        /// Bytes of address space.
        package var memory: Int64?
        /// Open files.
        package var files: Int?

        package init(nice: Int? = nil, memory: Int64? = nil, files: Int? = nil) {
            self.nice = nice.map { min(max($0, -20), 19) }
            self.memory = memory.map { min(max($0, 1), 1 << 60) }
            self.files = files.map { min(max($0, 3), 1 << 30) }
        }
    }

    /// The program and its arguments, each exactly as the program gets it.
    package var arguments: [String]
    /// All of the environment.
    package var environment: [String: String]
    /// Where it runs; nil for where the server runs.
    package var directory: String?
    /// What it reads from its standard input; nil for nothing.
    package var input: [UInt8]?
    /// The terminal that it prints to, and with it both channels in one; nil for pipes.
    package var terminal: Terminal?
    package var limits = Limits()
    /// The permissions that its new files do not get; nil for those of the server's files.
    package var umask: FileMask?
    /// What asks it to stop.
    package var stopSignal = ProcessSignal.terminate
    /// How long it may take to stop, before it is killed.
    package var stopGracePeriod: Duration = .seconds(10)

    package init(_ arguments: [String], environment: [String: String] = [:]) {
        self.arguments = arguments
        self.environment = environment
    }

    /// The longest word that Linux gives to a program, its end included.
    package static let maximumWordBytes = 131_072

    /// What is wrong with the words of the command, in a sentence; nil when nothing is.
    ///
    /// A word that holds NUL would reach the program cut short, and one that is too long not at all.
    package var mistake: String? {
        guard let program = arguments.first, !program.isEmpty else { return "There is no command to run." }
        if arguments.count > 10_000 { return "The command has more than 10,000 arguments." }
        for (index, word) in arguments.enumerated() {
            let name = index == 0 ? "The command" : "Argument \(index)"
            if word.utf8.contains(0) { return "\(name) holds a NUL character, which no program can be given." }
            if word.utf8.count >= Self.maximumWordBytes {
                return "\(name) is \(word.utf8.count) bytes long; a program takes at most 131,071."
            }
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if name.isEmpty || name.utf8.contains(0) || name.utf8.contains(UInt8(ascii: "=")) {
                return "An environment variable has a name that cannot be used."
            }
            if value.utf8.contains(0) { return "The environment variable \(name) holds a NUL character." }
            if name.utf8.count + value.utf8.count + 1 >= Self.maximumWordBytes {
                return "The environment variable \(name) is too long; a program takes at most 131,071 bytes."
            }
        }
        return nil
    }

    /// The arguments of the program that runs it.
    var helperArguments: [String] {
        var words = ["weir-exec", "-s", String(stopSignal.number), "-g", String(graceMilliseconds)]
        if let directory { words += ["-d", directory] }
        if let nice = limits.nice { words += ["-n", String(nice)] }
        if let umask { words += ["-u", String(umask.bits)] }
        if let memory = limits.memory { words += ["-m", String(memory)] }
        if let files = limits.files { words += ["-f", String(files)] }
        if let terminal { words += ["-t", "\(terminal.columns)x\(terminal.rows)"] }
        return words + ["--"] + arguments
    }

    private var graceMilliseconds: Int64 {
        let (seconds, attoseconds) = stopGracePeriod.components
        return min(max(seconds, 0), 86_400) * 1_000 + (seconds < 86_400 ? attoseconds / 1_000_000_000_000_000 : 0)
    }
}

/// The permissions that new files of a program do not get, such as `022` (POSIX `umask`).
package struct FileMask: Sendable, Hashable {
    /// The permission bits, from 0 to 0o777.
    package let bits: UInt16

    /// Creates a mask from the result of `umask`.
    package init(bits: some BinaryInteger) { self.bits = UInt16(truncatingIfNeeded: bits) & 0o777 }

    /// Reads three octal digits, with or without a leading zero; nil for anything else.
    package init?(_ text: String) {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...55).contains($0) }) else { return nil }
        guard let bits = UInt16(text, radix: 8), bits <= 0o777 else { return nil }
        self.bits = bits
    }
}
