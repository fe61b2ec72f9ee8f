/// The text that declares an operation, such as a file.
package struct OperationDeclaration: Sendable, Hashable {
    /// The text.
    package let text: String
    /// Names the text: two that are equal have the same.
    package let digest: String
    /// What is wrong with a newer text, which is therefore not in force, each with its place.
    package let mistakes: [String]

    /// Makes a declaration of its parts.
    package init(text: String, digest: String, mistakes: [String] = []) {
        self.text = text
        self.digest = digest
        self.mistakes = mistakes
    }
}
