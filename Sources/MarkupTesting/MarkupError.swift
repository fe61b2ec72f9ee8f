/// An error with every problem found in markup.
public struct MarkupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, in the order of the source.
    public var problems: [MarkupProblem]

    /// Creates an error from problems.
    /// - Parameter problems: The problems, in the order of the source.
    package init(problems: [MarkupProblem]) {
        self.problems = problems
    }

    /// Every problem on a line of its own, followed by the source around it.
    public var description: String {
        problems
            .map { $0.excerpt.isEmpty ? $0.description : "\($0)\n    \($0.excerpt)" }
            .joined(separator: "\n")
    }
}
