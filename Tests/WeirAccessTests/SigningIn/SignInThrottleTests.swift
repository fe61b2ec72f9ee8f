import Testing

@testable import WeirAccess

@Suite struct SignInThrottleTests {
    @Test func `ten thousand attempts from one address are decided without hashing more than a few`() {
        var throttle = SignInThrottle()
        let passed = (0..<10_000).filter { throttle.attempt("user\($0)", from: "203.0.113.9", now: Int64($0)) == nil }
        #expect(passed.count <= 24)
    }

    @Test func `ten thousand attempts from as many addresses are held to what all may`() {
        var throttle = SignInThrottle()
        let passed = (0..<10_000).filter {
            throttle.attempt("user\($0)", from: "10.0.\($0 / 256).\($0 % 256)", now: Int64($0)) == nil
        }
        #expect(passed.count <= 145)
    }

    @Test func `the addresses of one IPv6 subscriber are one`() {
        var throttle = SignInThrottle()
        let passed = (0..<1_000).filter {
            throttle.attempt("user\($0)", from: "2001:db8:1:2::\(String($0, radix: 16))", now: 0) == nil
        }
        #expect(passed.count == 20)
    }

    @Test func `whoever signed in from an address before is not locked out by what others try`() {
        var throttle = SignInThrottle()
        throttle.succeed("ana", from: "192.0.2.1")
        for attempt in 0..<10_000 {
            _ = throttle.attempt("ana", from: "10.1.\(attempt / 256).\(attempt % 256)", now: Int64(attempt))
        }
        let (known, unknown) = (
            throttle.attempt("ana", from: "192.0.2.1", now: 10_000),
            throttle.attempt("ana", from: "192.0.2.2", now: 10_000)
        )
        #expect(known == nil)
        #expect(unknown != nil)
    }

    @Test func `the wait that is named is enough`() throws {
        var throttle = SignInThrottle()
        var now: Int64 = 0
        while throttle.attempt("ana", from: "192.0.2.1", now: now) == nil {}
        let wait = throttle.attempt("ana", from: "192.0.2.1", now: now)
        now += try #require(wait)
        let again = throttle.attempt("ana", from: "192.0.2.1", now: now)
        #expect(again == nil)
    }
}
