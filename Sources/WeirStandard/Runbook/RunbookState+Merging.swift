extension RunbookState {
    static let goneTitle = "No longer in the file"

    /// Merges an edited file into this checklist, keeping the history of its steps.
    ///
    /// Steps match by text, preferably under the same heading and parent steps, and keep their id and history; a box newly
    /// ticked in the file is done. Removed steps with a history move to the end.
    package func taking(_ file: RunbookState) -> RunbookState {
        var old = places
        var merged = file
        var matches: [Int: RunbookStep] = [:]
        let new = file.places
        for byPlace in [true, false] {
            for (index, place) in new.enumerated() where matches[index] == nil {
                guard
                    let match = old.firstIndex(where: {
                        byPlace ? $0.path == place.path : $0.step.text == place.step.text
                    })
                else { continue }
                matches[index] = old.remove(at: match).step
            }
        }
        var ids = Set(matches.values.map(\.id)).union(old.map(\.step.id))
        var index = 0
        for section in merged.sections.indices {
            for step in merged.sections[section].steps.indices {
                merged.sections[section].steps[step].take(matches[index], ids: &ids)
                index += 1
            }
        }
        let gone = old.map(\.step).filter(\.isTouched).map(\.outermost)
        if !gone.isEmpty { merged.sections.append(RunbookSection(Self.goneTitle, steps: gone, isGone: true)) }
        return merged
    }

    /// Every step with its heading, parent steps and text.
    private var places: [(path: [String], step: RunbookStep)] {
        sections.flatMap { section in
            var path: [String] = []
            return section.steps.map { step in
                path = path.prefix(step.depth) + [step.text]
                return ([section.heading ?? ""] + path, step)
            }
        }
    }
}

extension RunbookStep {
    /// Adopts the history of the matching step of an earlier file, or a new id.
    fileprivate mutating func take(_ earlier: RunbookStep?, ids: inout Set<String>) {
        guard let earlier else {
            id = String(naming: text, taken: ids)
            ids.insert(id)
            return
        }
        let isNewlyTicked = isTickedInFile && !earlier.isTickedInFile
        id = earlier.id
        mark = earlier.mark ?? (isNewlyTicked ? mark : nil)
        assignee = earlier.assignee ?? assignee
        comments = earlier.comments.isEmpty ? comments : earlier.comments
        waiting = earlier.waiting
    }

    /// The step at depth 0.
    fileprivate var outermost: RunbookStep {
        var step = RunbookStep(id: id, markdown: markdown, spans: spans, notes: notes, isTickedInFile: isTickedInFile)
        (step.mark, step.assignee, step.comments, step.waiting) = (mark, assignee, comments, waiting)
        return step
    }
}
