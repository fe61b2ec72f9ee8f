package import WeirBoards
package import WeirJournals
package import WeirOperations
package import WeirStates

/// The complete input of a live page: equal content renders to equal bytes at any time.
package enum PageContent: Sendable {
    case board(BoardView)
    case runs(BoardView)
    case operation(OperationView)
    case run(RunView)
    case stores(BoardView)
    case store(StoreView)
    case wall(BoardView)

    var topic: PageTopic {
        switch self {
        case .board: .board
        case .runs: .runs
        case .operation(let view): .operation(view.id)
        case .run(let view): .run(view.record.id)
        case .stores: .stores
        case .store(let view): .store(view.id)
        case .wall: .wall
        }
    }

    /// Whether the page can no longer change.
    package var isEnded: Bool {
        if case .run(let view) = self { return view.record.endedAt != nil }
        return false
    }

    /// The content of a page after a change, or nil if the change does not concern the topic.
    package init?(_ publication: Publication, for topic: PageTopic) {
        switch topic {
        case .board: self = .board(publication.board)
        case .runs: self = .runs(publication.board)
        case .operation(let id):
            guard publication.change.subject == id, let view = publication.board.operation(id) else { return nil }
            self = .operation(view)
        case .run(let id):
            guard let run = publication.run, run.record.id == id else { return nil }
            self = .run(run)
        case .stores: self = .stores(publication.board)
        case .store(let id):
            guard let store = publication.store, store.id == id else { return nil }
            self = .store(store)
        case .wall: self = .wall(publication.board)
        case .output: return nil
        }
    }
}

/// The content of a page that shows a past moment.
package enum PastContent: Sendable {
    case operation(OperationMoment)
    case run(RunMoment)

    var content: PageContent {
        switch self {
        case .operation(let moment): .operation(moment.operation)
        case .run(let moment): .run(moment.run)
        }
    }

    /// The change after which the page shows the state.
    package var pastMoment: PageFrame.PastMoment {
        switch self {
        case .operation(let moment): .init(sequence: moment.change.sequence, at: moment.change.at)
        case .run(let moment): .init(sequence: moment.run.record.sequence, at: moment.run.at)
        }
    }
}

/// A run or store at two moments, with its newest view.
package enum MomentPair: Sendable {
    case run(RunView, RunView, newest: RunView)
    case store(StoreView, StoreView, newest: StoreView)
}

/// A section of the gallery: the states of one operation or store.
package enum GallerySection: Sendable, Hashable {
    case operation(String)
    case store(String)

    package var query: String {
        switch self {
        case .operation(let id): "?" + URLText.query("operation", id)
        case .store(let id): "?" + URLText.query("store", id)
        }
    }
}

/// The entered values of a form, and their errors.
package struct FormDraft: Sendable, Hashable {
    /// The id of the form on a page with several forms; nil on a page with one.
    var form: String?
    var values: [String: String]
    /// The errors, by field; an error of another field is shown above the form.
    package var errors: [InputMistake]
    var message: Message?
    /// Whether the values are those of a run, whose numbers have a decimal point, rather than typed ones.
    package var isRecorded = false

    package init(
        form: String? = nil, values: [String: String] = [:], errors: [InputMistake] = [], message: Message? = nil
    ) {
        self.form = form
        self.values = values
        self.errors = errors
        self.message = message
    }

    /// Fills the form with a preset, and its other fields with their defaults.
    package init(_ preset: InputPreset, fields: [InputField]) {
        let texts = fields.filter(\.isKeptInPresets).map { field in
            (field.name, PageWriter.text(of: preset.input[field.name] ?? field.defaultValue))
        }
        self.init(values: Dictionary(texts) { first, _ in first }.filter { !$0.value.isEmpty })
        isRecorded = true
    }

    /// Fills the form with the input of a run, to start it again with changes.
    package init(startingAgain run: RunRecord) {
        let texts = (run.opening.input.object ?? [:]).mapValues { PageWriter.text(of: $0) }
        self.init(values: texts.filter { !$0.value.isEmpty })
        isRecorded = true
    }
}

package struct PageProblem: Sendable, Hashable {
    let status: Int
    /// A summary in a few words, which the locale's string `problem.<status>` overrides.
    let title: String
    let detail: Message

    package init(status: Int, title: String, detail: Message) {
        self.status = status
        self.title = title
        self.detail = detail
    }
}
