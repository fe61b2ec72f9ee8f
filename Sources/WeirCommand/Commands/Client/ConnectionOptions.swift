import ArgumentParser
import Foundation

/// How a command finds its server, and what it exits with when something is wrong there.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: "The server's address; without it WEIR_SERVER, then the last `weir login`, then http://127.0.0.1:8080.")
    var server: String?
    @Option(help: "A file whose first line is the token; without it WEIR_TOKEN, then the server's `weir login`.")
    var tokenFile: String?
    @Option(help: "A file of certificates in PEM form to trust; without it WEIR_CA_FILE.") var caFile: String?

    /// Finds the server.
    func connection(environment: [String: String]) throws(ClientError) -> ServerConnection {
        var token: String?
        if let tokenFile {
            guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
                throw ClientError(
                    .missing, "The token file \(tokenFile) cannot be read. Check its name and permissions.")
            }
            token = try ServerConnection.checked(text)
        }
        // Whoever names server and token needs no profiles, nor a home that they would be in.
        let profiles = token != nil && server != nil ? Profiles() : try ProfileFile(environment: environment).read()
        return try ServerConnection(
            .init(server: server, token: token, authority: caFile), environment: environment, profiles: profiles)
    }

    /// Asks the server.
    func with(_ body: (ServerClient) async throws -> Void) async throws {
        try await Self.explaining {
            try await ServerClient.with(try connection(environment: ProcessInfo.processInfo.environment), body)
        }
    }

    /// Reports what is wrong, and exits as the mistake asks for.
    static func explaining(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ClientError {
            complain(error.description)
            throw ExitCode(error.exitCode)
        }
    }
}

/// Writes a text as it is.
func output(_ text: String) {
    // Whoever reads may be gone, as `head` is after ten lines.
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { Foundation.exit(0) }
}
