import WeirBoards
import WeirJournals

extension PageWriter {
    /// What is shown above a page; nil if there is nothing.
    func standing(_ notices: PageNotices) -> Fields? {
        guard !notices.isEmpty else { return nil }
        return [
            "removal": notices.removal.map(removal), "refused": notices.refusedSettings.map(refused),
            "notRecorded": notices.notRecordedSince.map(moment), "replaced": notices.replacedAt.map(moment),
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

    private func refused(_ settings: RefusedSettings) -> Fields {
        // The log has all of them.
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
