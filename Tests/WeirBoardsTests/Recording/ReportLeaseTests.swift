import Testing

@testable import WeirBoards

@Suite struct ReportLeaseTests {
    @Test func `a lease lasts at least its whole length after each renewal`() {
        var leases = ReportLeases(RunLimits(total: 10, perOperation: 10, perActor: 10), operations: 1)
        #expect(leases.open("a", .init(operation: "deploy", actor: "anna")) == nil)
        for _ in 0..<3 {
            for _ in 0..<ReportLeases.length { #expect(leases.beat().isEmpty) }
            leases.renew("a")
        }
        for _ in 0..<ReportLeases.length { #expect(leases.beat().isEmpty) }
        #expect(leases.beat().map { $0.run } == ["a"])
        // Until its end is recorded, it is asked for again.
        #expect(leases.beat().map { $0.run } == ["a"])
        leases.close("a")
        #expect(leases.beat().isEmpty)
        #expect(leases.count == 0)
    }

    @Test func `a reporter gets the longer lease that it asks for, and never a shorter one than is usual`() {
        var leases = ReportLeases(RunLimits(total: 10, perOperation: 10, perActor: 10), operations: 1)
        _ = leases.open("long", .init(operation: "deploy", actor: "anna"))
        _ = leases.open("short", .init(operation: "deploy", actor: "anna"))
        leases.renew("long", length: 3 * ReportLeases.length)
        leases.renew("short", length: 1)
        for _ in 0..<ReportLeases.length { #expect(leases.beat().isEmpty) }
        #expect(leases.beat().map { $0.run } == ["short"])
        leases.close("short")
        // A message without a wish leaves the lease as it is.
        leases.renew("long")
        for _ in 0..<3 * ReportLeases.length { #expect(leases.beat().isEmpty) }
        #expect(leases.beat().map { $0.run } == ["long"])
    }

    @Test func `a run that was resumed without room takes none when it ends`() {
        var leases = ReportLeases(RunLimits(total: 1, perOperation: 1, perActor: 1), operations: 1)
        leases.resume("a", .init(operation: "deploy", actor: "anna"))
        leases.resume("b", .init(operation: "deploy", actor: "anna"))
        #expect(leases.count == 2)
        leases.close("b")
        #expect(leases.open("c", .init(operation: "deploy", actor: "anna")) != nil)
        leases.close("a")
        #expect(leases.open("c", .init(operation: "deploy", actor: "anna")) == nil)
    }
}
