import Testing

@testable import WeirAccess

@Suite struct CommonPasswordTests {
    @Test(arguments: [
        "password123", "P@ssw0rd!!", "Passw0rd2026", "1234567890", "0987654321", "qwertyuiop", "Qwerty12345!",
        "iloveyou2024",
        "abcdefghij", "1q2w3e4r5t", "Welcome2026!", "administrator", "aa123456789", "abcd123456", "q1w2e3r4t5",
        "qweasdzxc123", "Contraseña123", "Tinkerbell1!",
    ])
    func `a common word or a run of keys is refused, whatever is around it`(_ password: String) {
        #expect(CommonPassword.matches(password))
    }

    @Test(arguments: [
        "correct horse", "battery staple", "tangerine-forklift", "k7#mQ2!vLx9", "passwordless entry",
    ])
    func `other passwords are taken`(_ password: String) {
        #expect(!CommonPassword.matches(password))
    }
}
