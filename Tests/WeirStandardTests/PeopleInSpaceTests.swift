import Foundation
import Testing
import WeirOperations

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct PeopleInSpaceTests {
    private func people(_ url: String) -> PeopleInSpace {
        PeopleInSpace(
            .init(url: url),
            environment: OperationEnvironment(clock: ManualClock(), now: { Date(timeIntervalSince1970: 0) }))
    }

    @Test func `an answer that breaks off deep within is not understood, and ends no process`() {
        #expect(throws: HTTPFailure.self) { try CrewList(Data(String(repeating: "[", count: 513).utf8)) }
    }

    // G1
    @Test func `people are counted and grouped by craft, the fullest first`() async throws {
        let answer = """
            {"message": "success", "number": 99, "people": [{"name": "A", "craft": "Tiangong"},
            {"name": "B", "craft": "ISS"}, {"name": "C", "craft": "ISS"}]}
            """
        let server = try await LoopbackServer.answering(answer)
        let run = try Watched(people(server.url), NoInput())
        #expect(
            await run.states() == [
                .none, .loading,
                .success(
                    total: 3,
                    crafts: [Craft(name: "ISS", people: ["B", "C"]), Craft(name: "Tiangong", people: ["A"])],
                    at: "1970-01-01T00:00:00.000Z"),
            ])
    }

    @Test(arguments: ["", "{", "[]", #"{"people": [{"name": 1}]}"#, #"{"people": 1e300}"#])
    func `an answer that is no list of people is an error`(answer: String) async throws {
        let server = try await LoopbackServer.answering(answer)
        let run = try Watched(people(server.url), NoInput())
        guard case .error(let message)? = await run.states().last else { throw Unexpected() }
        #expect(message.hasPrefix("The answer was not understood"))
    }
}
