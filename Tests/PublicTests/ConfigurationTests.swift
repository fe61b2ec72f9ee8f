import Foundation
import Testing
import Weir

/// Every setting of the library can be set, and what nobody sets is safe.
struct ConfigurationTests {
    @Test func `a board keeps as much as it is told to`() {
        var configuration = Board.Configuration()
        configuration.tailBytes = 1_000_000
        configuration.maximumActiveRuns = 10
        configuration.maximumActiveRunsPerOperation = 5
        configuration.maximumActiveRunsPerActor = 2
        configuration.maximumReportedRuns = 5
        configuration.reportLease = .seconds(60)
        configuration.reportsUndeclared = false
        configuration.drainTimeout = .seconds(1)
        configuration.retention = nil
        #expect(configuration.retention == nil)
        let limits = RetentionPolicy.Limits(maximumAge: 1_000, maximumRuns: 10)
        configuration.retention = RetentionPolicy(operations: ["backup": limits], maximumChangesPerStore: 7)
        #expect(configuration.retention != nil)
    }

    @Test func `a dashboard trusts nobody and takes no more than it must, unless it is told to`() {
        var configuration = WebConfiguration()
        #expect(configuration.actorHeader == nil)
        #expect(!configuration.acceptsClaimedActors)
        configuration.publicFolder = URL(filePath: "Public")
        configuration.version = "1.2.3"
        configuration.maximumHolds = 1_000
        configuration.maximumBodyBytes = 1_000_000
        configuration.bodyMemory = 10_000_000
        configuration.answerMemory = 10_000_000
        configuration.maximumStateBytes = 10_000
        configuration.stateWritesPerMinute = 10
        configuration.maximumUploadBytes = 100_000_000
        configuration.maximumImportBytes = 100_000_000
        configuration.maximumImportLine = ByteCount(clamping: 1 << 20)
        configuration.maximumExports = 2
        configuration.spoolFolder = FileManager.default.temporaryDirectory
        var connections = ConnectionLimits()
        connections.count = 100
        connections.countPerAddress = 10
        connections.head = .seconds(10)
        connections.bodyRate = 1_000
        connections.bodyGrace = .seconds(10)
        connections.stall = .seconds(10)
        connections.pipeline = 4
        connections.unsentBytes = 10_000
        configuration.connections = connections
        #expect(configuration.connections.pipeline == 4)
    }

    @Test func `a journal's file outlives what it is told to`() {
        typealias Configuration = SQLiteJournal.Configuration
        let configuration = Configuration(
            durability: Configuration.Durability.machine, busyTimeout: 500, maximumBytes: 10_000_000)
        #expect("\(configuration)".contains("machine"))
    }
}
