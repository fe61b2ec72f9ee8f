import HTTPTypes
@testable import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirPages
@testable import WeirWeb

extension FuzzedParser {
    /// Paths and queries of requests, and what they name.
    static let targets = FuzzedParser("targets", upTo: 512) { input in
        var input = input
        let mount = MountPath(["", "/ops", "/a/b"][input.choice(3)])
        let target: RequestTarget
        do { target = try RequestTarget(input.text, mount: mount) } catch { return }
        for segment in target.segments {
            expect(![".", "..", ""].contains(segment), "a segment “\(segment)” passed")
            expect(
                segment.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" },
                "a segment with what no segment may have passed")
        }
        let path = mount.url(target.segments.map { PercentEncoding.encode($0) }.joined(separator: "/"))
        let again = try? RequestTarget(path + "?" + target.query.text, mount: mount)
        expect(again?.segments == target.segments, "\(path) does not name the same segments")
        expect(again?.query.fields == target.query.fields, "\(target.query.text) is not the same query")
        guard let route = Route(target.segments) else { return }
        expect(Route(target.segments) == route, "a path names two things")
        expect(!route.methods.isEmpty, "nothing can be done with \(route)")
        if case .page(let page) = route {
            expect(PageName(page.topic) == page, "the topic of \(page) is shown by another page")
            expect(page.path.split(separator: "/").count == target.segments.count, "\(page) has another path")
        }
    }

    /// What stands for a place in the journal or a thing in it, wherever it is written.
    static let cursors = FuzzedParser("cursors", upTo: 96) { input in
        let text = input.text
        if let cursor = FeedCursor(text) {
            expect(cursor.description == text, "“\(text)” and “\(cursor)” are two spellings of one cursor")
            expect(FeedCursor(cursor.description) == cursor, "\(cursor) reads as another cursor")
        }
        if let topic = Topic(text) {
            expect(topic.description == text, "\(topic) is written in two ways")
            expect(Topic(topic.description) == topic, "\(topic) reads as another topic")
            expect(text.utf8.count <= 64, "a topic of \(text.utf8.count) bytes")
        }
        if let stream = StreamID(text) { expect(StreamID(stream.description) == stream, "\(stream) reads otherwise") }
        if let locale = PageLocale(text) {
            expect(PageLocale(locale.tag) == locale, "\(locale) reads as another locale")
            expect(locale.tag.utf8.count <= 6, "a long locale")
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if let place = Route.EffectPlace(parts) { expect(place.store == parts[1], "an effect of another store") }
    }

    /// The paths of live clients, and what is decided of them.
    static let polls = FuzzedParser("polls", upTo: 200) { input in
        var input = input
        let (head, floor) = (SequenceNumber(clamping: input.number()), SequenceNumber(clamping: input.number()))
        let wall = input.number()
        let isClosed = input.choice(2) == 1
        let text = input.text
        guard let request = PollRequest(path: text) else { return }
        expect(request.path == text, "“\(text)” and “\(request.path)” are two spellings of one request")
        expect(PollRequest(path: request.path) == request, "“\(text)” reads as another request")
        for epoch in [request.epoch, "other"] {
            let feedStatus = PollDecision.FeedStatus(epoch: epoch, head: head, floor: floor, isClosed: isClosed)
            // The clock of the machine, from 1970 on and for as long as Swift's own dates go.
            let decision = PollDecision(request, feedStatus: feedStatus, wall: wall & 0x00ff_ffff_ffff_ffff)
            if case .hold(let milliseconds) = decision {
                expect((1...PollSlots.length).contains(milliseconds), "held for \(milliseconds) ms")
            }
        }
    }

    /// Queries of lists of runs, as the API and as pages read them.
    static let queries = FuzzedParser("queries", upTo: 512) { input in
        guard let fields = FormFields(input.text) else { return }
        expect(FormFields(fields.text)?.fields == fields.fields, "“\(fields.text)” is another query")
        for name in ["wait", "after", "limit"] {
            do throws(Problem) { _ = try fields.number(name, 0...1_000) } catch { expectSentence(error.detail) }
        }
        let filter = RunFilter(parameters: fields.dictionary)
        if let mistake = filter.mistake {
            expectSentence(Problem(mistake).detail)
            return
        }
        let query = filter.query()
        expect((1...500).contains(query.limit), "a limit of \(query.limit)")
        expect(query.before ?? 1 > 0, "before \(query.before ?? 1)")
        expect(query.text == nil || query.search?.terms.isEmpty == false, "“\(query.text ?? "")” has no terms")
        let again = FormFields(filter.query).map { RunFilter(parameters: $0.dictionary) }
        expect(again == filter, "“\(filter.query)” is another filter")
    }
}

extension PollRequest {
    fileprivate var epoch: String {
        switch kind {
        case .tail(let epoch, _, _), .now(let epoch, _): epoch
        case .snap: ""
        }
    }
}
