/// Markup that is not as it must be, with every problem found in it.
public struct MarkupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in the order of the source.
    public var problems: [MarkupProblem]

    /// Makes an error of problems.
    /// - Parameter problems: What is wrong, in the order of the source.
    public init(problems: [MarkupProblem]) {
        self.problems = problems
    }

    /// Every problem on a line of its own, with the source around it below.
    public var description: String {
        problems
            .map { $0.excerpt.isEmpty ? $0.description : "\($0)\n    \($0.excerpt)" }
            .joined(separator: "\n")
    }
}
