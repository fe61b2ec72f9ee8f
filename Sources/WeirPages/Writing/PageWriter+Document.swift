import WeirAccess
import WeirBoards
import WeirJournals

extension PageWriter {
    /// The element `<main id="page">` of a live page.
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
                "pages/operation",
                operationPage(
                    view, draft: draft, schedule: frame.schedule, hooks: frame.hooks,
                    presets: (frame.presets, frame.preset))
            )
        case .run(let view):
            (template, fields) = (
                "pages/run", runPage(view, output: output, hooks: frame.hooks, around: frame.surroundings)
            )
        case .stores(let view): (template, fields) = ("pages/stores", stores(view))
        case .wall(let view): (template, fields) = ("pages/wall", wall(view))
        case .store(let view):
            (template, fields) = ("pages/store", storePage(view, past: nil, draft: draft))
        }
        return region(template, fields, title: title(content), cursor: cursor, frame: frame)
    }

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

    func document(
        _ main: TrustedHTML, title: Fields, section: Section, cursor: PageCursor? = nil, isEnded: Bool = false,
        styles: [String] = [], frame: PageFrame
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
            "main": main, "pageTitle": title, "styles": styles, "cursor": cursor.map(self.fields(of:)),
            "standing": standing(frame.notices),
            "stillURL": cursor?.after.map { _ in url(frame, "still=yes") },
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

    enum Section { case operations, runs, schedules, stores, gallery, system, none }

    func section(of content: PageContent) -> Section {
        switch content {
        case .board, .operation, .wall: .operations
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

    private func who(_ viewer: PageViewer, _ frame: PageFrame) -> Fields {
        [
            "name": viewer.name, "canRename": viewer.canRename, "action": "\(base)/name",
            "back": URLText(request: frame.path).text,
        ]
    }

    private func languageURL(_ locale: PageLocale, _ frame: PageFrame) -> String { url(frame, "lang=\(locale.tag)") }

    /// The URL of the page with another value of a parameter.
    private func url(_ frame: PageFrame, _ parameter: String) -> String {
        let parts = URLText(request: frame.path).text.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parameter.prefix { $0 != "=" } + "="
        let query = parts.dropFirst().first?.split(separator: "&").filter { !$0.hasPrefix(name) } ?? []
        return "\(parts.first ?? "/")?" + (query.map(String.init) + [parameter]).joined(separator: "&")
    }
}

extension PageWriter {
    func standing(_ notices: PageNotices) -> Fields? {
        guard !notices.isEmpty else { return nil }
        return [
            "removal": notices.removal.map(removal),
            "refused": notices.refusedSettings.map(refused), "quiet": notices.quiet.map(quiet),
            "notRecorded": notices.notRecordedSince.map(moment),
            "diskAlmostFull": notices.diskAlmostFullSince.map(moment),
            "replaced": notices.replacedAt.map(moment),
            "notices": notices.notices.map { notice -> Fields in
                [
                    "id": "notice-\(notice.id)", "text": text(of: notice), "moment": moment(notice.at),
                    "action": "\(base)/notices/\(notice.id)/dismissal",
                ]
            },
        ]
    }

    private func removal(_ removal: AnnouncedRemoval) -> Fields {
        let key: StringKey =
            switch removal.reason {
            case .size: .removalSize
            case .clock: .removalClock
            case .settings: .removalSettings
            }
        let (runs, kept) = (format.integer(Int64(removal.runs)), format.integer(Int64(removal.kept)))
        return ["words": strings(key, ["runs": runs, "kept": kept]), "due": moment(removal.due)]
    }

    private func quiet(_ start: QuietStart) -> Fields {
        let key: StringKey =
            switch start.reason {
            case .asked: .noticeQuietAsked
            case .copied: .noticeQuietCopied
            case .restored: .noticeQuietRestored
            }
        return ["words": strings[key], "moment": moment(start.since), "action": "\(base)/resumption"]
    }

    private func refused(_ settings: RefusedSettings) -> Fields {
        // The log lists all of them.
        let shown = settings.lost.prefix(5).joined(separator: ", ") + (settings.lost.count > 5 ? ", …" : "")
        return [
            "words": settings.lost.isEmpty
                ? strings[.noticeMistakenSettings] : strings(.noticeShrunkenSettings, ["keys": shown]),
            "moment": moment(settings.at),
        ]
    }

    private func text(of notice: JournalNotice) -> String {
        let sentence =
            switch notice.kind {
            case .damaged: strings[.noticeDamaged]
            case .missing: strings[.noticeMissing]
            case .uncertain: strings[.noticeUncertain]
            case .unverified: strings[.noticeUnverified]
            case .restored: strings[.noticeRestored]
            case .forgotten: strings[.noticeForgotten]
            case .lost:
                strings(
                    .noticeLost,
                    [
                        "from": format.integer(notice.lost?.lowerBound.rawValue ?? 0),
                        "to": format.integer(notice.lost?.upperBound.rawValue ?? 0),
                    ])
            }
        guard let file = notice.file else { return sentence }
        return sentence + " " + strings(notice.kind == .restored ? .noticeFound : .noticeKept, ["file": file])
    }
}

extension PageWriter {
    /// The maximum number of named viewers; the others are counted.
    static var namedViewers: Int { 4 }

    /// The page's other viewers for `partials/viewers`, or nil if there are none.
    func viewers(_ names: [String]) -> Fields? {
        guard !names.isEmpty else { return nil }
        let (named, rest) = (names.prefix(Self.namedViewers), names.dropFirst(Self.namedViewers))
        let more: Fields? =
            rest.isEmpty
            ? nil
            : ["count": "+" + format.integer(Int64(rest.count)), "names": rest.prefix(50).joined(separator: ", ")]
        return ["words": strings(.viewers, ["names": named.joined(separator: ", ")]), "more": more]
    }
}
