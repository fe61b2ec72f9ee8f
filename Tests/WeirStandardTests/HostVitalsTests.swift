import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct HostVitalsTests {
    private let stat = """
        cpu  300 0 100 1600 0 0 0 0 0 0
        cpu0 100 0 50 850 0 0 0 0 0 0
        cpu1 200 0 50 700 50 0 0 0 0 0
        intr 12345 0 0
        ctxt 99
        """
    private let meminfo = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\nCached: 300 kB\n"
    private let netdev = """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo: 5000 10 0 0 0 0 0 0 5000 10 0 0 0 0 0 0
          eth0:1000 10 0 0 0 0 0 0 400 10 0 0 0 0 0 0
        wlan0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0
        docker0: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0
        """

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "18446744073709551616", "-1", "x"])
    func `whatever numbers proc may hold, they are read or left out`(number: String) {
        for name in ["MemTotal", "MemAvailable", "MemFree", "Cached", "Buffers"] {
            let text = meminfo.replacing("MemAvailable", with: "Other") + "\(name): \(number) kB\nBuffers: 1 kB\n"
            if let level = ProcText.memory(meminfo: text) { #expect(level.used >= 0 && level.total > 0) }
        }
        #expect(Duration.seconds(Int64.max).milliseconds == .max && Duration.seconds(Int64.min).milliseconds == .min)
    }

    @Test func `the texts of proc are read`() {
        #expect(
            ProcText.processors(stat: stat) == [.init(busy: 150, total: 1_000), .init(busy: 250, total: 1_000)])
        #expect(ProcText.memory(meminfo: meminfo) == .init(used: 400 * 1_024, total: 1_000 * 1_024))
        #expect(ProcText.memory(meminfo: "MemTotal: 1000 kB\nMemFree: 100 kB\nCached: 300 kB")?.used == 614_400)
        #expect(ProcText.load(loadavg: "0.52 0.58 0.59 1/467 12345\n") == [0.52, 0.58, 0.59])
        #expect(ProcText.traffic(netdev: netdev) == .init(received: 1_010, sent: 420))
    }

    @Test(arguments: [
        "", "cpu", "cpu0", "cpu0 a b c d", "MemTotal:", "MemTotal: -1 kB", "0.1 x 3", "nan 1 1", "eth0: 1", ":",
        "MemTotal: 9223372036854775807 kB\nMemAvailable: -9223372036854775808 kB",
        "MemTotal: 9 kB\nMemFree: 9223372036854775807 kB\nCached: 9223372036854775807 kB",
    ])
    func `texts of another shape say nothing, and nothing breaks`(text: String) {
        #expect(ProcText.processors(stat: text) == nil)
        #expect(ProcText.memory(meminfo: text) == nil)
        #expect(ProcText.load(loadavg: text) == nil)
        #expect(ProcText.traffic(netdev: text) == nil)
    }

    private func reading(_ busy: UInt64, _ total: UInt64, _ received: UInt64) -> HostReading {
        var reading = HostReading()
        reading.processors = [.init(busy: busy, total: total), .init(busy: 0, total: total)]
        reading.memory = .init(used: 250, total: 1_000)
        reading.load = [0.5, 1, 2]
        reading.disk = .init(used: 30, free: 10, total: 50)
        reading.traffic = .init(received: received, sent: received / 2)
        return reading
    }

    @Test func `a reader that says nonsense breaks nothing`() {
        var history = VitalsHistory(length: 2)
        for number in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            var reading = reading(.max, .max, .max)
            reading.load = [number, number, number]
            reading.memory = .init(used: .min, total: .max)
            reading.disk = .init(used: .max, free: .max, total: .max)
            guard case .measured(_, _, _, _, let disk?, _) = history.take(reading, after: .max, at: "a") else {
                Issue.record("nothing was measured")
                return
            }
            #expect((0...100).contains(disk.usedPercent))
        }
    }

    @Test func `rates come from two readings, levels from one`() {
        var history = VitalsHistory(length: 60)
        guard
            case .measured(_, nil, let memory?, let load?, let disk?, nil) = history.take(
                reading(0, 100, 0), after: 0, at: "a")
        else { Issue.record("rates came from one reading"); return }
        #expect(memory.usedPercent == 25 && load.history == [50] && disk.usedPercent == 75)
        guard
            case .measured("b", let cpu?, _, _, _, let network?) = history.take(
                reading(50, 200, 1_000_000), after: 500, at: "b")
        else { Issue.record("no rates came from two readings"); return }
        #expect(cpu.busyPercent == 25 && cpu.perCorePercent == [50, 0] && cpu.cores == 2 && cpu.history == [25])
        #expect(network.receivedPerSecond == 2_000_000 && network.sentPerSecond == 1_000_000)
        #expect(network.receivedHistory == [2_000])
    }

    @Test func `counters that go back or are absurd do not break it`() {
        var history = VitalsHistory(length: 2)
        for (busy, total, received) in [(9, 9, 9), (UInt64.max, UInt64.max, UInt64.max), (0, 0, 0), (0, 5, 0)]
            as [(UInt64, UInt64, UInt64)]
        {
            guard case .measured = history.take(reading(busy, total, received), after: 1, at: "") else {
                Issue.record("not measured")
                return
            }
        }
    }

    @Test func `a full history is of sixty values, and the payload stays small`() throws {
        var history = VitalsHistory(length: 60)
        var state = HostVitalsState.none
        for second in 0..<200 as Range<UInt64> {
            state = history.take(
                reading(second * 37, second * 100, second * 23_456_789), after: 1_000, at: "2026-11-20T12:03:04.000Z")
        }
        guard case .measured(_, let cpu?, _, _, _, _) = state else { throw Unexpected() }
        #expect(cpu.history.count == 60)
        let size = try StateRecord(state).payload.text().utf8.count
        print("vitals payload: \(size) bytes")
        #expect(size < 2_048)
    }

    // G1
    @Test func `it measures at once and each second, and stops when nobody watches`() async throws {
        let clock = ManualClock()
        let operation = HostVitals(
            .init(reader: .system(folder: "/tmp")), environment: OperationEnvironment(clock: clock))
        let run = try Watched(operation, NoInput())
        // As often as it takes: the system counts processor time in hundredths of a second.
        let seconds = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                _ = await clock.asked.first { [number] in $0.count >= number }
                clock.end(.seconds(1))
            }
        }
        let measured = await run.first {
            if case .measured(_, .some, .some, .some, .some, .some) = $0 { true } else { false }
        }
        seconds.cancel()
        #expect(measured != nil)
        run.run.cancel(.unwatched)
        #expect(await run.states().last == .stopped)
    }

    @Test func `a file that is missing leaves its series out, and none at all is an error`() async throws {
        let folder = try Folder()
        try folder.write("proc/loadavg", Data("0.5 0.5 0.5 1/2 3\n".utf8))
        let reading = SystemHostReader(folder: folder.path, proc: folder.path + "/proc").read()
        #expect(reading.load != nil && reading.disk != nil)
        #expect(reading.processors == nil && reading.memory == nil && reading.traffic == nil)
        let none = SystemHostReader(folder: folder.path + "/none", proc: folder.path + "/none")
        let run = try Watched(HostVitals(.init(reader: none)), NoInput())
        #expect(await run.states().last?.phase == .failed)
    }

    #if os(Linux)
        @Test func `a volume that has no room at all, as the one of processes, is left out`() {
            #expect(SystemHostReader(folder: "/proc").read().disk == nil)
        }
    #endif

    @Test func `processors whose counters stand still have no load, and all else is told`() throws {
        var history = VitalsHistory(length: 2)
        _ = history.take(reading(7, 9, 1), after: 0, at: "a")
        let state = history.take(reading(7, 9, 2), after: 1_000, at: "b")
        guard case .measured("b", nil, _?, _?, _?, _?) = state else {
            Issue.record("\(state)")
            return
        }
        #expect(try StateRecord(state).payload.text().isEmpty == false)
    }
}
