import Foundation
import Testing

@testable import WeirFiles

/// Files change in a folder that is looked at.
struct FolderTrackerTests {
    private let files = FileManager.default
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")

    private func write(_ name: String, _ text: String, in folder: URL? = nil) throws {
        let file = (folder ?? self.folder).appending(path: name)
        try files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Looks until two looks find the same, and takes up what is there.
    private func takeUp(_ tracker: inout FolderTracker) throws -> OperationFolder {
        let looks = [tracker.look(), tracker.look()]
        #expect(looks[0] == nil, "the first look that finds a change waits for a second one")
        let next = try #require(looks[1])
        tracker.took(next)
        let after = tracker.look()
        #expect(after == nil, "what was taken up is not taken up again")
        return next
    }

    @Test func `a changed calendar changes the days of its schedules, and a broken one is a mistake of these`() throws {
        defer { try? files.removeItem(at: folder) }
        let day = { (day: String) in
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:\(day)\nEND:VEVENT\nEND:VCALENDAR\n"
        }
        try write("a.yml", "title: A\ncommand: [ls]\nschedule: {every: 1d, skip: days.ics}")
        var tracker = try FolderTracker(folder, reserved: [:])
        #expect(tracker.current.definitions.isEmpty)
        #expect(
            tracker.current.mistakes.map(\.description) == [
                "a.yml:3:11: The calendar “days.ics” is not in the folder of operation files. Copy it there, or correct its name."
            ])
        try write("days.ics", day("20261225"))
        let first = try takeUp(&tracker)
        let lists = ChoiceLists(in: CommandEnvironment(folder: folder, environment: [:], helper: nil))
        try write("days.ics", day("20261226") + "\n")
        let second = try takeUp(&tracker)
        #expect(first.definitions.first?.schedule != second.definitions.first?.schedule)
        #expect(first.edition(lists) != second.edition(lists))
        try write("days.ics", day("2026122x"))
        let third = try takeUp(&tracker)
        #expect(third.definitions.first?.schedule == second.definitions.first?.schedule)
        #expect(
            third.outdated["a"]?.map(\.description) == [
                "a.yml:3:11: The calendar “days.ics” has a mistake in line 3. There is no such day."
            ])
    }

    @Test func `files that are added, changed and removed are taken up together`() throws {
        defer { try? files.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        try write("b.yml", "{title: B, command: [ls]}")
        var tracker = try FolderTracker(folder, reserved: [:])
        let first = tracker.look()
        #expect(first == nil)
        try write("a.yml", "{title: A2, command: [ls]}")
        try files.removeItem(at: folder.appending(path: "b.yml"))
        try write("c.yml", "{title: C, command: [ls]}")
        let lists = ChoiceLists(in: CommandEnvironment(folder: folder, environment: [:], helper: nil))
        let edition = tracker.current.edition(lists)
        let next = try takeUp(&tracker)
        #expect(next.definitions.map(\.title.text) == ["A2", "C"])
        #expect(next.edition(lists) != edition)
    }

    @Test func `a folder that goes on changing is left alone until it is stable`() throws {
        defer { try? files.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        var tracker = try FolderTracker(folder, reserved: [:])
        for number in 0..<5 {
            try write("new-\(number).yml", "{title: N, command: [ls]}")
            let look = tracker.look()
            #expect(look == nil)
        }
        let last = tracker.look()
        #expect(last?.definitions.count == 6)
    }

    @Test func `a wrong file keeps its earlier definition, and says where it is wrong`() throws {
        defer { try? files.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        var tracker = try FolderTracker(folder, reserved: [:])
        try write("a.yml", "title: A\ncomand: [ls]\n")
        try write("b.yml", "{title: B}")
        let next = try takeUp(&tracker)
        #expect(next.definitions.map(\.id) == ["a"], "a file that was never right declares nothing")
        #expect(next.texts["a"] == "{title: A, command: [ls]}")
        #expect(next.outdated["a"]?.first?.description.hasPrefix("a.yml:2:1: An operation has no `comand`.") == true)
        #expect(next.mistakes.contains { $0.file == "b.yml" })
        try write("a.yml", "{title: Right again, command: [ls]}")
        let right = try takeUp(&tracker)
        #expect(right.definitions.map(\.title.text) == ["Right again"])
        #expect(right.outdated.isEmpty)
    }

    @Test func `a folder that vanishes keeps its operations, and returns with those it has then`() throws {
        defer { try? files.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        var tracker = try FolderTracker(folder, reserved: [:])
        try files.removeItem(at: folder)
        let without = try takeUp(&tracker)
        #expect(without.definitions.map(\.id) == ["a"])
        #expect(without.outdated["a"]?.first?.detail.contains("cannot be read") == true)
        try write("b.yml", "{title: B, command: [ls]}")
        let back = try takeUp(&tracker)
        #expect(back.definitions.map(\.id) == ["b"] && back.mistakes.isEmpty)
    }

    @Test func `a folder beside the settings may come later`() throws {
        defer { try? files.removeItem(at: folder) }
        var tracker = try FolderTracker(folder, reserved: [:], isOptional: true)
        let looks = [tracker.look(), tracker.look()]
        #expect(looks.allSatisfy { $0 == nil } && tracker.current.definitions.isEmpty)
        try write("a.yml", "{title: A, command: [ls]}")
        #expect(try takeUp(&tracker).definitions.map(\.id) == ["a"])
    }

    @Test func `links that are moved at once, as Kubernetes does it, are one change`() throws {
        defer { try? files.removeItem(at: folder) }
        for (version, title) in [("..1", "One"), ("..2", "Two")] {
            try write("a.yml", "{title: \(title), command: [ls]}", in: folder.appending(path: version))
        }
        let link = folder.appending(path: "..data").path
        try files.createSymbolicLink(atPath: link, withDestinationPath: "..1")
        try files.createSymbolicLink(atPath: folder.appending(path: "a.yml").path, withDestinationPath: "..data/a.yml")
        var tracker = try FolderTracker(folder, reserved: [:])
        #expect(tracker.current.definitions.map(\.title.text) == ["One"])
        try files.createSymbolicLink(atPath: link + ".new", withDestinationPath: "..2")
        #expect(rename(link + ".new", link) == 0)
        #expect(try takeUp(&tracker).definitions.map(\.title.text) == ["Two"])
    }

    @Test func `files are read at once, also the same, when somebody asks for it`() throws {
        defer { try? files.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        var tracker = try FolderTracker(folder, reserved: [:])
        try write("b.yml", "{title: B, command: [ls]}")
        let look = tracker.look(atOnce: true)
        #expect(look?.definitions.count == 2)
    }
}
