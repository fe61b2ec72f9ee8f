import Foundation
import WeirClient

/// Asks for a token: on a terminal without showing it, otherwise as the first line of standard input.
enum SecretPrompt {
    static func token() throws(ClientError) -> String {
        do {
            return try PasswordPrompt(words: "Token: ").read(confirming: false)
        } catch {
            throw ClientError(.refused, "No token came on standard input. Send it as the first line.")
        }
    }
}
