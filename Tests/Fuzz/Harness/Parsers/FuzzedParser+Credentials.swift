import Foundation
import WeirStates

@testable import WeirAccess

extension FuzzedParser {
    /// What says who sends a request, and what the audit has of it: cookies, secrets, addresses, and lines of the chain.
    static let credentials = FuzzedParser("credentials", upTo: 512) { input in
        var input = input
        let kind = SecretText.Kind.allCases[input.choice(SecretText.Kind.allCases.count)]
        let lines = input.lines
        let made = SecretText(kind, bytes: Array((lines.first ?? "").utf8.prefix(32)))
        expect(SecretText(made.text, kind: kind) != nil, "a secret is refused that was just made: \(made.text)")
        for cookie in [true, false].map({ SessionCookie(isSecure: $0, instance: "8080") }) { find(cookie, lines) }
        for line in lines.prefix(8) {
            if let secret = SecretText(line, kind: kind) { expect(secret.text == line, "“\(line)” is another") }
            address(line)
            chain(line, then: lines.last ?? "")
        }
    }

    /// A session is found among whatever else stands in the fields, unless they have it twice.
    private static func find(_ cookie: SessionCookie, _ lines: [String]) {
        let secret = SecretText(.session, bytes: [UInt8](repeating: 7, count: 32))
        let own = "\(cookie.name)=\(secret.text)"
        if let found = cookie.secret(in: lines) { expect(SecretText(found.text, kind: .session) != nil, "no secret") }
        _ = (cookie.link(in: lines), cookie.passed(in: lines))
        expect(cookie.secret(in: [own])?.text == secret.text, "a cookie is not found where it stands alone")
        if lines.allSatisfy({ !$0.contains(cookie.name) }) {
            expect(cookie.secret(in: lines + [own])?.text == secret.text, "a cookie is not found among \(lines)")
        } else if cookie.session(in: lines) != nil {
            expect(cookie.secret(in: lines + [own])?.text == nil, "of two sessions one was chosen")
        }
    }

    private static func address(_ line: String) {
        if let address = NetworkAddress(line) {
            expect([4, 16].contains(address.bytes.count), "an address of \(address.bytes.count) bytes")
        }
        let plain = line.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
        guard let range = NetworkRange(line), let address = plain.flatMap({ NetworkAddress($0) }) else { return }
        expect(range.contains(address), "\(line) does not contain \(address.bytes)")
    }

    /// A chain that begins anywhere goes on, and knows its own lines from others.
    private static func chain(_ line: String, then next: String) {
        if let record = AuditRecord(line: line) { expect(record.number > 0, "entry \(record.number)") }
        guard var chain = AuditChain(head: line) else { return }
        expect(AuditChain(head: chain.head) == chain, "\(chain.head) reads as another end")
        var reader = chain
        _ = reader.follow(next)
        expect(reader == chain, "“\(next)” continues whatever chain")
        let entry = AuditEntry(at: 1, principal: Principal(.person, name: next), .start, detail: next)
        guard let own = try? chain.append(entry) else { return expect(false, "an entry cannot be written") }
        if chain.number <= AuditChain.highest {
            expect(reader.follow(own) != nil && reader == chain, "“\(own)” is not followed")
        }
    }
}
