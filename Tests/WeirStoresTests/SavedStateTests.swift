import Foundation
import Testing
import WeirFlows
import WeirStores

private final class Shelf: SavedState {
    let bytes = MutableStateFlow<Data?>(nil)
    let aside = MutableStateFlow<[Data]>([])

    init(_ text: String? = nil) { bytes.value = text.map { Data($0.utf8) } }

    func load() throws -> Data? { bytes.value }
    func save(_ bytes: Data) throws { self.bytes.value = bytes }
    func setAside(_ bytes: Data) throws -> String {
        aside.mutate { $0.append(bytes) }
        return "aside"
    }
}

@Suite(.timeLimit(.minutes(15))) struct SavedStateTests {
    // I11
    @Test func `what is saved is the last committed state`() async throws {
        let shelf = Shelf()
        let store = Store(CounterReducer())
        let saving = store.keep(in: shelf) { Issue.record("\($0)") }
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<100 { store.dispatch(.add(1)) } } }
        }
        let saved = try JSONDecoder().decode(CounterReducer.State.self, from: #require(shelf.bytes.value))
        #expect(saved == store.currentState)
        #expect(saved.count == 400)
        saving.cancel()
    }

    @Test func `a store comes back in the state that was saved`() {
        let store = Store(CounterReducer())
        let saving = store.keep(in: Shelf(#"{"count":7,"isLoading":false}"#)) { Issue.record("\($0)") }
        #expect(store.currentState.count == 7)
        saving.cancel()
    }

    // I12
    @Test func `a saved state that no longer decodes is kept, told, and the initial state is used`() {
        let shelf = Shelf(#"{"total":7}"#)
        let told = Collected<String>()
        let store = Store(CounterReducer())
        let saving = store.keep(in: shelf) { told.add($0) }
        #expect(store.currentState == .init())
        #expect(told.values.count == 1)
        #expect(told.values.first?.contains("saved as aside") == true)
        #expect(shelf.aside.value == [Data(#"{"total":7}"#.utf8)])
        saving.cancel()
    }

    // I12
    @Test func `a file keeps the state, and unreadable bytes beside it`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = SavedStateFile(folder.appending(path: "counter.json"))
        #expect(try file.load() == nil)
        try file.save(Data("1".utf8))
        try file.save(Data("2".utf8))
        #expect(try file.load() == Data("2".utf8))
        #expect(try file.setAside(Data("x".utf8)) == "counter.json.unreadable-1")
        #expect(try file.setAside(Data("y".utf8)) == "counter.json.unreadable-2")
    }
}
