import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The maximum number of operations and stores on one page of the gallery; if there are more, it lists links.
    static var gallerySize: Int { 50 }

    /// All samples of all operations and stores, or of one of them; if there are too many, a link to each.
    func gallery(_ section: GallerySection? = nil, atMost size: Int = Self.gallerySize) -> Fields {
        let (entries, stores) = (wholes, catalog.stores)
        guard section == nil, entries.count + stores.count > size else {
            let groups =
                switch section {
                case nil: entries.map(group) + stores.map(group)
                case .operation(let id): catalog[id].map { [group($0)] } ?? []
                case .store(let id): catalog.store(id).map { [group($0)] } ?? []
                }
            return ["groups": groups, "index": nil, "allURL": section.map { _ in "\(base)/gallery" }]
        }
        let links =
            entries.map { link(title(of: $0.id), .operation($0.id), groupID($0)) }
            + stores.map { link(storeTitle($0.id), .store($0.id), groupID($0)) }
        return ["groups": [], "index": ["links": links] as Fields, "allURL": nil]
    }

    /// Has the same anchor as the group, so that links to the group lead to it.
    private func link(_ title: String, _ section: GallerySection, _ groupID: String) -> Fields {
        ["title": title, "url": "\(base)/gallery\(section.query)", "groupID": groupID]
    }

    private func groupID(_ entry: CatalogEntry) -> String { "gallery-\(entry.id)" }

    private func groupID(_ entry: StoreEntry) -> String { "gallery-store-\(entry.id)" }

    private func group(_ entry: CatalogEntry) -> Fields {
        let samples = SampleViews(entry).views.enumerated().map { index, view -> Fields in
            let uid = "sample-\(entry.id)-\(index)"
            return [
                "sampleID": uid, "case": view.record.state.caseName,
                "chip": chip(view.record.state.caseName, view.record.state.phase, in: entry.id),
                "state": statePanel(view, id: "\(uid)-state", place: Place(uid: uid, isCompact: false)),
                "template": template(for: view.record.state, of: entry.id) + ".mustache",
            ]
        }
        return ["operation": operation(entry.id), "samples": samples, "groupID": groupID(entry)]
    }

    private func group(_ entry: StoreEntry) -> Fields {
        let samples = SampleStores(entry).views.enumerated().map { index, view -> Fields in
            let uid = "sample-store-\(entry.id)-\(index)"
            return [
                "sampleID": uid, "case": view.state.caseName, "chip": storeChip(view.state, of: entry),
                "state": storePanel(
                    view, id: "\(uid)-state", place: Place(uid: uid, isCompact: false), acts: []),
                "template": storeTemplate(for: view.state, of: entry) + ".mustache",
            ]
        }
        return ["operation": store(entry.id), "samples": samples, "groupID": groupID(entry)]
    }
}
