import ArgumentParser
import Foundation

struct ConnectionOptions: ParsableArguments {
    @Option(
        help: "The server's address; without it WEIR_SERVER, then the last `weir login`, then http://127.0.0.1:8080.")
    var server: String?
    @Option(help: "A file whose first line is the token; without it WEIR_TOKEN, then the server's `weir login`.")
    var tokenFile: String?
    @Option(help: "A file of certificates in PEM form to trust; without it WEIR_CA_FILE.") var caFile: String?

    func connection(environment: [String: String]) throws(ClientError) -> ServerConnection {
        var token: String?
        if let tokenFile {
            guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
                throw ClientError(
                    .missing, "The token file \(tokenFile) cannot be read. Check its name and permissions.")
            }
            token = try ServerConnection.checked(text)
        }
        // With both server and token given, no profiles and therefore no home folder are required.
        let profiles = token != nil && server != nil ? Profiles() : try ProfileFile(environment: environment).read()
        return try ServerConnection(
            .init(server: server, token: token, authority: caFile), environment: environment, profiles: profiles)
    }

    func with(_ body: (ServerClient) async throws -> Void) async throws {
        try await explaining {
            try await ServerClient.with(try connection(environment: ProcessInfo.processInfo.environment), body)
        }
    }
}

/// Writes a text to standard output, unchanged; ends the process if that fails.
func output(_ text: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        RootCommand.exit(unableToWrite: Int32(clamping: cause?.code ?? Int(EIO)))
    }
}

struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Keeps a server's address and a token for the commands that ask a server.",
        discussion: """
            The token is read from the terminal without being shown, or from standard input: \
            `weir login https://weir.example < token`. It is kept in weir/client.json in the user's folder of settings, \
            which nobody else can read. An empty line keeps no token.
            """,
        example: "weir login https://weir.example")

    @Argument(help: "The server's address, such as https://weir.example.") var address: String
    @Option(help: "A file of certificates in PEM form to trust for this server.") var caFile: String?

    func run() async throws {
        try await explaining {
            let address = try ServerAddress(address)
            let text = try SecretPrompt.token()
            let token = text.isEmpty ? nil : try ServerConnection.checked(text)
            if token != nil, !address.isSecure, !address.isLocal {
                complain(
                    "\(address) is not encrypted: the token can be read on its way. Use https:// if the server has it.")
            }
            let authority = caFile.map { URL(filePath: $0).standardizedFileURL.path }
            let file = ProfileFile(environment: ProcessInfo.processInfo.environment)
            var profiles = try file.read()
            profiles.add(address, .init(token: token, authority: authority))
            let connection = try ServerConnection(
                .init(server: address.description, token: token, authority: authority), environment: [:],
                profiles: Profiles())
            // Verifies that the server accepts the token before storing it.
            _ = try await ServerClient.with(connection) { try await $0.succeed(get: ["operations"]) }
            try file.write(profiles)
            print(token == nil ? "Kept \(address), without a token." : "Signed in to \(address).")
        }
    }
}

struct LogOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forgets a server and its token; the token itself stays valid until it is revoked.",
        example: "weir logout https://weir.example")

    @Argument(help: "The server's address; without it, the one of the last `weir login`.") var address: String?

    func run() async throws {
        try await explaining {
            let file = ProfileFile(environment: ProcessInfo.processInfo.environment)
            var profiles = try file.read()
            guard let text = address ?? profiles.current else {
                throw ClientError(.misconfigured, "There is no server to forget. `weir login` keeps one.")
            }
            let address = try ServerAddress(text)
            guard profiles.remove(address) else {
                throw ClientError(.missing, "\(address) is not kept. `weir login` keeps a server.")
            }
            try file.write(profiles)
            print("Forgot \(address).")
        }
    }
}

/// Asks for a token: on a terminal without echo, otherwise as the first line of standard input.
private enum SecretPrompt {
    static func token() throws(ClientError) -> String {
        do {
            return try PasswordPrompt(words: "Token: ").read(confirming: false)
        } catch {
            throw ClientError(.refused, "No token came on standard input. Send it as the first line.")
        }
    }
}
