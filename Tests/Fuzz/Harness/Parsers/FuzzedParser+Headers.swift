import HTTPTypes

import WeirStates
@testable import WeirWeb

extension FuzzedParser {
    /// Header fields: media types, hosts, where a page comes from.
    static let headers = FuzzedParser("headers", upTo: 256) { input in
        let lines = input.lines
        let first = lines.first ?? ""
        let second = lines.count > 1 ? lines[1] : ""
        mediaType(first)
        host(first)
        var fields = HTTPFields()
        fields[.origin] = first
        if lines.count > 2 { fields[.secFetchSite] = lines[2] }
        _ = CrossSiteCheck.allows(fields, authority: lines.count > 1 ? second : nil)
        if let decoded = PercentEncoding.decode(first) {
            expect(
                PercentEncoding.decode(PercentEncoding.encode(decoded)) == decoded, "“\(first)” changes when encoded")
            expect(PercentEncoding.encode(decoded).utf8.allSatisfy { (0x21...0x7e).contains($0) }, "not encoded")
        }
    }

    private static func mediaType(_ text: String) {
        if let type = ContentType(text) {
            expect(type.name == type.name.lowercased(), "\(type.name) is not in lower case")
            expect(type.name.utf8.count <= text.utf8.count * 3, "\(type.name) grew")
            expect(ContentType(type.name)?.name == type.name, "\(type.name) reads as another type")
        }
        _ = ContentType(firstOf: text)
    }

    private static func host(_ text: String) {
        expect(HostCheck(allowed: ["*"]).allows(text), "a host was refused where all are allowed")
        guard HostCheck(allowed: []).allows(text) else { return }
        expect(HostCheck(allowed: ["weir.example"]).allows(text), "“\(text)” was refused once another was allowed")
        // What passes without being named is localhost or an address, in whatever spelling.
        let plain = text.lowercased()
        expect(
            plain.contains("localhost") || plain.first == "["
                || plain.utf8.allSatisfy { $0 == 0x2e || $0 == 0x3a || (0x30...0x39).contains($0) },
            "the host “\(text)” passed")
    }
}
