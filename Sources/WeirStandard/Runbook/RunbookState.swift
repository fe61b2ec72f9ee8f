import WeirJournals
package import WeirStates

/// The state of a checklist: its steps and their history.
package struct RunbookState: RecordableState {
    package let title: String
    /// The sections in file order, followed by the steps removed from the file.
    var sections: [RunbookSection]

    /// The steps of the file, in its order.
    var steps: [RunbookStep] { sections.filter { !$0.isGone }.flatMap(\.steps) }

    /// The size of all comments in bytes, including those on removed steps.
    var commentBytes: Int {
        sections.flatMap(\.steps).flatMap(\.comments).reduce(0) { $0 + $1.text.utf8.count }
    }

    /// Whether no step is open.
    var isFinished: Bool { steps.allSatisfy { $0.mark != nil } }

    /// Idle before the first mark, active while steps are open, then succeeded.
    package var phase: Phase {
        if isFinished { return .succeeded }
        return steps.contains { $0.mark != nil } ? .active : .idle
    }

    /// The number of steps done or skipped.
    package var progress: WorkProgress? {
        let steps = steps
        return WorkProgress(Int64(steps.count { $0.mark != nil }), of: Int64(steps.count))
    }

    /// The step with the given id; setting replaces an existing step.
    subscript(id: String) -> RunbookStep? {
        get {
            for section in sections {
                if let step = section.steps.first(where: { $0.id == id }) { return step }
            }
            return nil
        }
        set {
            guard let newValue else { return }
            for section in sections.indices {
                guard let index = sections[section].steps.firstIndex(where: { $0.id == id }) else { continue }
                sections[section].steps[index] = newValue
                return
            }
        }
    }
}

extension RunbookState {
    /// A release that has not started, one that is half done with every kind of history, and one that is done.
    package static var samples: [RunbookState] {
        let ana = Signature(by: "Ana", at: Timestamp(milliseconds: 1_795_257_727_000))
        let bob = Signature(by: "Bob", at: Timestamp(milliseconds: 1_795_257_780_000))
        let fresh = RunbookState(
            title: "Release",
            sections: [
                RunbookSection(
                    nil,
                    notes: [
                        RunbookNote(
                            markdown:
                                "Say in **#releases** that it begins; see [the status page](https://example.org/).",
                            spans: [
                                RunbookSpan("Say in "), RunbookSpan("#releases", strong: true),
                                RunbookSpan(" that it begins; see "),
                                RunbookSpan("the status page", link: "https://example.org/"), RunbookSpan("."),
                            ])
                    ]),
                RunbookSection(
                    "Before",
                    steps: [
                        step("Tests are green"),
                        RunbookStep(
                            id: "tell-support", markdown: "Tell [support](mailto:support@example.org)",
                            spans: [RunbookSpan("Tell "), RunbookSpan("support", link: "mailto:support@example.org")],
                            depth: 1, number: 1),
                        RunbookStep(
                            id: "tag-it", markdown: "Tag it with `git tag`",
                            spans: [RunbookSpan("Tag it with "), RunbookSpan("git tag", code: true)],
                            notes: [
                                RunbookNote(
                                    markdown: "```\ngit tag 1.0\n```", spans: [RunbookSpan("git tag 1.0", code: true)],
                                    isCode: true),
                                RunbookNote(
                                    markdown: "- as [agreed](https://example.org/)",
                                    spans: [
                                        RunbookSpan("• as "), RunbookSpan("agreed", link: "https://example.org/"),
                                    ], isItem: true),
                            ]),
                    ]),
            ])
        var half = fresh
        half.sections[1].steps[0].mark = .done(signed: ana)
        half.sections[1].steps[0].comments = [RunbookComment("Two tries.", signed: bob), .init("Seen.", signed: nil)]
        half.sections[1].steps[1].mark = .skipped(reason: "Nobody is there.", signed: bob)
        half.sections[1].steps[2].assignee = "Bob"
        half.sections[1].steps[2].waiting = ["Ana"]
        var gone = step("Send the newsletter")
        gone.mark = .skipped(reason: "No newsletter any more.", signed: nil)
        half.sections.append(RunbookSection(goneTitle, steps: [gone], isGone: true))
        var done = fresh
        for index in done.sections[1].steps.indices { done.sections[1].steps[index].mark = .done(signed: bob) }
        done.sections[1].steps[1].isTickedInFile = true
        done.sections[1].steps[1].mark = .done(signed: nil)
        return [fresh, half, done]
    }

    private static func step(_ text: String) -> RunbookStep {
        RunbookStep(id: String(naming: text), markdown: text, spans: [RunbookSpan(text)])
    }
}
