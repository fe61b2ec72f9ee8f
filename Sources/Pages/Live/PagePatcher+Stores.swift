import Boards

extension PagePatcher {
    /// What a store's change changes on a page.
    func patches(_ topic: PageTopic, after store: StoreView) -> [Patch] {
        switch topic {
        case .board: [card(store, isWhole: false)]
        case .stores: [card(store, isWhole: true)]
        case .store(let id): store.id == id ? page(store) : []
        case .runs, .operation, .run, .output: []
        }
    }

    private func card(_ store: StoreView, isWhole: Bool) -> Patch {
        morph("store-\(store.id)", "partials/store-card", writer.storeCard(store, isWhole: isWhole))
    }

    private func page(_ store: StoreView) -> [Patch] {
        // Oldest first, so that the newest ends up in front.
        let effects = store.effects.prefix { $0.sequence == store.sequence }.reversed().map { line in
            Patch.prepend(
                to: "effects", html: writer.render("partials/store-effect", writer.storeEffect(line, of: store)).html)
        }
        let section = writer.storeSection(store, isPast: false, draft: nil)
        var patches = [morph("store", "partials/store", section)]
        if let line = store.log.first {
            let entry = writer.render("partials/store-entry", writer.entry(line, of: store))
            patches.append(.prepend(to: "entries", html: entry.html))
        }
        if store.omittedSteps > 0 {
            patches.append(morph("omitted", "partials/store-omitted", writer.storeLog(store)))
        }
        let scrubber = morph("scrubber", "partials/scrubber", writer.storeScrubber(store, past: nil))
        return patches + effects + [scrubber, title(.store(store))]
    }
}
