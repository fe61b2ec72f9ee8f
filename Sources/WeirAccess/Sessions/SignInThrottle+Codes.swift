/// An attempt to sign in, as the throttle counts it.
struct SignInAttempt: Hashable, Sendable {
    let name: String
    let address: String
    /// The id of the known browser of that user, which replaces the address; nil without one.
    let browser: String?
}

extension SignInThrottle {
    /// The key that counts the codes for one name from all known browsers, or from all unknown ones.
    ///
    /// No known browser has these ids, because theirs have no hyphen. Known ones are limited together too: a user gets a new mark at
    /// each sign-in, and marks from before the set-up stay valid.
    private static func codes(_ attempt: SignInAttempt) -> String {
        attempt.browser == nil ? "second-factor" : "known-second-factor"
    }

    mutating func attempt(_ attempt: SignInAttempt, now: Int64) -> Int64? {
        self.attempt(attempt.name, from: attempt.address, browser: attempt.browser, now: now)
    }

    mutating func succeed(_ attempt: SignInAttempt) {
        succeed(attempt.name, from: attempt.address, browser: attempt.browser)
    }

    mutating func withdraw(_ attempt: SignInAttempt) {
        withdraw(attempt.name, from: attempt.address, browser: attempt.browser)
    }

    /// Counts a code, unless a limit is reached; returns the delay in milliseconds in that case.
    ///
    /// Also limits the codes for one name from all unknown browsers together, and from all known ones together. Six digits can be
    /// guessed from many addresses, and only a sender with the right password gets here, so that strangers cannot lock the user out.
    mutating func attemptCode(_ attempt: SignInAttempt, now: Int64) -> Int64? {
        if let wait = self.attempt(attempt, now: now) { return wait }
        guard let wait = self.attempt(attempt.name, from: "", browser: Self.codes(attempt), now: now) else {
            return nil
        }
        withdraw(attempt)
        return wait
    }

    mutating func succeedCode(_ attempt: SignInAttempt) {
        succeed(attempt)
        succeed(attempt.name, from: "", browser: Self.codes(attempt))
    }

    mutating func withdrawCode(_ attempt: SignInAttempt) {
        withdraw(attempt)
        withdraw(attempt.name, from: "", browser: Self.codes(attempt))
    }
}
