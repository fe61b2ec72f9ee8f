import Foundation
import Testing
import WeirStates

@Suite struct ExplanationTests {
    private static let secret = "/var/lib/weir/secret.txt"

    private struct Own: ExplainedError { let description = "The queue is empty. Add something to it." }
    private struct Plain: Error { let path = secret }
    private struct Localized: LocalizedError { let errorDescription: String? }

    /// Errors as the system throws them, with the path of a file in them.
    private func errorsOfFiles() -> [any Error] {
        let url = URL(filePath: "/nowhere/secret.txt")
        var errors: [any Error] = [
            NSError(domain: NSPOSIXErrorDomain, code: 2, userInfo: [NSFilePathErrorKey: Self.secret]),
            NSError(domain: "org.example", code: 1, userInfo: [NSLocalizedDescriptionKey: "No \(Self.secret)"]),
        ]
        let codes: [CocoaError.Code] = [
            .fileNoSuchFile, .fileReadNoPermission, .fileWriteOutOfSpace, .fileWriteFileExists, .fileReadCorruptFile,
        ]
        for code in codes { errors.append(CocoaError(code, userInfo: [NSFilePathErrorKey: Self.secret])) }
        do { _ = try Data(contentsOf: url) } catch { errors.append(error) }
        do { _ = try FileManager.default.contentsOfDirectory(atPath: url.path) } catch { errors.append(error) }
        do { try Data().write(to: url) } catch { errors.append(error) }
        return errors
    }

    // C4
    @Test func `no path of a file is in the explanation of any error of the system`() {
        let errors = errorsOfFiles()
        #expect(errors.count == 10)
        #expect(errors.contains { "\($0)".contains("secret") }, "these errors prove nothing")
        for error in errors {
            #expect(!error.explanation.contains("/") && !error.explanation.contains("secret"), "\(error.explanation)")
            #expect(error.explanation.hasSuffix("."))
        }
    }

    @Test func `an error speaks for itself where it has words for people`() {
        #expect(Own().explanation == "The queue is empty. Add something to it." && Own().isExplained)
        #expect(Localized(errorDescription: "The queue is empty.").explanation == "The queue is empty.")
        #expect(Localized(errorDescription: "See https://example.com/help, 1/2 or and/or.").isExplained)
        let missing = CocoaError(.fileNoSuchFile)
        #expect(missing.explanation == "A required file is missing. Restore it, then try again.")
    }

    // C4
    @Test(arguments: [
        nil, "", "No /etc/passwd", "No file “/etc/passwd”.", "at (/a)", "file:///a", "open(/a)", "path=/a,/b", "~/key",
        #"C:\Users\x"#, #"\\server\share"#,
    ])
    func `words that name a file, or none, are not shown`(words: String?) {
        let error = Localized(errorDescription: words)
        #expect(
            error.explanation == "This failed with an error that has no explanation (Localized). "
                + "Try again; the server's log has details.")
        #expect(!error.isExplained)
    }

    // C4
    @Test func `of an error without words only the type is shown`() {
        #expect(Plain().explanation.contains("(Plain)") && !Plain().explanation.contains("secret"))
        #expect(!Plain().isExplained)
    }
}
