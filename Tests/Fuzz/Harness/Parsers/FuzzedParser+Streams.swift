import HTTPTypes
@testable import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards
@testable import WeirWeb

extension FuzzedParser {
    /// What readers of streams send: offsets, cursors and queries, and what is decided of them.
    static let streams = FuzzedParser("streams", upTo: 256) { input in
        var input = input
        let (head, floor) = (SequenceNumber(clamping: input.number()), SequenceNumber(clamping: input.number()))
        let wall = input.number()
        let isClosed = input.choice(2) == 1
        let text = input.text
        if let offset = StreamOffset(text) {
            expect(offset.description == text, "“\(text)” and “\(offset)” are two spellings of one place")
            expect(StreamOffset(offset.description) == offset, "“\(text)” reads as another place")
            let next = StreamOffset(offset.history, offset.sequence.next, line: offset.line, part: offset.part)
            expect(
                next == offset || offset.description.utf8.lexicographicallyPrecedes(next.description.utf8),
                "\(next) does not sort behind \(offset)")
        }
        expect((1...StreamCursor.longestHold).contains(StreamCursor.hold(at: wall)), "held at \(wall) for too long")
        if let cursor = StreamCursor(text) {
            expect(cursor.description == text, "“\(text)” and “\(cursor)” are two spellings of one cursor")
            let next = StreamCursor.following(cursor, at: wall)
            expect(next.number > cursor.number, "\(next) follows \(cursor)")
        }
        for (feed, isText) in [("board", false), ("output-a", true), (text, false), (text, true)] {
            guard let name = StreamName(feed: feed, isText: isText), let query = FormFields(text) else { continue }
            do throws(StreamRequest.Mistake) {
                let request = try StreamRequest(name, query: query)
                expect(request.mode != .events || !name.isText, "events of a text")
                let status = StreamStatus(head: head, floor: floor, isClosed: isClosed)
                let (history, part) =
                    if case .after(let offset) = request.start { (offset.history, offset.part) } else {
                        (StreamOffset.History(epoch: "k3f9", began: Timestamp(milliseconds: wall)), nil as String?)
                    }
                switch status.decision(request.start, in: history, part: part) {
                case .read(let after): expect(after < head && after >= min(floor, head), "reads after \(after)")
                case .nothing(let at), .end(let at): expect(at <= head, "stands at \(at)")
                case .lost: break
                }
            } catch {
                expectSentence(Problem(error).detail)
            }
        }
    }

    /// What reporters of runs send: bodies and the fields of producers.
    static let reports = FuzzedParser("reports", upTo: 1_024) { input in
        var input = input
        let isClosing = input.choice(2) == 1
        var limits = ReportLimits()
        (limits.messages, limits.lineBytes, limits.stateBytes) = (20, 100, 400)
        let lines = input.lines
        var fields: HTTPFields = [:]
        fields[.producerID] = lines.first
        fields[.producerEpoch] = lines.dropFirst().first
        fields[.producerNumber] = lines.dropFirst(2).first
        do throws(Problem) {
            if let stamp = try ProducerHeaders.stamp(in: fields) {
                expect((1...255).contains(stamp.id.utf8.count), "a producer's name of \(stamp.id.utf8.count) bytes")
                expect(stamp.epoch <= .max && stamp.number <= .max, "numbers beyond the last")
                check(stamp)
            }
        } catch { expectSentence(error.detail) }
        guard let body = try? JSONValue(parsing: input.text) else { return }
        do throws(ReportMessages.Mistakes) {
            let opening = try ReportOpening(body, limits: limits)
            expect((opening.title ?? "").count <= VisibleTitle.limit, "a long title")
            expect(!limits.isTooLarge(opening.input), "a large input")
        } catch { check(error) }
        do throws(ReportMessages.Mistakes) {
            let messages = try ReportMessages(body, isClosing: isClosing, limits: limits)
            expect(messages.entries.count <= limits.messages, "\(messages.entries.count) messages")
            expect(messages.end == nil || isClosing, "an end of a run that goes on")
            expect(messages.end?.phase.isEnded ?? true, "an end that is none")
            for case .line(let line, _, _) in messages.entries {
                expect(line.utf8.count <= limits.lineBytes && !line.utf8.contains(0x0a), "a line that is none")
            }
            for case .state(let state) in messages.entries {
                expect(!state.phase.isEnded, "an end in the middle")
                expect((state.progress?.completed ?? 0) >= 0, "less than nothing done")
            }
            let report = Report(
                run: "a", operation: "b", reporter: "c", entries: messages.entries,
                ending: isClosing ? .closed(messages.end) : .none)
            expect(report.entries == messages.entries, "a report changes what it was given")
        } catch { check(error) }
    }

    private static func check(_ mistakes: ReportMessages.Mistakes) {
        expect((1...40).contains(mistakes.list.count), "\(mistakes.list.count) mistakes")
        for mistake in mistakes.list { expectSentence(mistake.detail) }
    }

    private static func check(_ stamp: ProducerStamp) {
        expect(
            ProducerState.decision(on: stamp, after: nil) == (stamp.number == 0 ? .next : .gap(expected: 0)),
            "a new producer begins with \(stamp.number)")
        let state = ProducerState(epoch: stamp.epoch, number: stamp.number, hasClosed: true)
        expect(ProducerState.decision(on: stamp, after: state) == .known, "a request is not known again")
        expect(state.closed(by: stamp), "the request that closed is not known again")
    }
}
