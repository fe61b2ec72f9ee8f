package import Foundation

package struct CommandLaunch: Sendable {
    /// The size of a pseudo-terminal in characters, from 1 to 10,000.
    struct Terminal: Sendable, Hashable {
        let columns: Int
        let rows: Int

        init(columns: Int = 120, rows: Int = 40) {
            self.columns = min(max(columns, 1), 10_000)
            self.rows = min(max(rows, 1), 10_000)
        }
    }

    /// Resource limits, each nil to leave it unchanged.
    struct Limits: Sendable, Hashable {
        var nice: Int?
        /// The address space in bytes.
        var memory: Int64?
        var files: Int?

        init(nice: Int? = nil, memory: Int64? = nil, files: Int? = nil) {
            self.nice = nice.map { min(max($0, -20), 19) }
            self.memory = memory.map { min(max($0, 1), 1 << 60) }
            self.files = files.map { min(max($0, 3), 1 << 30) }
        }
    }

    /// The program and its arguments, passed unchanged.
    var arguments: [String]
    var environment: [String: String]
    /// The working directory, or nil for the server's.
    var directory: String?
    /// The contents of standard input, or nil if empty.
    var input: [UInt8]?
    /// The terminal that combines both output channels, or nil for pipes.
    var terminal: Terminal?
    var limits = Limits()
    /// The user that the command runs as, or nil for the server's.
    var user: String?
    /// The umask, or nil for the server's.
    var umask: FileMask?
    /// The signal that requests the end.
    var stopSignal = ProcessSignal.terminate
    /// Whether processes that the command leaves running are kept.
    var keepsOthers = false
    /// The time between the stop signal and SIGKILL.
    var stopGracePeriod: Duration = .seconds(10)

    package init(_ arguments: [String], environment: [String: String] = [:]) {
        self.arguments = arguments
        self.environment = environment
    }

    /// The maximum size of an argument or variable on Linux, including its terminating NUL.
    static let maximumWordBytes = 131_072

    /// Describes why the arguments or the environment are invalid, or nil if they are valid.
    ///
    /// A NUL character would truncate a word, and the system rejects one that is too long.
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

    /// The contents of the file with the helper's arguments, each terminated by NUL.
    var helperArguments: [UInt8] {
        var words = ["-s", String(stopSignal.number), "-g", String(graceMilliseconds)]
        if let directory { words += ["-d", directory] }
        if let nice = limits.nice { words += ["-n", String(nice)] }
        if let umask { words += ["-u", String(umask.bits)] }
        if let memory = limits.memory { words += ["-m", String(memory)] }
        if let files = limits.files { words += ["-f", String(files)] }
        if let user { words += ["-l", user] }
        if keepsOthers { words += ["-k", "1"] }
        if let terminal { words += ["-t", "\(terminal.columns)x\(terminal.rows)"] }
        return (words + ["--"] + arguments).flatMap { Array($0.utf8) + [0] }
    }

    private var graceMilliseconds: Int64 {
        let (seconds, attoseconds) = stopGracePeriod.components
        return min(max(seconds, 0), 86_400) * 1_000 + (seconds < 86_400 ? attoseconds / 1_000_000_000_000_000 : 0)
    }
}

/// A POSIX `umask`, such as `022`.
package struct FileMask: Sendable, Hashable {
    /// The permission bits, from 0 to 0o777.
    let bits: UInt16

    /// Creates a mask from the result of `umask`.
    package init(bits: some BinaryInteger) { self.bits = UInt16(truncatingIfNeeded: bits) & 0o777 }

    /// Parses three octal digits with an optional leading zero; nil for any other text.
    package init?(_ text: String) {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...55).contains($0) }) else { return nil }
        guard let bits = UInt16(text, radix: 8), bits <= 0o777 else { return nil }
        self.bits = bits
    }
}

/// The location of `weir-exec`, the helper that runs every command.
package struct CommandHelper: Sendable, Hashable {
    static let name = "weir-exec"

    package let path: String

    /// Searches folders for the helper, in order.
    ///
    /// The default is the folder of the running executable, `../libexec`, and the folder of a test bundle.
    package init(in folders: [URL] = Self.folders) throws(NotFound) {
        for folder in folders {
            let path = folder.appending(path: Self.name).path
            if FileManager.default.isExecutableFile(atPath: path) {
                self.path = path
                return
            }
        }
        throw NotFound()
    }

    package static var folders: [URL] {
        let programs = [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(), Bundle.main.executableURL].compactMap
        {
            $0?.resolvingSymlinksInPath()
        }
        let beside = programs.map { $0.deletingLastPathComponent() }
        let tests = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        return beside + beside.map { $0.deletingLastPathComponent().appending(path: "libexec") }
            + tests.map { $0.deletingLastPathComponent() }
    }

    package struct NotFound: Error, Sendable, CustomStringConvertible {
        package let description =
            "The program weir-exec is missing, through which commands are run. It belongs beside the weir program: "
            + "copy both from the same build."

        package init() {}
    }
}
