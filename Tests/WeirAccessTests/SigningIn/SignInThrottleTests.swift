import Testing

@testable import WeirAccess

@Suite struct SignInThrottleTests {
    @Test func `ten thousand attempts from one address are decided without hashing more than a few`() {
        var throttle = SignInThrottle()
        let passed = (0..<10_000).filter { throttle.attempt("user\($0)", from: "203.0.113.9", now: Int64($0)) == nil }
        #expect(passed.count <= 24)
    }

    @Test func `failures from ten thousand addresses delay no other address`() {
        var throttle = SignInThrottle()
        for attempt in 0..<10_000 {
            _ = throttle.attempt("ana", from: "10.1.\(attempt / 256).\(attempt % 256)", now: Int64(attempt))
        }
        let fresh = throttle.attempt("ana", from: "192.0.2.1", now: 10_000)
        #expect(fresh == nil)
    }

    @Test func `each failure with one name from one address doubles the delay, up to a minute`() throws {
        var throttle = SignInThrottle()
        var (now, waits): (Int64, [Int64]) = (0, [])
        for _ in 0..<14 {
            if let wait = throttle.attempt("ana", from: "192.0.2.1", now: now) {
                waits.append(wait)
                now += wait
                let again = throttle.attempt("ana", from: "192.0.2.1", now: now)
                #expect(again == nil)
            }
        }
        #expect(waits.prefix(8) == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
        let other = throttle.attempt("bob", from: "192.0.2.1", now: now)
        #expect(other == nil)
    }

    @Test func `sign-ins that succeed never delay others`() {
        var throttle = SignInThrottle()
        for index in 0..<1_000 {
            let wait = throttle.attempt("ana", from: "192.0.2.1", now: Int64(index))
            #expect(wait == nil)
            throttle.succeed("ana", from: "192.0.2.1")
        }
    }

    @Test func `the addresses of one IPv6 subscriber are one`() {
        var throttle = SignInThrottle()
        let passed = (0..<1_000).filter {
            throttle.attempt("user\($0)", from: "2001:db8:1:2::\(String($0, radix: 16))", now: 0) == nil
        }
        #expect(passed.count == 20)
    }

    @Test func `a known browser is not delayed by what others try from its address`() {
        var throttle = SignInThrottle()
        for attempt in 0..<1_000 { _ = throttle.attempt("ana", from: "192.0.2.1", now: Int64(attempt)) }
        let (known, unknown) = (
            throttle.attempt("ana", from: "192.0.2.1", browser: "b", now: 1_000),
            throttle.attempt("ana", from: "192.0.2.1", now: 1_000)
        )
        #expect(known == nil)
        #expect(unknown != nil)
        // The mark of a browser can be stolen, and has a limit of its own.
        let passed = (0..<100).filter { throttle.attempt("ana", from: "10.0.0.\($0)", browser: "b", now: 1_000) == nil }
        #expect(passed.count <= 5)
    }

    @Test func `failures from before the clock was set back delay nothing`() {
        var throttle = SignInThrottle()
        let later: Int64 = 365 * 86_400_000
        for _ in 0..<40 { _ = throttle.attempt("ana", from: "192.0.2.1", now: later) }
        for index in 0..<40 { _ = throttle.attempt("user\(index)", from: "192.0.2.1", now: later) }
        let wait = throttle.attempt("ana", from: "192.0.2.1", now: later - 3_600_000)
        #expect(wait == nil)
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
