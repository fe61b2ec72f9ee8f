/// Where a line of output came from.
public enum OutputChannel: String, Codable, Sendable, Hashable, CaseIterable {
    /// What a program prints.
    case standardOutput = "stdout"
    /// What a program prints for the person who runs it.
    case standardError = "stderr"
    /// What the operation itself says about its work.
    case notice
}
