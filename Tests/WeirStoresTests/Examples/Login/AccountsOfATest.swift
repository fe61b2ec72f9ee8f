import WeirStates
import WeirTesting

/// Accounts that answer when a test moves the clock on by a second.
struct AccountsOfATest: Accounts {
    struct WrongPassword: ExplainedError {
        let description = "That is not the password."
    }

    let clock: VirtualClock

    func logIn(_ name: String, _ password: String) async throws -> String {
        try await clock.sleep(for: .seconds(1))
        guard password == "secret" else { throw WrongPassword() }
        return name
    }
}
