import Foundation
import Synchronization
import Testing
import WeirJournals

/// Files that are damaged or say what cannot be.
extension ExportTests {
    @Test(arguments: JournalKind.allCases)
    func `a file that is damaged is refused with the number of the line, and nothing of it comes in`(
        kind: JournalKind
    ) async throws {
        let source = MemoryJournal()
        try await fill(source)
        let good = try await export(source)
        let day = String(Timestamp.test(0).description.prefix(10))
        let damaged: [(String, at: Int, JournalError.Code, [String])] = [
            ("cut off", good.count - 1, .malformed, good.dropLast()),
            ("empty", 0, .malformed, []),
            ("no header", 1, .malformed, Array(good.dropFirst())),
            ("a line lost", 3, .outOfOrder, good.enumerated().filter { $0.offset != 2 }.map(\.element)),
            ("output lost", 6, .outOfOrder, good.enumerated().filter { $0.offset != 5 }.map(\.element)),
            ("no JSON", 3, .malformed, good.enumerated().map { $0.offset == 2 ? "{" : $0.element }),
            ("nothing known", 3, .malformed, good.enumerated().map { $0.offset == 2 ? "{}" : $0.element }),
            ("more", good.count + 1, .malformed, good + [good[1]]),
            ("bad phase", 2, .malformed, good.map { $0.replacingOccurrences(of: "\"active\"", with: "\"busy\"") }),
            ("bad id", 2, .malformed, good.map { $0.replacingOccurrences(of: "run-a", with: "run-<a>") }),
            ("a store", 2, .malformed, good.map { $0.replacingOccurrences(of: "run-a", with: "store-a") }),
            (
                "an actor with a control", 2, .malformed,
                good.map { $0.replacingOccurrences(of: "anna", with: "an\\u001bna") }
            ),
            (
                "an actor that is turned", 2, .malformed,
                good.map { $0.replacingOccurrences(of: "anna", with: "an\u{202E}na") }
            ),
            ("a year without servers", 2, .malformed, changed(day, to: "0001-01-01", in: good, at: 2)),
            ("a year to come", 2, .malformed, changed(day, to: "9999-01-01", in: good, at: 2)),
            ("no case", 2, .malformed, changed(#""case":"receiving""#, to: #""case":"""#, in: good, at: 2)),
            (
                "a long case", 2, .malformed,
                changed(
                    #""case":"receiving""#, to: #""case":"\#(String(repeating: "x", count: 5_000))""#, in: good, at: 2)
            ),
            ("a forged line", 5, .malformed, changed("line 1", to: #"line\n1"#, in: good, at: 5)),
            (
                "a change after the end", 4, .outOfOrder,
                changed(#""phase":"active""#, to: #""phase":"failed""#, in: good, at: 3)
            ),
            (
                "activity after a success", 4, .outOfOrder,
                changed(#""phase":"active""#, to: #""phase":"succeeded""#, in: good, at: 3).map {
                    $0.replacingOccurrences(of: #""phase":"failed""#, with: #""phase":"active""#)
                }
            ),
            (
                "an address of another run", 2, .malformed,
                changed(#""retryOf":"z""#, to: #""retryOf":"../z""#, in: good, at: 2)
            ),
            (
                "an address that is too long for its feed", 2, .malformed,
                changed(#""retryOf":"z""#, to: #""retryOf":"\#(String(repeating: "z", count: 55))""#, in: good, at: 2)
            ),
            (
                "wrong counts", good.count, .malformed,
                good.map { $0.replacingOccurrences(of: "\"lines\":700", with: "\"lines\":1") }
            ),
        ]
        try await kind.withJournal { journal in
            for (name, number, expected, lines) in damaged {
                do {
                    _ = try await take(lines, journal)
                    Issue.record("\(name) was imported")
                } catch let error as JournalError {
                    #expect(error.code == expected, "\(name): \(error)")
                    #expect(error.description.hasPrefix("Line \(number): "), "\(name): \(error)")
                }
                #expect(try await journal.head() == 0, "\(name)")
                #expect(try await journal.runs(RunQuery()).runs.isEmpty, "\(name)")
                // A look at the file alone finds the same, and so does no harm to a journal.
                let rest = Mutex(lines[...])
                #expect(throws: JournalError.self, "\(name)") {
                    try ExportContents { rest.withLock { $0.popFirst() } }
                }
            }
            let newer = good.map { $0.replacingOccurrences(of: "\"format\":1", with: "\"format\":2") }
            #expect(try await code { try await take(newer, journal) } == .tooNew)
        }
    }

    /// The lines with a text replaced in one of them, by its number.
    private func changed(_ text: String, to other: String, in lines: [String], at number: Int) -> [String] {
        var lines = lines
        lines[number - 1] = lines[number - 1].replacingOccurrences(of: text, with: other)
        #expect(lines[number - 1].contains(other))
        return lines
    }

    @Test func `a file is read line by line, whatever its lines are like`() async throws {
        try await TemporaryFolder.with { folder in
            let long = String(repeating: "é", count: 400_000)
            let path = folder.file("lines")
            try Data("one\n\n\(long)\nlast".utf8).write(to: URL(fileURLWithPath: path))
            let reader = try LineReader(path: path)
            var lines: [String] = []
            while let line = try reader.next() { lines.append(line) }
            #expect(lines == ["one", "", long, "last"])
            #expect(try reader.next() == nil)

            try Data([0x61, 0x0A, 0xFF, 0x0A]).write(to: URL(fileURLWithPath: path))
            let broken = try LineReader(path: path)
            #expect(try broken.next() == "a")
            #expect(throws: JournalError.self) { try broken.next() }
        }
    }

    @Test func `a file that somebody else opened stays open, and can be read again from its beginning`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("lines")
            try Data("one\ntwo".utf8).write(to: URL(fileURLWithPath: path))
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            for _ in 0..<2 {
                try file.seek(toOffset: 0)
                let reader = LineReader(file)
                #expect(try [reader.next(), reader.next(), reader.next()] == ["one", "two", nil])
            }
            try file.close()
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `numbers of a file that nothing can have are refused with their line`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let change = #"""
                {"change":{"at":"2026-11-21T11:39:23.123Z","case":"a","opening":{"actor":"x","input":{}},"payload":{},\
                "phase":"active","revision":0,"sequence":1,"stream":"run-a","subject":"upload","transition":true}}
                """#.replacing("\\\n", with: "")
            let header = #"{"header":{"created":"2026-11-21T11:39:23.123Z","epoch":"e","format":1}}"#
            let output = #"{"output":{"at":"2026-11-21T11:39:23Z","channel":"stdout","number":1,"run":"a","text":""}}"#
            for number in ["-1", "-9223372036854775808", "9007199254740992", "9223372036854775807", "1e300", "0.5"] {
                for lines in [
                    [header, change.replacing(#""sequence":1"#, with: #""sequence":\#(number)"#)],
                    [header, change.replacing(#""revision":0"#, with: #""revision":\#(number)"#)],
                    [header, change, output.replacing(#""number":1"#, with: #""number":\#(number)"#)],
                    [header, change, #"{"end":{"changes":\#(number),"lines":0,"runs":1}}"#],
                ] {
                    let error = await #expect(throws: JournalError.self) { try await take(lines, journal) }
                    #expect(error?.description.hasPrefix("Line ") == true, "\(number)")
                }
            }
            let end = #"{"end":{"changes":1,"lines":0,"runs":1}}"#
            let time = "2026-11-21T11:39:23.123Z"
            for at in ["-999999-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "3000-01-01T00:00:00Z"] {
                let error = await #expect(throws: JournalError.self) {
                    try await take([header, change.replacing(time, with: at), end], journal)
                }
                #expect(error?.description.hasPrefix("Line 2: ") == true, "\(at)")
            }
            for (id, at) in [("early", "1970-01-01T00:00:00Z"), ("late", "2999-12-31T23:59:59.999Z")] {
                let progress =
                    #""progress":{"completed":9223372036854775807,"total":-9223372036854775808,"unit":"items"},"#
                let line = change.replacing(time, with: at).replacing("run-a", with: "run-\(id)")
                let whole = [header, line.replacing(#""phase""#, with: progress + #""phase""#), end]
                let report = try await take(whole, journal, at: Timestamp(milliseconds: .max))
                #expect(report.imported == [id])
            }
            _ = try await journal.prune(RetentionPolicy(maximumAge: .max), now: Timestamp(milliseconds: .min))
            _ = try await journal.prune(RetentionPolicy(maximumAge: 0), now: Timestamp(milliseconds: .max))
        }
    }
}
