import WeirAccess
import WeirBoards
import WeirJournals

extension PageWriter {
    /// The page's own element, `<main id="page">`.
    func region(
        _ content: PageContent, cursor: PageCursor?, frame: PageFrame, draft: FormDraft?, output: PageOutput? = nil
    ) -> TrustedHTML {
        let fields: Fields
        let template: String
        switch content {
        case .board(let view): (template, fields) = ("pages/board", board(view, frame.arrangement))
        case .runs(let view):
            (template, fields) = ("pages/runs", liveRuns(view).merging(["views": views(frame, RunFilter())]))
        case .operation(let view):
            (template, fields) = (
                "pages/operation", operationPage(view, draft: draft, schedule: frame.schedule, hooks: frame.hooks)
            )
        case .run(let view): (template, fields) = ("pages/run", runPage(view, output: output, hooks: frame.hooks))
        case .stores(let view): (template, fields) = ("pages/stores", stores(view))
        case .store(let view):
            (template, fields) = ("pages/store", storePage(view, past: nil, draft: draft))
        }
        return region(template, fields, title: title(content), cursor: cursor, frame: frame)
    }

    /// The element `<main id="page">` around a page of its own template.
    func region(
        _ template: String, _ fields: Fields, title: Fields, cursor: PageCursor? = nil, frame: PageFrame
    ) -> TrustedHTML {
        render(
            "partials/main",
            [
                "content": render(template, fields), "pageTitle": title, "cursor": cursor.map(self.fields(of:)),
                "clock": frame.clockText, "query": frame.arrangement.query.isEmpty ? nil : frame.arrangement.query,
                "paused": frame.pastMoment.map { String($0.sequence) },
            ])
    }

    /// A whole document around a page's element.
    func document(
        _ main: TrustedHTML, title: Fields, section: Section, cursor: PageCursor? = nil, isEnded: Bool = false,
        frame: PageFrame
    ) -> String {
        let sees = permissions.allowsAnywhere(.see) && !permissions.isLink
        let all: [(isShown: Bool, section: Section, path: String, word: StringKey, keys: String)] = [
            (sees, .operations, "/", .overview, "g o"), (sees, .runs, "/runs", .runs, "g r"),
            (
                sees && catalog.entries.contains { $0.schedule != nil }, .schedules, "/schedules", .schedules, "g c"
            ),
            (sees && !catalog.stores.isEmpty, .stores, "/stores", .stores, "g t"),
            (sees, .gallery, "/gallery", .gallery, "g g"),
            (permissions.allowsEverywhere(.administer), .system, "/system", .system, "g s"),
        ]
        let links = all.filter(\.isShown)
        let fields: Fields = [
            "main": main, "pageTitle": title, "cursor": cursor.map(self.fields(of:)),
            "standing": standing(frame.notices),
            "liveWord": cursor.map { _ in strings[isEnded ? .ended : .live] }, "isEnded": isEnded,
            "paused": frame.pastMoment.map { strings(.paused, ["n": format.integer($0.sequence)]) },
            "broken": library.covered.map { TrustedHTML(TemplateLibrary.boxHTML($0)) },
            "account": frame.account.map(accountLink),
            "links": links.map { link -> Fields in
                [
                    "url": base + link.path, "word": strings[link.word], "isHere": link.section == section,
                    "chord": link.keys, "keys": link.keys.split(separator: " ").map(String.init),
                ]
            },
            "apiURL": sees ? "\(base)/api/v1/operations" : nil,
            "viewer": frame.viewer?.name, "who": section == .stores ? frame.viewer.map { who($0, frame) } : nil,
            "others": frame.viewers.map { TrustedHTML($0) },
            "languages": locales.map { locale -> Fields in
                [
                    "tag": locale.tag, "isHere": locale == self.locale, "url": languageURL(locale, frame),
                    "word": locale.language.uppercased(),
                    "name": strings.optional("language.\(locale.tag)") ?? locale.tag,
                ]
            },
        ]
        return render("pages/layout", fields).html
    }

    /// The sections of the site, as the header lists them.
    enum Section { case operations, runs, schedules, stores, gallery, system, none }

    /// The section that a page belongs to.
    func section(of content: PageContent) -> Section {
        switch content {
        case .board, .operation: .operations
        case .runs, .run: .runs
        case .stores, .store: .stores
        }
    }

    func fields(of cursor: PageCursor) -> Fields {
        [
            "epoch": cursor.epoch, "sequence": String(cursor.sequence), "next": cursor.next, "now": cursor.now,
            "snap": cursor.snap, "after": cursor.after,
        ]
    }

    /// Who acts on the page, and the form to change the name.
    private func who(_ viewer: PageViewer, _ frame: PageFrame) -> Fields {
        [
            "name": viewer.name, "canRename": viewer.canRename, "action": "\(base)/name",
            "back": URLText(request: frame.path).text,
        ]
    }

    private func languageURL(_ locale: PageLocale, _ frame: PageFrame) -> String {
        let parts = URLText(request: frame.path).text.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.dropFirst().first?.split(separator: "&").filter { !$0.hasPrefix("lang=") } ?? []
        return "\(parts.first ?? "/")?" + (query.map(String.init) + ["lang=\(locale.tag)"]).joined(separator: "&")
    }
}
