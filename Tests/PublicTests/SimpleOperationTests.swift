import Foundation
import Testing
import Weir

/// The short form of an operation, as another package writes it.
@Suite(.timeLimit(.minutes(15)))
struct SimpleOperationTests {
    /// A share of a hundred, as a type of the user's own.
    struct Share: Codable, Sendable, InputValue {
        typealias Unwrapped = Int
        let percent: Int

        static var accepted: InputField.Kind { .integer(0...100) }

        init(percent: Int) { self.percent = percent }
        init(from decoder: any Decoder) throws { percent = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(percent)
        }
    }

    struct Measure: SimpleOperation {
        struct Input: FormInput {
            var place = "here"
            var home: URL?
            var share = Share(percent: 50)
            var mode = "fast"
            static let percent: InputField.Format<Share> = .integer(1...99)
            static let fields = [
                InputField(\Self.place, "Place", .text(maximumLength: 20)), InputField(\Self.home, "Home", .url()),
                InputField(\Self.share, "Share", percent),
                InputField(\Self.mode, "Mode", .choice(["fast", "exact"])),
            ]
        }

        typealias Result = [Double]

        func run(_ input: Input, report: RunReporter) async throws -> Result {
            report.note("Measuring")
            report.progress(Int64(input.share.percent), of: 100, unit: .percent)
            report.output.offer("offered")
            await report.print("printed", to: .notice)
            return [1, 2]
        }
    }

    @Test func `an operation in the short form has an input of typed fields, and runs on a board`() async throws {
        #expect(
            Measure.Input.fields == [
                InputField("place", "Place", .text(maximumLength: 20), default: "here"),
                InputField("home", "Home", .url()), InputField("share", "Share", .integer(1...99), default: 50),
                InputField("mode", "Mode", .choice(["fast", "exact"]), default: "fast"),
            ])
        var catalog = Catalog()
        catalog.add(Measure(), id: "measure", title: "Measure", summary: "Measures.", ticks: TickRecording.every)
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let receipt = try await board.start("measure", input: ["share": 42], actor: "ada")
        await board.outcome(of: receipt.run)
        let record = try await board.run(receipt.run)
        #expect(record.state.payload == ["result": [1, 2]])
        await board.shutdown()
    }

    @Test func `a simple state says what the work does, how far it has come, and what it resulted in`() {
        let working = SimpleState<Int>.working(note: "a", progress: WorkProgress(1, of: 2))
        #expect(working.note == "a" && working.progress?.fraction == 0.5 && working.result == nil)
        #expect(SimpleState.succeeded(7).result == 7)
        #expect(SimpleState<Int>.samples.count == SimpleState<Int>.ownSamples.count + 3)
    }
}
