import ArgumentParser

/// The filters of the commands that list and export runs: each is given once, with a value.
///
/// Of an option that is a single text, the parser would use the last value; an empty value would be no filter.
struct RunFilterOptions: ParsableArguments {
    @Option(help: "Only runs of this operation.") var operation: [String] = []
    @Option(help: "Only runs in this phase: idle, active, succeeded, failed, cancelled or interrupted.")
    var phase: [String] = []
    @Option(help: "Only runs that this actor started.") var actor: [String] = []
    @Option(help: "Only runs with these words in input, error or output.") var text: [String] = []
    @Option(help: "Only runs of this attempt, such as 2; \">1\" for all retries.") var attempt: [String] = []

    /// The values by name, which the options and the parameters of the API share.
    var values: [(name: String, value: String?)] { all.map { (name: $0.name, value: $0.given.first) } }

    private var all: [(name: String, given: [String])] {
        [("operation", operation), ("phase", phase), ("actor", actor), ("text", text), ("attempt", attempt)]
    }

    func validate() throws { for (name, given) in all { try Self.check(given, of: name) } }

    /// Throws if an option is given more than once, or without a value, as with a variable of a shell that is not set.
    static func check(_ given: [String], of name: String) throws {
        guard given.count < 2 else { throw ValidationError("Give --\(name) once, not \(given.count) times.") }
        guard given.first?.isEmpty != true else {
            throw ValidationError("--\(name) has no value. Leave the option out to find all runs.")
        }
    }
}
