import Foundation
import WeirFlows
import WeirStates

/// The first line of a script, which names its interpreter: `#!/usr/bin/python3 -u`.
struct ScriptHead: Sendable, Hashable {
    private static let limit = 256

    let interpreter: String
    /// Whether the line ends with a carriage return, which the system takes for a part of the name.
    let hasReturn: Bool

    /// Parses the beginning of a file; returns nil unless it begins with `#!` and a name.
    init?(_ bytes: some Sequence<UInt8>) {
        let line = Array(bytes.prefix(Self.limit).prefix { $0 != UInt8(ascii: "\n") })
        guard line.starts(with: "#!".utf8) else { return nil }
        hasReturn = line.last == UInt8(ascii: "\r")
        let words = line.dropFirst(2).split {
            [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0)
        }
        guard let word = words.first else { return nil }
        interpreter = String(decoding: word, as: UTF8.self)
    }

    /// Reads the file that the system runs for a command; returns nil if it is missing or no script.
    static func of(_ launch: CommandLaunch) async -> ScriptHead? {
        guard let name = launch.arguments.first else { return nil }
        let base = URL(filePath: launch.directory ?? ".", directoryHint: .isDirectory)
        let folders =
            name.contains("/") ? [""] : (launch.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return try? await WorkPool.files.run {
            for folder in folders {
                let path = URL(filePath: folder.isEmpty ? name : "\(folder)/\(name)", relativeTo: base).path
                guard let file = try? RegularFile.open(path) else { continue }
                return (try? file.read(upToCount: limit)).flatMap { $0 }.flatMap { ScriptHead($0) }
            }
            return nil
        }
    }

    /// Why the system does not find the interpreter of a program that is there.
    func mistake(in program: String) -> String {
        if hasReturn { return returnMistake(in: program) }
        return
            "The interpreter “\(interpreter)”, which the first line of “\(program)” names, is not there. Install it on the "
            + "server, or correct that line."
    }

    func returnMistake(in program: String) -> String {
        "The first line of “\(program)” ends with a carriage return, so that its interpreter is not found. Save the file with "
            + "the line ends of Unix, such as with dos2unix."
    }
}
