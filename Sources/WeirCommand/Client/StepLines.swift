import WeirJournals
import WeirStates

/// The steps of a run as lines of text, one for each step, indented by its distance from the beginning of the graph.
///
/// ```
/// ✓ build            164 ms
///   └ ✓ unit         76 ms
///   └ ✓ regions      68 ms
///     └ ▸ load       2 of 3  ← unit, regions
/// · clean-up         at the end
/// ```
/// Pure.
struct StepLines: Hashable {
    struct Step: Hashable {
        let name: String
        /// The name for people.
        let title: String
        let status: String
        let details: String
        let took: String
        let needs: [String]?
        let isFinally: Bool
    }

    let steps: [Step]

    /// Parses the state of a run of steps; nil for other states, and before the first step.
    init?(_ payload: JSONValue) {
        let members = payload["steps"]?.array ?? []
        let titles = members.compactMap { step in step["name"]?.string.map { ($0, step["title"]?.string ?? $0) } }
        let names = Dictionary(titles) { first, _ in first }
        steps = members.compactMap { Step($0, titles: names) }
        if steps.isEmpty { return nil }
    }

    /// The title of the step that a state of a run names, or the state itself.
    static func title(of state: String, in payload: JSONValue) -> String {
        payload["steps"]?.array?.first { $0["name"]?.string == state }?["title"]?.string ?? state
    }

    /// A line for each step that fits the columns.
    func lines(columns: Int) -> [String] {
        let depths = depths
        let names = zip(steps, depths).map { step, depth in
            // Never traps: a depth is not negative.
            String(repeating: "  ", count: depth) + (depth > 0 ? "└ " : "") + "\(step.mark) \(step.title)"
        }
        let width = min(names.map(VisibleText.width).max() ?? 0, max(columns / 2, 20))
        return zip(steps, names).map { step, name in
            var parts = [
                step.status == "succeeded" || step.status == "pending" ? "" : step.status, step.details, step.took,
            ]
            if let needs = step.needs, needs.count > 1 {
                let titles = needs.map { need in steps.first { $0.name == need }?.title ?? need }
                parts.append("← \(titles.joined(separator: ", "))")
            }
            if step.isFinally, step.status == "pending" { parts = ["at the end"] }
            let rest = parts.filter { !$0.isEmpty }.joined(separator: "  ")
            let whole = rest.isEmpty ? name : VisibleText.padded(name, to: width) + "  " + rest
            return VisibleText.cut(whole, to: max(0, columns - 1))
        }
    }

    /// A text for each step whose status differs from an earlier one: `load  failed  1 of 3 failed`.
    func changes(since earlier: StepLines?) -> [String] {
        let known = Dictionary(earlier?.steps.map { ($0.name, $0.status) } ?? []) { first, _ in first }
        return steps.filter { $0.status != known[$0.name] ?? "pending" }.map { step in
            [step.title, step.status, step.details, step.took].filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }

    /// The number of needs on the longest way to each step; 0 in a sequence.
    private var depths: [Int] {
        var depths: [String: Int] = [:]
        // A graph without circles is complete after as many rounds as it has steps.
        for _ in steps {
            let before = depths
            for step in steps {
                depths[step.name] = (step.needs ?? []).map { (depths[$0] ?? 0) + 1 }.max() ?? 0
            }
            if depths == before { break }
        }
        return steps.map { min(depths[$0.name] ?? 0, 12) }
    }
}

extension StepLines.Step {
    fileprivate init?(_ step: JSONValue, titles: [String: String]) {
        guard let name = step["name"]?.string, let status = step["status"]?.string else { return nil }
        self.name = VisibleText.line(name)
        title = VisibleText.line(titles[name] ?? name)
        self.status = VisibleText.line(status)
        needs = step["needs"]?.array?.compactMap(\.string).map(VisibleText.line)
        isFinally = step["isFinally"]?.bool == true
        let times = [step["began"], step["ended"]].compactMap { $0?.string.flatMap { Timestamp($0) } }
        took = times.count == 2 ? ChangeText.duration(times[1] - times[0]) : ""
        details = Self.details(step, titles)
    }

    private static func details(_ step: JSONValue, _ titles: [String: String]) -> String {
        var parts: [String] = []
        if let marks = step["items"]?["marks"]?.string {
            let failed = marks.utf8.count { $0 == UInt8(ascii: "f") }
            let done = marks.utf8.count { $0 == UInt8(ascii: "s") }
            parts.append("\(done) of \(marks.utf8.count)" + (failed > 0 ? ", \(failed) failed" : ""))
        } else if step["status"]?.string == "running" {
            if let state = step["state"]?.string { parts.append(VisibleText.line(state)) }
            let progress = step["progress"].flatMap(WorkProgress.init(told:))
            if let percent = ChangeText.percent(progress) { parts.append("\(percent) %") }
        }
        if let attempt = step["attempt"]?.integer, attempt > 1 { parts.append("attempt \(attempt)") }
        if let prompt = step["prompt"]?.string, step["status"]?.string == "asking" {
            parts.append(VisibleText.line(prompt))
        }
        if let because = step["because"] {
            switch (because["step"]?.string, because["condition"]?.string) {
            case (let need?, _): parts.append("because of \(VisibleText.line(titles[need] ?? need))")
            case (nil, let condition?): parts.append("unless \(VisibleText.line(condition))")
            case (nil, nil): break
            }
        }
        return parts.joined(separator: "  ")
    }

    fileprivate var mark: String {
        switch status {
        case "succeeded": "✓"
        case "failed": "✕"
        case "cancelled", "interrupted": "◌"
        case "running", "retrying": "▸"
        case "asking": "?"
        case "skipped": "–"
        default: "·"
        }
    }
}
