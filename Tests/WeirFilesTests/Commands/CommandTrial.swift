import Foundation
import NIOCore
import NIOPosix
import Synchronization
@testable import WeirFiles

/// A command that is run to its end, with all it printed.
struct CommandTrial {
    let end: CommandEnd
    let output: String
    let errors: String

    /// Runs a command, and gives it to `onOutput` with all it has printed whenever that is more.
    static func run(
        _ launch: CommandLaunch, onOutput: @escaping @Sendable (RunningCommand, String) -> Void = { _, _ in }
    ) async throws -> CommandTrial {
        let command = try await RunningCommand.start(launch, by: CommandHelper())
        async let errors = text(of: command.errors)
        var output = ""
        while let buffer = await command.output.next() {
            output += String(buffer: buffer)
            onOutput(command, output)
        }
        let end = await command.end()
        return CommandTrial(end: end, output: output, errors: await errors)
    }

    /// Runs a shell script.
    static func shell(
        _ script: String, change: (inout CommandLaunch) -> Void = { _ in },
        onOutput: @escaping @Sendable (RunningCommand, String) -> Void = { _, _ in }
    ) async throws -> CommandTrial {
        var launch = CommandLaunch(["/bin/sh", "-c", script], environment: ["PATH": path])
        change(&launch)
        return try await run(launch, onOutput: onOutput)
    }

    static let path = "/usr/local/bin:/usr/bin:/bin"

    private static func text(of pipe: CommandPipe?) async -> String {
        var text = ""
        while let buffer = await pipe?.next() { text += String(buffer: buffer) }
        return text
    }

    /// The exit code, if there is one.
    var code: Int32? {
        guard case .exited(let code, _) = end else { return nil }
        return code
    }

    /// The signal, if there is one.
    var signal: ProcessSignal? {
        guard case .signalled(let signal, _) = end else { return nil }
        return signal
    }
}

/// Whether a process is there that is no zombie.
func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return !(stat.split(separator: ")").last?.hasPrefix(" Z") ?? false)
}
