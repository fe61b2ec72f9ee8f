/// Makes typed runs of an operation whose type is not known here.
protocol RunFactory: Sendable {}
