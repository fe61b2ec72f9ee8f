import Foundation

/// Compares the running server with the program that examines it, and with the program file that it was started from.
struct VersionCheck {
    /// The path of the server's program file, which ends with ` (deleted)` if the file was replaced; nil if unknown.
    let program: String?
    let server: String
    var own = RootCommand.build

    init(_ record: ServerRecord) {
        self.init(
            server: record.version,
            program: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(record.process)/exe"))
    }

    init(server: String, program: String?) {
        self.server = server
        self.program = program
    }

    func finding() -> Finding {
        guard server == own else {
            let words = "The running server is \(server), and this program is \(own)"
            let numbers = (Self.numbers(server), Self.numbers(own))
            if numbers.0.lexicographicallyPrecedes(numbers.1) {
                return Finding(
                    "version", .warning, "\(words), which is newer.",
                    remedy: "Restart the server with this version: systemctl restart weir")
            }
            if numbers.1.lexicographicallyPrecedes(numbers.0) {
                return Finding(
                    "version", .warning, "\(words), which is older.",
                    remedy:
                        "Use the server's program\(program.map { ", \($0)," } ?? "") for commands on its data folder.")
            }
            return Finding(
                "version", .warning, "\(words), built from another commit.",
                remedy: "Restart the server, or use the program that it runs.")
        }
        guard program?.hasSuffix(" (deleted)") != true else {
            return Finding(
                "version", .warning, "The program file of the running server was replaced or removed since its start.",
                remedy: "Restart the server, which then runs the installed version: systemctl restart weir")
        }
        return Finding("version", .good, "The running server and this program are \(server).")
    }

    /// The numbers of a version such as `1.2.0 (0123abc)`.
    private static func numbers(_ version: String) -> [Int] {
        (version.split(separator: " ").first ?? "").split(separator: ".").map { Int($0) ?? 0 }
    }
}
