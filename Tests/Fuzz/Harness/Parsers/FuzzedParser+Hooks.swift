import Crypto
import Foundation
import HTTPTypes
import NIOCore
import WeirOperations
import WeirStates

@testable import WeirBoards
@testable import WeirWeb

extension FuzzedParser {
    /// Requests to triggers, of strangers and of senders who know the secret: a template of an input on the first line, then
    /// header fields, a line each, an empty line, and the body.
    static let hooks = FuzzedParser("hooks", upTo: 1_024) { input in
        var input = input
        // The server's own clock, from 1970 on.
        let now = input.number() & 0xff_ffff_ffff
        let bytes = input.rest
        let gap = bytes.firstRange(of: [0x0a, 0x0a])
        let content = Data(bytes[(gap?.upperBound ?? bytes.endIndex)...])
        let lines = String(decoding: bytes[..<(gap?.lowerBound ?? bytes.endIndex)], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2 else { continue }
            fields[field[0].lowercased()] = field[1].trimmingCharacters(in: .whitespaces)
        }
        stranger(TriggerRequest(headers: fields, content: content, body: .null), now)
        sender(fields, content, now)
        guard let template = template(String(lines.first ?? "")) else { return }
        do throws(Problem) {
            let body = try JSONValue(
                trigger: ByteBuffer(bytes: content), type: ContentType(firstOf: fields["content-type"]))
            decide(TriggerRequest(headers: fields, content: content, body: body), template)
        } catch {
            expectSentence(error.detail)
            expect(error.status.code == 400, "a body answered \(error.status.code)")
        }
    }

    private static let secret = "known to the sender alone"

    private static func proof(
        _ form: TriggerRule.Form, _ request: TriggerRequest, at time: Int64
    ) -> (passes: Bool, key: String?) {
        do { return (true, try request.proof(form, secret: secret, now: time)) } catch { return (false, nil) }
    }

    /// Nothing passes that does not know the secret.
    private static func stranger(_ request: TriggerRequest, _ now: Int64) {
        for form in TriggerRule.Form.allCases {
            expect(!proof(form, request, at: now).passes, "a stranger passed as \(form.rawValue)")
        }
    }

    /// Whoever knows it passes, with these very bytes and at this time.
    private static func sender(_ fields: [String: String], _ content: Data, _ now: Int64) {
        func holds(
            _ form: TriggerRule.Form, _ own: [String: String], _ content: Data, at time: Int64, key: String?,
            passes: Bool
        ) {
            let request = TriggerRequest(headers: fields.merging(own) { $1 }, content: content, body: .null)
            let found = proof(form, request, at: time)
            expect(found == (passes, passes ? key : nil), "\(form.rawValue) after \(time - now) s: \(found)")
        }
        let other = content + [0]
        let signature = WebhookSignature.github(content, secret: secret)
        let github = ["x-hub-signature-256": signature]
        holds(.github, github, content, at: now, key: signature, passes: true)
        holds(.github, github, other, at: now, key: nil, passes: false)

        let id = fields["webhook-id"].flatMap { (1...255).contains($0.utf8.count) ? $0 : nil } ?? "msg"
        let message = Data("\(id).\(now).".utf8) + content
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Data(secret.utf8)))
        let standard = [
            "webhook-id": id, "webhook-timestamp": "\(now)",
            "webhook-signature": "v1,AAAA v1,\(Data(code).base64EncodedString())",
        ]
        for delay in [-301, -300, 0, 300, 301] as [Int64] {
            holds(.standard, standard, content, at: now + delay, key: id, passes: abs(delay) <= 300)
        }
        holds(.standard, standard, other, at: now, key: nil, passes: false)

        let key = fields["idempotency-key"].flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
        holds(.bearer, ["authorization": "Bearer \(secret)"], content, at: now, key: key, passes: true)
    }

    private static func template(_ text: String) -> PathTemplate? {
        do throws(PathTemplate.Mistake) {
            let template = try PathTemplate(text)
            let written = template.parts.map { part in
                switch part {
                case .text(let text): text
                case .path(let path): "{{\(path)}}"
                }
            }.joined()
            expect((try? PathTemplate(written)) == template, "“\(written)” is another template than “\(text)”")
            for path in template.paths {
                expect(ValuePath(path.description) == path, "\(path) reads as another path")
            }
            return template
        } catch {
            expectSentence(error.sentence)
            return nil
        }
    }

    /// A value becomes an input as it is: whatever braces it has are its own.
    private static func decide(_ request: TriggerRequest, _ template: PathTemplate) {
        let filters = template.paths.dropFirst().prefix(1).map { TriggerRule.Filter(path: $0, values: ["main", "1"]) }
        let rule = TriggerRule(
            operation: "deploy", name: "push", form: .github, secret: "push", filters: filters,
            inputs: [TriggerRule.Input(name: "input", value: template)])
        switch rule.decide(request) {
        case .ping: expect(request.headers["x-github-event"] == "ping", "what is no ping was taken for one")
        case .ignored(let reason):
            expectSentence(reason, upTo: 8_192)
            expect(!filters.isEmpty, "ignored by a trigger that takes everything: \(reason)")
        case .refused(let mistakes):
            expect(!mistakes.mistakes.isEmpty, "refused without a reason")
            for mistake in mistakes.mistakes { expectSentence(mistake.detail, upTo: 8_192) }
        case .start(let values):
            expect(values.keys.allSatisfy { $0 == "input" }, "an input that the trigger does not name")
            guard template.single == nil else {
                switch values["input"] {
                case .object?, .array?, .null?: return expect(false, "a whole \(values) became an input")
                default: return
                }
            }
            let parts = template.parts.map { part in
                switch part {
                case .text(let text): text
                case .path(let path): request.scalar(at: path)?.exactText ?? ""
                }
            }
            expect(values["input"]?.string == parts.joined(), "\(values) was made of \(parts)")
        }
    }
}
