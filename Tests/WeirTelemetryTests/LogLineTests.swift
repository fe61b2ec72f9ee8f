import Foundation
import Logging
import Synchronization
import Testing
import Tracing
import WeirStates
@testable import WeirTelemetry

@Suite struct LogLineTests {
    private static let hostile = "x\n2026 error weir: forged\r\u{1B}[31m\u{2028}\u{202E}\"}"

    /// The lines that a logger writes as JSON.
    private func lines(_ body: (Logger) -> Void) throws -> [JSONValue] {
        let written = Mutex<[String]>([])
        let logger = Logger(label: "weir.test") { label in
            JSONLogHandler(
                label: label, metadataProvider: LogContext.provider,
                now: { Date(timeIntervalSince1970: 1_800_000_000.25) }
            ) { line in
                written.withLock { $0.append(line) }
            }
        }
        body(logger)
        return try written.withLock { $0 }.map { line in
            #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline })
            return try JSONValue(parsing: String(line.dropLast()))
        }
    }

    @Test func `a line is one JSON object with time, level, logger, message and metadata`() throws {
        let found = try lines { logger in
            logger.warning(
                "A message.", metadata: ["count": "3", "names": ["a", "b"], "cause": "\(Quoted("a \"b\" \\ \n c"))"])
        }
        let expected: JSONValue = [
            "time": "2027-01-15T08:00:00.250Z", "level": "warning", "logger": "weir.test", "message": "A message.",
            "metadata": ["count": "3", "names": ["a", "b"], "cause": "a \"b\" \\ \n c"],
        ]
        #expect(found == [expected])
    }

    @Test func `no message and no value can forge a line`() throws {
        let found = try lines { logger in
            logger.info("\(Self.hostile)", metadata: ["name": "\(Self.hostile)", "\(Self.hostile)": "x"])
        }
        #expect(found.count == 1)
        #expect(found.first?["message"]?.string == Self.hostile)
        #expect(found.first?["metadata"]?["name"]?.string == Self.hostile)
        let text = LogLine.text("2026 info weir: \(Self.hostile)\n")
        #expect(text.hasSuffix("\n") && !text.dropLast().contains { $0.isNewline })
        #expect(
            !text.unicodeScalars.dropLast().contains { [.control, .format].contains($0.properties.generalCategory) })
    }

    @Test func `lines of a run contain the run, its operation, its request and its trace`() throws {
        var context = ServiceContext.topLevel
        context.log = LogContext(request: "r-1", run: "01abc", operation: "deploy")
        context.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        let found = try ServiceContext.$current.withValue(context) { try lines { $0.info("A message.") } }
        #expect(found.first?["request"] == "r-1" && found.first?["run"] == "01abc")
        #expect(found.first?["operation"] == "deploy" && found.first?["metadata"] == nil)
        #expect(found.first?["trace"] == "0af7651916cd43dd8448eb211c80319c")
    }

    @Test(arguments: ["", "a b", "a\nb", "a\"", "é", String(repeating: "a", count: 129), "a{b}"])
    func `an id that could forge a line is not accepted`(id: String) {
        #expect(RequestID.accepted(id) == nil)
        #expect(RequestID.accepted("7b1c:Req_1.2-3") == "7b1c:Req_1.2-3")
    }
}
