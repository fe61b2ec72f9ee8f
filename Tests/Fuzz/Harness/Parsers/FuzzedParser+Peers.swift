import Foundation
import WeirStates

@testable import WeirBoards
@testable import WeirCommand

extension FuzzedParser {
    /// What one server of a shared journal hands to another: commands, and what they came to.
    static let peers = FuzzedParser("peers", upTo: 1_024) { input in
        guard let value = try? JSONValue(parsing: input.text) else { return }
        if let command = try? value.decode(BoardCommand.self) { stays(command) }
        guard let outcome = try? value.decode(BoardCommand.Outcome.self) else { return }
        stays(outcome)
        do throws(BoardError) { _ = try outcome.startReceipt } catch { _ = error.description }
        do throws(BoardError) { _ = try outcome.storeReceipt } catch { _ = error.description }
        do throws(BoardError) { _ = try outcome.isDone } catch { _ = error.description }
    }

    /// What was handed on is handed on the same.
    private static func stays<Value: Codable>(_ value: Value) {
        guard let sent = try? JSONValue(encoding: value), let text = try? sent.text() else {
            return expect(false, "\(value) cannot be handed on")
        }
        let received = try? JSONValue(parsing: text).decode(Value.self)
        expect(received != nil, "\(text) is not understood")
        expect((try? JSONValue(encoding: received)) == sent, "\(text) changes when it is handed on")
    }

    /// What a server says of a run, as a terminal shows it: nothing of it is obeyed, and no line is wider than the terminal.
    static let terminal = FuzzedParser("terminal", upTo: 512) { input in
        var input = input
        let columns = 20 + input.choice(200)
        let text = input.text
        let line = VisibleText.line(text)
        shown(line)
        expect(VisibleText.line(line) == line, "“\(line)” changes when it is shown again")
        let output = VisibleText.output(text)
        expect(VisibleText.output(output) == output, "“\(output)” changes when it is printed again")
        shown(output.replacing("\u{1b}[", with: "").replacing("\t", with: ""))
        for width in [0, 1, 2, columns] {
            let cut = VisibleText.cut(line, to: width)
            expect(VisibleText.width(cut) <= width, "“\(cut)” is wider than \(width)")
        }
        if let message = StateMessage.message(text) {
            expect(message["state"]?.string?.isEmpty == false, "a state without a name")
            expect((message["completed"]?.integer ?? 0) >= 0, "less than nothing done")
        }
        guard let change = (try? JSONValue(parsing: text)).flatMap(RunChange.init) else { return }
        let gauge = Gauge(columns: columns).line(change)
        expect(VisibleText.width(gauge) < columns, "“\(gauge)” in \(columns) columns")
        shown(gauge)
    }

    private static func shown(_ line: String) {
        let hidden = line.unicodeScalars.first { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
        expect(hidden == nil, "U+\(String(hidden?.value ?? 0, radix: 16)) reaches the terminal")
    }
}
