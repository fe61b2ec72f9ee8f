/// Where a line of output came from.
public enum OutputChannel: String, Codable, Sendable, Hashable, CaseIterable {
    /// The program's standard output.
    case standardOutput = "stdout"
    /// The program's standard error.
    case standardError = "stderr"
    /// What the operation itself reports about its work.
    case notice
}
