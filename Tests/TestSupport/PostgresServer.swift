import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket, as a user without rights.
///
/// It ends with this process, however that ends: it is watched over by a shell that reads from a pipe of ours.
package final class PostgresServer: Sendable {
    /// The server that most tests share, each with a database of its own.
    ///
    /// It does not wait for the disk.
    package static let shared = Result { try PostgresServer(arguments: "-c fsync=off -c max_connections=500") }

    private let folder: URL
    private let arguments: String
    private let keeper = Mutex<Process?>(nil)
    private let databases = Atomic(0)

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    package init(arguments: String = "") throws {
        // A socket's path is short.
        folder = URL(filePath: "/tmp/weir-postgres-\(UUID().uuidString.prefix(8))")
        self.arguments = arguments
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try run(
            """
            [ "$(id -u)" -ne 0 ] || chown postgres \(folder.path)
            \(Self.asUser) initdb -D \(folder.path)/data -U weir -E UTF8 --locale=C -A trust -N
            """)
        try start()
    }

    deinit {
        end()
        do { try FileManager.default.removeItem(at: folder) } catch { _ = error }
    }

    // MARK: The server

    /// Starts the server, and returns once it answers.
    package func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The pipe ends when this process does; until then `read` waits.
        process.arguments = [
            "-c",
            """
            \(Self.path)
            rm -f \(folder.path)/data/postmaster.pid
            \(Self.asUser) postgres -D \(folder.path)/data -k \(folder.path) -c listen_addresses= \(arguments) \
                </dev/null >\(folder.path)/log 2>&1 &
            read -r line
            kill -QUIT $! 2>/dev/null; wait; [ "$line" = keep ] || rm -rf \(folder.path)
            """,
        ]
        process.standardInput = Pipe()
        try process.run()
        keeper.withLock { $0 = process }
        try run("for i in $(seq 600); do pg_isready -q -h \(folder.path) -U weir && exit 0; sleep 0.05; done; exit 1")
    }

    /// Ends the server at once, as if the machine had lost its power but for what the disk holds.
    package func kill() throws {
        try run(
            """
            pid=$(head -1 \(folder.path)/data/postmaster.pid)
            children=$(ps -o pid= --ppid $pid)
            kill -KILL $pid $children 2>/dev/null
            while ps -o stat= -p "$(echo $pid $children | tr ' ' ,)" | grep -qv Z; do sleep 0.01; done
            """)
        end(keeping: true)
    }

    private func end(keeping: Bool = false) {
        keeper.withLock { process in
            guard let pipe = process?.standardInput as? Pipe else { return }
            do {
                if keeping { try pipe.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8)) }
                try pipe.fileHandleForWriting.close()
            } catch { _ = error }
            process?.waitUntilExit()
            process = nil
        }
    }

    // MARK: Databases

    /// The URL of a new, empty database.
    package func database(_ options: String = "") throws -> String {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        try run("createdb -h \(folder.path) -U weir \(options) \(name)")
        return "postgres://weir@/\(name)?host=\(folder.path)"
    }

    // MARK: The shell

    private static let path = """
        PATH=${WEIR_POSTGRES:+$WEIR_POSTGRES:}$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
        PATH=$PATH:/opt/homebrew/opt/postgresql@15/bin
        """
    private static let asUser =
        "$([ $(id -u) -ne 0 ] || echo setpriv --reuid=postgres --regid=postgres --clear-groups)"

    private func run(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec 2>&1; cd /tmp; \(Self.path)\n\(script)"]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "PostgreSQL is needed; script/dependencies test installs it. \(words)")
        }
    }
}
