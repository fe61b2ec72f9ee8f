import WeirBoards

extension PagePatcher {
    /// What a store's change changes on a page.
    func patches(_ topic: PageTopic, after store: StoreView) -> [Patch] {
        switch topic {
        case .board: card(store.id, isWhole: false)
        case .stores: card(store.id, isWhole: true)
        case .store(let id): store.id == id ? page(store) : []
        case .runs, .operation, .run, .output: []
        }
    }

    private func card(_ id: String, isWhole: Bool) -> [Patch] {
        changed("store-\(id)", \.store) {
            writer.render("partials/store-card", writer.storeCard($0, isWhole: isWhole))
        }
    }

    private func page(_ store: StoreView) -> [Patch] {
        // Oldest first, so that the newest ends up in front.
        let effects = store.effects.prefix { $0.sequence == store.sequence }.reversed().map { line in
            Patch.prepend(
                to: "effects", html: writer.render("partials/store-effect", writer.storeEffect(line, of: store)).html)
        }
        var patches = changed("store", \.store) {
            writer.render("partials/store", writer.storeSection($0, draft: nil))
        }
        if let line = store.log.first {
            let entry = writer.render("partials/store-entry", writer.entry(line, of: store))
            patches.append(.prepend(to: "entries", html: entry.html))
        }
        if store.omittedSteps > 0 {
            patches += changed("omitted", "partials/store-omitted") { $0.store.map(writer.storeLog) }
        }
        let scrubber = changed("scrubber", \.store) {
            writer.render("partials/scrubber", writer.storeScrubber($0, past: nil))
        }
        return patches + effects + scrubber + title { $0.store.map(PageContent.store) }
    }
}
