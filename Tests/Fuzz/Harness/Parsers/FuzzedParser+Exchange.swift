import Foundation

@testable import WeirStandard

extension FuzzedParser {
    /// URLs that people and redirects give, and header fields that a peer answers with.
    static let exchange = FuzzedParser("exchange", upTo: 512) { input in
        let lines = input.lines
        var answer = HTTPAnswer(status: [200, 301, 302, 303, 307, 308, 404][lines.count % 7])
        answer.headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        do throws(HTTPFailure) {
            let target = try HTTPTarget(lines.first ?? "")
            try hold(target)
            if let place = answer.redirection ?? lines.dropFirst().first {
                try hold(HTTPTarget(URL(string: place, relativeTo: target.url)?.absoluteString ?? place))
            }
        } catch {
            expectSentence(error.description)
        }
        do throws(HTTPFailure) { try answer.check() } catch { expectSentence(error.description) }
    }

    private static func hold(_ target: HTTPTarget) throws(HTTPFailure) {
        expect(!target.host.isEmpty, "a target without a host")
        expect(Int("\(target.port)").map { (0...65_535).contains($0) } == true, "port \(target.port)")
        let again = try HTTPTarget(target.url.absoluteString)
        expect(again.host == target.host && again.port == target.port, "\(target.url) leads to another place")
    }

    /// What feeds of other people answer, and what the kernel says.
    static let feeds = FuzzedParser("feeds", upTo: 1_024) { input in
        let data = Data(input.rest)
        do throws(HTTPFailure) {
            let position = try GroundPosition(answer: data)
            expect((-90...90).contains(position.latitude) && (-180...180).contains(position.longitude), "nowhere")
            expect((0...2_000).contains(position.x) && (0...1_000).contains(position.y), "not on the map")
        } catch {
            expectSentence(error.description)
        }
        do throws(HTTPFailure) {
            let crafts = try CrewList(data).crafts
            expect(crafts.reduce(0) { $0 + $1.people.count } <= 500, "a crowd")
            for craft in crafts { expect(craft.name.unicodeScalars.count <= 81, "a long name") }
        } catch {
            expectSentence(error.description)
        }
        let text = input.text
        _ = ProcText.processors(stat: text)
        if let memory = ProcText.memory(meminfo: text) {
            expect(memory.used >= 0 && memory.total > 0, "\(memory.used) of \(memory.total) bytes are used")
        }
        if let load = ProcText.load(loadavg: text) { expect(load.allSatisfy { $0 >= 0 && $0.isFinite }, "\(load)") }
        _ = ProcText.traffic(netdev: text)
    }
}
