/// Recognises the passwords that attackers try first: common words with digits and signs around them, and runs of keys.
enum CommonPassword {
    /// The words of the most used passwords, as lists of leaked ones have them.
    private static let words: Set<String> = [
        "password", "passwort", "motdepasse", "contrasena", "contraseña", "senha", "qwerty", "qwertz", "azerty",
        "welcome",
        "willkommen", "letmein", "admin", "administrator", "adminadmin", "root", "toor", "login", "master", "changeme",
        "changemenow", "default", "guest", "test", "testing", "secret", "iloveyou", "loveme", "monkey", "dragon",
        "football", "baseball", "basketball", "soccer", "hockey", "sunshine", "princess", "superman", "batman",
        "spiderman", "starwars", "pokemon", "shadow", "michael", "jordan", "jessica", "ashley", "charlie", "hunter",
        "freedom", "whatever", "trustno", "computer", "internet", "samsung", "google", "facebook", "summer", "winter",
        "spring", "autumn", "sommer", "verano", "invierno", "verao", "inverno", "hello", "helloworld", "teamo",
        "tequiero",
        "christopher", "jesuschrist", "tinkerbell", "sweetheart", "strawberry", "brasil", "portugal", "benfica",
        "passwordpassword", "mypassword", "newpassword", "passwd",
        "liverpool", "chelsea", "arsenal", "barcelona", "mustang", "access", "server", "weir",
    ]
    private static let runs = [
        "01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm",
        "qwertzuiopasdfghjklyxcvbnm",
        "azertyuiopqsdfghjklmwxcvbn", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0",
        "1qaz2wsx3edc4rfv5tgb6yhn", "qazwsxedcrfvtgbyhnujm",
    ]
    private static let letters: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
    ]

    /// The characters of a text that are in no run of at least three keys.
    private static func withoutRuns(_ text: String) -> String {
        let runs = runs + runs.map { String($0.reversed()) }
        var (rest, kept) = (Substring(text.prefix(64)), "")
        while let first = rest.first {
            var length = 0
            while length < rest.count, runs.contains(where: { $0.contains(rest.prefix(length + 1)) }) { length += 1 }
            if length < 3 {
                (length, kept) = (1, kept + String(first))
            }
            rest = rest.dropFirst(length)
        }
        return kept
    }

    static func matches(_ password: String) -> Bool {
        let text = password.lowercased()
        if withoutRuns(text).count < 4 { return true }
        func core(_ text: String) -> String {
            let start = text.drop { !$0.isLetter }
            return String(start.reversed().drop { !$0.isLetter }.reversed())
        }
        let spelled = String(core(text).map { letters[$0] ?? $0 })
        return [core(text), spelled, core(String(text.map { letters[$0] ?? $0 }))].contains { word in
            words.contains(word) || runs.contains { word.count >= 5 && $0.contains(word) }
        }
    }
}
