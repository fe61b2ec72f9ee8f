import Testing

@testable import WeirCommand

struct ReportReplyTests {
    private func reply(
        _ status: Int, isOpening: Bool = false, isProblem: Bool = true, isClosed: Bool = false
    ) -> ReportReply {
        ReportReply(status: status, isOpening: isOpening, isProblem: isProblem, isClosed: isClosed)
    }

    @Test func `an answer says whether a report was taken, belongs elsewhere, is refused or comes too early`() {
        #expect([200, 201, 204].map { reply($0) } == [.taken, .taken, .taken])
        #expect(reply(409, isClosed: true) == .ended)
        #expect(reply(409, isOpening: true) == .ended)
        #expect(reply(410) == .ended)
        #expect(reply(404) == .ended)
        #expect(reply(404, isOpening: true) == .refused)
        #expect([400, 401, 403, 409, 413].map { reply($0) }.allSatisfy { $0 == .refused })
        #expect([408, 429, 500, 502, 503, 504].map { reply($0) }.allSatisfy { $0 == .later })
    }

    @Test func `what a proxy says while the server is away is no refusal`() {
        #expect([400, 403, 404].map { reply($0, isProblem: false) }.allSatisfy { $0 == .later })
        #expect(reply(404, isOpening: true, isProblem: false) == .later)
    }

    @Test func `a stream is read on from where the last whole answer ended`() {
        var place = StreamPlace()
        #expect(place.query(live: true).map { "\($0.name)=\($0.value)" } == ["offset=-1", "live=long-poll"])
        place.advance { ["Stream-Next-Offset": "a_b_1", "Stream-Cursor": "7", "Stream-Up-To-Date": "true"][$0] }
        #expect(
            place.query(live: true).map { "\($0.name)=\($0.value)" } == ["offset=a_b_1", "live=long-poll", "cursor=7"])
        #expect(place.isUpToDate && !place.isClosed)
        #expect(place.query(live: false).map { $0.name } == ["offset"])
        place.advance { ["Stream-Next-Offset": "a_b_2", "Stream-Closed": "true"][$0] }
        #expect(place.isClosed)
    }
}
