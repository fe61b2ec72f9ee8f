import WeirJournals

extension RunbookState {
    /// A release that has not begun, one that is half done with everything that can happen to a step, and one that is
    /// done.
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
                            depth: 1),
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
