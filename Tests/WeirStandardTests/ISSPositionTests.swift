import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct ISSPositionTests {
    private func place(_ latitude: Double, _ longitude: Double) throws -> GroundPosition {
        try #require(GroundPosition(latitude: latitude, longitude: longitude))
    }

    @Test(arguments: [
        #"{"message":"success","timestamp":1,"iss_position":{"latitude":"12.5","longitude":"-90.25"}}"#,
        #"{"iss_position":{"latitude":12.5,"longitude":-90.25}}"#,
        #"{"name":"iss","id":25544,"latitude":12.5,"longitude":-90.25,"altitude":417.9}"#,
    ])
    func `the three known shapes are read`(answer: String) throws {
        let position = try GroundPosition(answer: Data(answer.utf8))
        #expect(position.latitude == 12.5 && position.longitude == -90.25)
        #expect(position.x == 498.6 && position.y == 430.6)
        #expect(position.text == "ISS Position = (12.500000, -90.250000)")
    }

    @Test(arguments: [
        "", "no", "[]", "{}", #"{"iss_position":{"latitude":"NaN","longitude":"1"}}"#,
        #"{"latitude":90.1,"longitude":0}"#, #"{"latitude":0,"longitude":-180.1}"#,
        #"{"latitude":"inf","longitude":0}"#, #"{"latitude":null,"longitude":0}"#, #"{"latitude":1e999,"longitude":0}"#,
        #"{"latitude":1e300,"longitude":1e300}"#, #"{"latitude":"-nan","longitude":"0"}"#,
        #"{"latitude":9223372036854775807,"longitude":-9223372036854775808}"#,
    ])
    func `what is no place on Earth is refused`(answer: String) {
        #expect(throws: HTTPFailure.self) { try GroundPosition(answer: Data(answer.utf8)) }
    }

    private func operation(_ url: String, _ clock: ManualClock) -> ISSPosition {
        ISSPosition(
            .init(url: url),
            environment: OperationEnvironment(clock: clock, now: { Date(timeIntervalSince1970: 0) }, random: { 0.5 }))
    }

    // G1
    @Test func `it tracks, goes stale when the feed fails, tracks again, and keeps the last place when stopped`()
        async throws
    {
        let clock = ManualClock(passes: { $0 < .seconds(9) })
        let server = try await LoopbackServer { number, _ in
            switch number {
            case 1: .answer(LoopbackServer.http(status: "200 OK", #"{"latitude":0,"longitude":0}"#))
            case 2: .answer(LoopbackServer.http(status: "503 Service Unavailable", ""))
            case 3: .answer(LoopbackServer.http(status: "200 OK", #"{"latitude":9,"longitude":9}"#))
            default: .stay("")
            }
        }
        let run = try Watched(operation(server.url, clock), NoInput())
        _ = await server.requests.first { $0.count == 4 }
        run.run.cancel(.unwatched)
        let at = "1970-01-01T00:00:00.000Z"
        #expect(
            await run.states() == [
                .none, .locating, .tracking(position: try place(0, 0), trail: ["1000,500"], at: at),
                .stale(
                    position: try place(0, 0), trail: ["1000,500"], at: at,
                    message: "The server answered 503 Service Unavailable.", since: at, failures: 1,
                    retryMilliseconds: 3_750),
                .tracking(position: try place(9, 9), trail: ["1000,500 1050,450"], at: at),
                .stopped(position: try place(9, 9), trail: ["1000,500 1050,450"], at: at),
            ])
        #expect(clock.asked.value.filter { $0 != .seconds(10) } == [.seconds(5), .milliseconds(3_750), .seconds(5)])
    }

    @Test func `a feed that never answered is an error with the count and a growing wait`() async throws {
        let clock = ManualClock(passes: { $0 < .seconds(8) })
        let server = try await LoopbackServer { _, _ in .answer(LoopbackServer.http(status: "200 OK", "<html>")) }
        let run = try Watched(operation(server.url, clock), NoInput())
        let third = await run.first { if case .error(_, _, 3, _) = $0 { true } else { false } }
        run.run.cancel(.unwatched)
        guard case .error(let message, let since, 3, 15_000)? = third else { throw Unexpected() }
        #expect(message == "The answer was not understood: it is not JSON. Check the address of the feed.")
        #expect(since == "1970-01-01T00:00:00.000Z")
        #expect(await run.states().last == .stopped(position: nil, trail: [], at: nil))
    }

    @Test func `the trail keeps its length and splits at the edge of the map`() throws {
        var track = GroundTrack(limit: 3)
        for longitude in [170.0, 178, -178, -170] { track.append(try place(0, longitude)) }
        #expect(track.lines == ["1988.9,500 2000,500", "0,500 11.1,500 55.6,500"])
        var west = GroundTrack(limit: 9)
        for (latitude, longitude) in [(0.0, -179.0), (10, 179)] { west.append(try place(latitude, longitude)) }
        #expect(west.lines.count == 2)
        #expect(west.lines.first?.hasPrefix("5.6,500 0,472") == true)
        #expect(west.lines.last?.hasPrefix("2000,472") == true)
    }

    @Test func `a trail of full length stays small`() throws {
        var track = GroundTrack(limit: 120)
        for step in 0..<500 { track.append(try place(sin(Double(step) / 40) * 51, Double(step) * 0.34 - 100)) }
        let record = try StateRecord(ISSPositionState.tracking(position: place(1, 1), trail: track.lines, at: "x"))
        #expect(try record.payload.text().utf8.count < 2_048)
    }

    @Test func `a track over exactly half of the map is one line`() throws {
        var track = GroundTrack(limit: 2)
        for longitude in [-90.0, 90] { track.append(try place(0, longitude)) }
        #expect(track.lines == ["500,500 1500,500"])
    }
}
