import Journals

extension PageWriter {
    /// What is shown above a page; nil if there is nothing.
    func standing(_ notices: PageNotices) -> Fields? {
        guard !notices.isEmpty else { return nil }
        return [
            "notRecorded": notices.notRecordedSince.map(moment), "replaced": notices.replacedAt.map(moment),
            "notices": notices.notices.map { notice -> Fields in
                [
                    "id": "notice-\(notice.id)", "text": text(of: notice), "moment": moment(notice.at),
                    "action": "\(base)/notices/\(notice.id)/dismissal",
                ]
            },
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
