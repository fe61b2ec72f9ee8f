package import WeirStates

/// What a password must be.
package enum PasswordRule {
    /// How many characters it must have.
    package static let minimum = 10
    /// How many bytes it may have: hashing more would take time for nothing.
    package static let maximumBytes = 1_024

    /// What is wrong with a new password, as a sentence; nil when nothing is.
    package static func problem(with password: String, of name: String) -> Message? {
        guard password.count >= minimum else { return Message(AccessWording.shortPassword, ["count": "\(minimum)"]) }
        guard password.utf8.count <= maximumBytes else {
            return Message(AccessWording.longPassword, ["count": "\(maximumBytes)"])
        }
        guard !password.lowercased().contains(name.lowercased()) else {
            return Message(AccessWording.passwordHasName)
        }
        guard Set(password).count >= 4 else { return Message(AccessWording.plainPassword) }
        return nil
    }
}
