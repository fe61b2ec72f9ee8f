import Foundation
import Testing

@testable import WeirStandard

@Suite struct HTTPTargetTests {
    private func mistake(_ text: String) -> String? {
        do throws(HTTPFailure) {
            _ = try HTTPTarget(text)
            return nil
        } catch {
            return error.description
        }
    }

    // S1
    @Test(arguments: [
        "http://127.0.0.1:65536/", "http://localhost:99999/", "http://a:70000", "https://[::1]:65536/x", "http://a:0/",
        "http://a:99999999999999999999/", "http://a:18446744073709551695/", "http://a:-1/", "http://a:+80/",
        "http://a:080000000/", "http://a:8o/", "http://a:0x50/", "http://a:\u{0661}/", "http://a:80:81/",
        "http://a:4294967376?x", "http://a:65616#x",
    ])
    func `a URL with a port that does not exist is refused, and nothing breaks`(text: String) {
        #expect(mistake(text) != nil)
    }

    @Test(arguments: [
        ("http://a", "a", 80, false), ("https://a", "a", 443, true), ("http://a:65535/", "a", 65_535, false),
        ("HTTP://A:1/x", "A", 1, false), ("http://a:/", "a", 80, false), ("https://[::1]/", "::1", 443, true),
        ("http://[::1]:8080/?a:9=b@c", "::1", 8_080, false), ("http://a/b:99999/c@d", "a", 80, false),
    ])
    func `a target has the host and port of its URL`(text: String, host: String, port: Int, isSecure: Bool) throws {
        let target = try HTTPTarget(text)
        #expect(target.host.lowercased() == host.lowercased())
        #expect(Int(target.port.number) == port && target.isSecure == isSecure)
    }

    // S7
    @Test(arguments: [
        "http://bob:SECRET@host/", "http://SECRET@host/", "https://bob:SECRET@[::1]:80/", "http://@host/",
        "http://bob%3ASECRET@host/", "http://a@b:SECRET@host/", "ftp://bob:SECRET@host/", "http:bob:SECRET@host/",
        "http://bob:SECRET@/", "http://bob:SECRET@host:99999/", "http://bob:SEC RET@host/", "//bob:SECRET@host/",
        "http://bob:SECRET@\u{301}host/", "http:\\\\bob:SECRET@host/", "http://bob\\:SECRET@host/",
        "http://bob:SECRET%40host/", "http://bob%3ASECRET%40host/",
    ])
    func `a URL that lets somebody in is refused in words that do not repeat it`(text: String) {
        let words = mistake(text)
        #expect(words != nil && words?.contains("SECRET") == false)
    }

    @Test func `what a URL lets somebody in by is left out of other people's words`() {
        #expect("to http://bob:SECRET@host/a@b?c@d".withoutUserInfo == "to http://…@host/a@b?c@d")
        #expect("//a:b@c //d@e, http://f/g".withoutUserInfo == "//…@c //…@e, http://f/g")
        #expect("<https://x:y@z>; rel=\"next\"".withoutUserInfo == "<https://…@z>; rel=\"next\"")
        #expect("http://bob:SECRET@\u{301}host/".withoutUserInfo == "http://…@\u{301}host/")
        for lead in ["http:/", "http:", "http:\\\\", "\\\\", "/\\", "http:///", "http:/\t/", "/a?b=http:/"] {
            #expect("\(lead)bob:SECRET@host/a@b".withoutUserInfo == "\(lead)…@host/a@b")
        }
        #expect("http://bob:SECRET%40host/".withoutUserInfo == "http://…@host/")
        #expect("http://bob:SEC@RET%40RET@host/".withoutUserInfo == "http://…@host/")
        #expect("/a/b@c?d@e \\f@g".withoutUserInfo == "/a/b@c?d@e \\f@g", "a single slash leads to no host")
        #expect("no address@host here".withoutUserInfo == "no address@host here")
        #expect("http://".withoutUserInfo == "http://" && "".withoutUserInfo == "")
    }

    @Test func `a text of many colons is read once`() {
        let text = String(repeating: "a:", count: 100_000)
        #expect((text + "@b").withoutUserInfo == "a:…@b" && text.withoutUserInfo == text)
    }

    @Test(arguments: [
        "5", "-5", "+5", " 5", "5 ", "0x5", "9223372036854775808", "99999999999999999999999", "", "5, 5", "\u{0665}",
        "NaN",
        "1e3", "9223372036854775807", "0",
    ])
    func `a length is decimal digits of a number that fits, or unknown`(text: String) {
        let known = ["5": Int64(5), "9223372036854775807": .max, "0": 0]
        #expect(HTTPAnswer.length(text) == known[text])
    }

    @Test(arguments: [-Double.infinity, -1, 0, 1e-300, 0.05, 600.1, 1e300, .infinity, .nan])
    func `a time limit from other code is held to its bounds`(seconds: Double) {
        let limit = HTTPRequestInput(url: "", timeout: seconds).limit
        #expect(limit.map { ($0 >= .milliseconds(99)) && $0 <= .seconds(600) } ?? seconds.isNaN)
    }

    @Test func `a duration of any length has a number of milliseconds`() {
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
        #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
    }
}
