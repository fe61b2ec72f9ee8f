import Testing

@testable import WeirStates

@Suite struct MaskedStreamTests {
    /// The leaks of random cases: as many secrets as given, each in a hundred texts.
    static func leaks(secrets: Int, seed: UInt64) -> [String] {
        var cases = SecretCases(seed: seed)
        var leaks: [String] = []
        for _ in 0..<secrets {
            let secret = cases.secret()
            let mask = SecretMask([secret])
            for _ in 0..<100 where leaks.count < 10 {
                if let leak = cases.leak(of: secret, by: mask) { leaks.append(leak) }
            }
        }
        return leaks
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no secret gets through, in any encoding and wherever the text is cut`(_ seed: UInt64) {
        #expect(Self.leaks(secrets: 10, seed: seed) == [])
    }

    @Test func `what cannot be a secret any more is passed on at once`() {
        var stream = MaskedStream(SecretMask(["hunter2-hunter2"]))
        func take(_ text: String) -> String { String(decoding: stream.take(text.utf8), as: UTF8.self) }
        #expect(take("a line\nhu") == "a line\n")
        #expect(take("n") == "")
        #expect(take("gry\n") == "hungry\n")
        #expect(take("100%\n") == "100%\n")
        #expect(take("hunter2-hun") == "")
        #expect(take("ters and") == "hunter2-hunters and")
        #expect(take(" hunter2-hun") == " ")
        #expect(take("ter2!") == "•••!")
        #expect(!stream.isHolding)
        #expect(take("hunter2-h") == "")
        #expect(String(decoding: stream.finish(), as: UTF8.self) == "hunter2-h")
    }

    @Test
    func `a line is not held back for its last two characters, and base 64 that they begin is masked in the next line`()
    {
        var stream = MaskedStream(SecretMask(["correct-horse77"]))
        func take(_ text: String) -> String { String(decoding: stream.take(text.utf8), as: UTF8.self) }
        #expect(take("x Y2\r\n") == "x Y2\r\n")
        #expect(!stream.isHolding)
        #expect(take("9ycmVjdC1") == "")
        #expect(take("ob3JzZTc3\n") == "•••\n")
        #expect(take("x Y2\n") == "x Y2\n")
        #expect(take("9yc\n") == "")
        #expect(take("next\n") == "9yc\nnext\n")
        #expect(take("x Y29\n") == "x ")
        #expect(take("ycmVjdC1ob3JzZTc3\n") == "•••\n")
    }

    @Test func `a secret of several lines is masked whole, and a line end of a terminal is a line end`() {
        var stream = MaskedStream(SecretMask(["first\nsecond\nthird"]))
        var recorded: [UInt8] = []
        for piece in ["a first\r", "\nsecond\nth", "ird\r\nb"] { recorded += stream.take(piece.utf8) }
        recorded += stream.finish()
        #expect(String(decoding: recorded, as: UTF8.self) == "a •••\r\nb")
    }

    @Test func `secrets of repeated characters are replaced together, and do not take long`() {
        let mask = SecretMask([String(repeating: "a", count: 100)])
        #expect(mask.masked(String(repeating: "a", count: 1_000)) == "•••")
    }
}

/// Run by itself by `script/test long`.
@Suite(.timeLimit(.minutes(60))) struct MaskedStreamLoadTests {
    @Test func `no secret gets through in a million texts`() {
        #expect(MaskedStreamTests.leaks(secrets: 10_000, seed: 9) == [])
    }
}
