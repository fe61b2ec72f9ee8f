import Foundation

/// Asks for a password: on a terminal without showing it, otherwise as the first line of standard input.
struct PasswordPrompt {
    var words = "Password: "

    func read(confirming: Bool) throws -> String {
        guard isatty(0) == 1 else {
            guard let line = readLine(strippingNewline: true) else {
                throw StartError.malformed("No password came on standard input. Send it as the first line.")
            }
            return line
        }
        let first = try ask(words)
        guard try !confirming || ask("The same again: ") == first else {
            throw StartError.malformed("The two are not the same. Try again.")
        }
        return first
    }

    private func ask(_ words: String) throws -> String {
        FileHandle.standardError.write(Data(words.utf8))
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { throw StartError.unavailable("The terminal cannot be read.") }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        guard let line = readLine(strippingNewline: true) else {
            throw StartError.malformed("No password was typed. Try again.")
        }
        return line
    }
}
