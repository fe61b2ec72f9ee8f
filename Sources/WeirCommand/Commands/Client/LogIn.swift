import ArgumentParser
import Foundation

/// `weir login`: keeps a server and a token, and asks that server from now on.
struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Keeps a server's address and a token for the commands that ask a server.",
        discussion: """
            The token is read from the terminal without being shown, or from standard input: \
            `weir login https://weir.example < token`. It is kept in weir/client.json in the user's folder of settings, \
            which nobody else can read. An empty line keeps no token.
            """)

    @Argument(help: "The server's address, such as https://weir.example.") var address: String
    @Option(help: "A file of certificates in PEM form to trust for this server.") var caFile: String?

    func run() async throws {
        try await ConnectionOptions.explaining {
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
            // A token that the server does not know is not worth keeping.
            _ = try await ServerClient.with(connection) { try await $0.succeed(get: ["operations"]) }
            try file.write(profiles)
            print(token == nil ? "Kept \(address), without a token." : "Signed in to \(address).")
        }
    }
}

/// `weir logout`: forgets a server.
struct LogOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forgets a server and its token; the token itself stays valid until it is revoked.")

    @Argument(help: "The server's address; without it, the one of the last `weir login`.") var address: String?

    func run() async throws {
        try await ConnectionOptions.explaining {
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

/// Asks for a token: on a terminal without showing it, otherwise as the first line of standard input.
private enum SecretPrompt {
    static func token() throws(ClientError) -> String {
        do {
            return try PasswordPrompt(words: "Token: ").read(confirming: false)
        } catch {
            throw ClientError(.refused, "No token came on standard input. Send it as the first line.")
        }
    }
}
