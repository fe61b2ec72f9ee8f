import Foundation
import Testing
@testable import WeirBoards
@testable import WeirFiles
import WeirJournals
@testable import WeirStandard
import WeirStates

@testable import WeirPages

/// What was recorded in English is said in the reader's language.
struct RecordedSentenceTests {
    private let tables: StringTables

    init() throws { tables = StringTables(try TemplateSet().tables) }

    private func table(_ tag: String) throws -> StringTable {
        tables[try #require(tables.locales.first { $0.tag == tag })]
    }

    // L4
    @Test func `every way in which a request fails is said in every language`() throws {
        let steps: [HTTPStep] = [.resolving, .connecting, .waiting, .receiving]
        let failures: [HTTPFailure] =
            [
                .nameNotFound(host: "a.example"), .nameServerSilent(host: "a.example", reason: "try again"),
                .refused(address: "192.0.2.1", port: 80),
                .unreachable(address: "192.0.2.1", port: 80, reason: "no answer"),
                .notSecure(
                    host: "a.example",
                    reason: "its certificate is not trusted here. Check its name, its date and its issuer."),
                .reset(during: .receiving), .reset(during: .waiting), .malformed(reason: "x"),
                .tooManyRedirects(limit: 5), .unexpectedStatus(404, reason: "Not Found", expected: nil),
                .unexpectedStatus(404, reason: "", expected: 200), .tooLong(limit: 7),
                .notUnderstood(reason: "it is not JSON. Check the address of the feed."),
            ] + steps.map { .timedOut(during: $0, after: .seconds(10)) }
            + ["", "ftp://a.example/", "http://", "http://a:b@c.example/", "http://a.example:99999/"].compactMap {
                text in
                do throws(HTTPFailure) {
                    _ = try HTTPTarget(text)
                    return nil
                } catch { return error }
            }
        #expect(failures.count == 22)
        try expectAllSaid(failures.map(\.description))
    }

    // L4
    @Test func `every way in which a program or an upload fails is said in every language`() throws {
        let starts = [
            ("exec", ENOENT), ("exec", EACCES), ("exec", ENOEXEC), ("exec", E2BIG), ("directory", ENOENT),
            ("directory", EACCES), ("directory", ENOTDIR), ("nice", EPERM), ("memory", EPERM), ("terminal", EPERM),
            ("fork", EAGAIN), ("fork", EMFILE), ("input", EIO),
        ].map { CommandFailure(step: $0.0, error: $0.1).sentence(running: "pg_dump") }
        let signals = ProcessSignal.names.compactMap { ProcessSignal($0)?.meaning }
            .map { "The program “pg_dump” was ended by the signal SIGX: \($0)." }
        let uploads: [FileUploadFailure] = [
            .diskFull, .forbidden, .fileSystem(reason: "x"), .incomplete, .tooLarge(limit: 7), .malformedID, .gone,
            .unknownDestination(name: "x"),
        ]
        try expectAllSaid(starts + signals + uploads.map(\.description) + [CocoaError(.fileReadNoSuchFile).explanation])
        for meaning in signals {
            #expect(try table("es").said(recorded: meaning).hasPrefix("La señal SIGX terminó el programa “pg_dump”: "))
            // Its meaning is a sentence of its own.
            #expect(!(try table("es").said(recorded: meaning).contains(": it ")))
        }
    }

    @Test func `why a scheduled start was refused is said in every language`() throws {
        let full = "7 runs are active, which is the limit. Try again when some have ended."
        try expectAllSaid([full, "The server is shutting down. Start this again when it is back."])
        #expect(try table("es").said(recorded: full).hasPrefix("Hay 7 ejecuciones en curso"))
    }

    @Test func `a start that did not happen is said in every language on the system page`() throws {
        let reasons: [MissedStart.Reason] = [.passed(count: 1), .passed(count: 3), .refused("It runs.")]
        let time = Timestamp(milliseconds: 0)
        try expectAllSaid(reasons.map { MissedStart("export", time, at: time, $0).sentence })
    }

    private func expectAllSaid(_ sentences: [String]) throws {
        for sentence in sentences {
            #expect(try table("en").said(recorded: sentence) == sentence)
            for tag in ["es", "pt-BR"] {
                let said = try table(tag).said(recorded: sentence)
                #expect(said != sentence && !said.contains("{"), "\(tag): \(sentence)")
            }
        }
    }

    @Test func `what stands in a sentence's places is kept as it was`() throws {
        let portuguese = try table("pt-BR")
        #expect(
            portuguese.said(recorded: HTTPFailure.refused(address: "::1", port: 9).description)
                == "Conexão recusada: nada escuta em ::1, porta 9. Confira a porta e se o serviço está no ar.")
        #expect(
            portuguese.said(recorded: "The program “{port} – ”. ended with exit code 3.")
                == "The program “{port} – ”. ended with exit code 3.")
        #expect(
            portuguese.said(recorded: "The program “a “{code}” b” ended with exit code 3.")
                == "O programa “a “{code}” b” terminou com o código de saída 3.")
    }

    @Test(arguments: [
        "", "Boom", "There is no host named . Check the spelling.", "There is no host named x. Check the spelling",
        " There is no host named x. Check the spelling.",
        "The server answered " + String(repeating: "9", count: 3_000) + ".",
    ])
    func `what is none of the sentences stays as it was recorded`(text: String) throws {
        #expect(try table("es").said(recorded: text) == text)
    }
}
