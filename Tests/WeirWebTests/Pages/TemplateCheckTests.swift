import Dispatch
import Synchronization
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages

@testable import WeirWeb

/// Templates are checked in the background, and no request waits for it.
@Suite(.timeLimit(.minutes(15)))
struct TemplateCheckTests {
    /// A pool with one thread, which a test holds up.
    private final class HeldPool: Sendable {
        let pool = WorkPool(threads: 1)
        private let gate = DispatchSemaphore(value: 0)
        private let isHeld = Atomic(false)

        func hold() async throws {
            Task { [self] in
                try await pool.run { [self] in
                    isHeld.store(true, ordering: .relaxed)
                    gate.wait()
                }
            }
            try await until { isHeld.load(ordering: .relaxed) }
        }

        func release() { gate.signal() }
    }

    private static let checking = "Templates, strings and operation files are being checked."

    @Test func `the system page answers while templates are checked, and later says when they were`() async throws {
        let held = HeldPool()
        try await held.hold()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, checkingOn: held.pool) { server in
            let page = { @Sendable in try await server.ask("GET", "/system", headers: ["Accept: text/html"]).text }
            #expect(try await page().contains(Self.checking))
            #expect(try await server.ask("GET", "/health/live").status == 200)
            held.release()
            try await until { try await !page().contains(Self.checking) }
            clock.advance(by: 180_000)
            let html = try await page()
            #expect(html.contains("Templates, strings and operation files have no mistakes."))
            #expect(html.contains(#"Checked <time datetime="2026-09-21T14:13:20.000Z""#), "\(html)")
            #expect(html.contains("3\u{A0}min ago"), "\(html)")
        }
    }

    @Test func `a change of the catalog is checked once more, and says so until it is done`() async throws {
        let held = HeldPool()
        try await TestServer.run(checkingOn: held.pool) { server in
            try await until { server.dashboard.services.checks.last != nil }
            try await held.hold()
            try await server.dashboard.replace(server.board.catalog, templates: TemplateSet())
            #expect(server.dashboard.services.checks.last == nil)
            held.release()
            try await until { server.dashboard.services.checks.last != nil }
        }
    }

    @Test func `a check that finds no place among other work is made later`() async throws {
        let pool = WorkPool(threads: 1, room: 0)
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Atomic(false)
        let other = Task { [gate] in
            try await pool.run {
                isHeld.store(true, ordering: .relaxed)
                gate.wait()
            }
        }
        try await until { isHeld.load(ordering: .relaxed) }
        let checks = TemplateChecks(on: pool, pause: .milliseconds(1)) { Timestamp(milliseconds: 0) }
        checks.begin(PageRenderer(catalog: Catalog(), templates: try TemplateSet()))
        await #expect(throws: WorkPool.Busy.self) { try await pool.run {} }
        #expect(checks.last == nil)
        gate.signal()
        try await other.value
        try await until { checks.last != nil }
    }

    @Test func `a later change abandons a check at its next operation`() async throws {
        let isBegun = Atomic(false)
        let steps = Atomic(0)
        let gate = DispatchSemaphore(value: 0)
        let (pool, clock) = (WorkPool(threads: 1), ManualClock())
        let reports = Mutex<[String]>([])
        let checks = TemplateChecks(on: pool) {
            Timestamp(milliseconds: clock.wall)
        } onStep: {
            if isBegun.exchange(true, ordering: .relaxed) == false { gate.wait() }
            steps.wrappingAdd(1, ordering: .relaxed)
        }
        var catalog = Catalog()
        for index in 0..<50 { catalog.add(Steps(gate: Gate()), id: "s\(index)", title: "S", summary: "Steps.") }
        // A declared template, because bundled ones alone are not rendered.
        var declared = DeclaredTexts()
        declared.templates["operations/s0/going.mustache"] = "Going."
        let templates = try TemplateSet(overlay: nil, declared: declared)
        let large = PageRenderer(catalog: catalog, templates: templates)
        let small = PageRenderer(catalog: Catalog(), templates: templates)
        checks.begin(large) { _ in reports.withLock { $0.append("large") } }
        try await until { isBegun.load(ordering: .relaxed) }
        checks.begin(small) { _ in reports.withLock { $0.append("small") } }
        gate.signal()
        try await until { checks.last != nil && !reports.withLock { $0 }.isEmpty }
        #expect(reports.withLock { $0 } == ["small"])
        let alone = Atomic(0)
        _ = small.check { alone.wrappingAdd(1, ordering: .relaxed) }
        // One more than the later check has: the step at which the first was held.
        #expect(steps.load(ordering: .relaxed) == alone.load(ordering: .relaxed) + 1)
    }
}
