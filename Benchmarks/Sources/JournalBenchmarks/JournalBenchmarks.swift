import Foundation
import WeirJournals

/// Measures the journal in a file.
///
///     swift run -c release JournalBenchmarks append               changes per second beside plain SQLite, and set → visible
///     swift run -c release JournalBenchmarks encode               what writing a state down costs
///     swift run -c release JournalBenchmarks generate PATH 1000000  a journal of so many runs, ten changes each
///     swift run -c release JournalBenchmarks query PATH           how long filters, words, pages and counts take
///     swift run -c release JournalBenchmarks output               a million lines of one run
///     swift run -c release JournalBenchmarks prune PATH           how long others wait while retention works
///     swift run -c release JournalBenchmarks act                  actions of one store recorded per second, in order
///     swift run -c release JournalBenchmarks hammer PATH          appends and tells each sequence until it is killed
///     swift run -c release JournalBenchmarks verify PATH N        whether the journal holds all changes up to N
@main struct JournalBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let path = arguments.dropFirst().first
        let number = arguments.dropFirst(2).first.flatMap { Int($0) }
        switch (arguments.first, path) {
        case ("append", _): try await Appending.run()
        case ("encode", _): try Encoding.run()
        case ("output", _): try await Output.run()
        case ("act", _): try await Acting.run()
        case ("generate", let path?): try await Generating.run(path: path, runs: number ?? 1_000_000)
        case ("query", let path?): try await Querying.run(path: path)
        case ("prune", let path?): try await Pruning.run(path: path)
        case ("hammer", let path?): try await Crashing.hammer(path: path)
        case ("verify", let path?):
            try await Crashing.verify(path: path, through: SequenceNumber(clamping: number ?? 0))
        default:
            print(
                """
                append | encode | output | act | generate PATH [RUNS] | query PATH | prune PATH | hammer PATH
                verify PATH N
                """)
            exit(64)
        }
    }
}
