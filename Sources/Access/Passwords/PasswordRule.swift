/// What a password must be.
package enum PasswordRule {
    /// How many characters it must have.
    package static let minimum = 10
    /// How many bytes it may have: hashing more would take time for nothing.
    package static let maximumBytes = 1_024

    /// What is wrong with a new password, as a sentence; nil when nothing is.
    package static func problem(with password: String, of name: String) -> String? {
        guard password.count >= minimum else { return "Choose a password of at least \(minimum) characters." }
        guard password.utf8.count <= maximumBytes else {
            return "Choose a password of at most \(maximumBytes) bytes."
        }
        guard !password.lowercased().contains(name.lowercased()) else {
            return "Choose a password that does not contain the name."
        }
        guard Set(password).count >= 4 else { return "Choose a password of more than three different characters." }
        return nil
    }
}
