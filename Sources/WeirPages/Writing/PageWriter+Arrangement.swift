import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The operations of the overview as a reader has arranged them, with the form that changes the arrangement.
    func arranged(_ board: BoardView, _ arrangement: Arrangement) -> Fields {
        let entries = wholes
        let positions = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let views = views(of: board)
        let items = entries.enumerated().map { item($1, at: $0, views[$1.id]?.latest) }
        let hasTags = items.contains { !$0.tags.isEmpty }
        let whole = arrangement.resolved(count: items.count, hasTags: hasTags)
        let (groups, others) = whole.arranged(items)
        let pinned = Set(arrangement.pins.ids)
        let cards = { (ids: [String]) in
            ids.map { id in
                card(id, of: views[id], at: positions[id] ?? 0).merging(["isPinned": pinned.contains(id)])
            }
        }
        let shown = items.count - others.count
        return [
            "groups": groups.enumerated().map { index, group in
                let title = title(of: group)
                return [
                    "cards": cards(group.ids), "titleID": "group-\(index)-title", "title": title,
                    "key": key(of: group), "isCompact": whole.isCompact,
                ] as Fields
            },
            "unmatched": cards(others), "isNone": shown == 0 && !items.isEmpty,
            "allURL": "\(base)/" + arrangement.with { $0.text = "" }.query,
            "pinsPath": base.isEmpty ? "/" : base, "mostPins": String(Arrangement.Pins.maximum),
            "arrange": items.count > 1 ? form(arrangement, as: whole, hasTags: hasTags, shown: shown, of: items) : nil,
        ]
    }

    private func item(_ entry: CatalogEntry, at position: Int, _ run: RunView?) -> Arrangement.Item {
        Arrangement.Item(
            id: entry.id, title: title(of: entry.id), tags: entry.tags.sorted(), position: position,
            isActive: run?.record.state.phase == .active, changed: changed(run))
    }

    /// The sequence of a run's latest change of state, or 0.
    func changed(_ run: RunView?) -> SequenceNumber { run?.transitions.last?.sequence ?? 0 }

    private func form(
        _ arrangement: Arrangement, as here: Arrangement, hasTags: Bool, shown: Int, of items: [Arrangement.Item]
    ) -> Fields {
        let all = format.integer(Int64(items.count))
        let orders: [(Arrangement.Order?, StringKey)] = [
            (nil, .arrangeListed), (.name, .arrangeName), (.change, .arrangeChange), (.running, .arrangeRunning),
        ]
        func choice(_ word: StringKey, isHere: Bool, _ change: (inout Arrangement) -> Void) -> Fields {
            ["url": "\(base)/" + arrangement.with(change).query, "word": strings[word], "isHere": isHere]
        }
        let usual = Arrangement().resolved(count: items.count, hasTags: hasTags)
        var views = [
            choice(.arrangeCompact, isHere: here.isCompact) {
                let other: Arrangement.Density = here.isCompact ? .cards : .compact
                $0.density = other == usual.density ? nil : other
            }
        ]
        if here.isGrouped || hasTags {
            let grouped = choice(.arrangeGrouped, isHere: here.isGrouped) {
                let other: Arrangement.Grouping = here.isGrouped ? .none : .tag
                $0.grouping = other == usual.grouping ? nil : other
            }
            views.insert(grouped, at: 0)
        }
        return [
            "text": arrangement.text, "sort": arrangement.order?.rawValue ?? "", "isMoving": arrangement.isMoving,
            "longest": String(Arrangement.longest),
            "hidden": arrangement.parameters.filter { $0.name != "text" }.map {
                ["name": $0.name, "value": $0.value] as Fields
            },
            "orders": orders.map { order, word in
                choice(word, isHere: arrangement.order == order) { $0.order = order }
            },
            "views": views, "words": strings(.arrangeCount, ["all": all]),
            "matches": arrangement.text.isEmpty
                ? nil : strings(.arrangeCount, ["all": all, "n": format.integer(Int64(shown))]),
        ]
    }

    private func title(of group: Arrangement.Group) -> String? {
        switch group.name {
        case .all: nil
        case .pinned: strings[.arrangePinned]
        case .tag(let tag): tag
        case .untagged: strings[.arrangeUntagged]
        }
    }

    private func key(of group: Arrangement.Group) -> String {
        switch group.name {
        case .all, .untagged: ""
        case .pinned: "*"
        case .tag(let tag): tag
        }
    }
}

extension Arrangement {
    fileprivate func with(_ change: (inout Arrangement) -> Void) -> Arrangement {
        var copy = self
        change(&copy)
        return copy
    }
}
