import Foundation
import WeirBoards
import WeirStates

/// The calendars in a folder of operation files, each read once.
final class CalendarFolder {
    private let url: URL?
    private var read: [String: Result<EventCalendar, ScheduleError>] = [:]
    /// The texts of the calendars that were read, by name.
    private(set) var texts: [String: String] = [:]

    /// Creates an empty folder, or one whose files are read as they are named.
    init(_ url: URL? = nil) { self.url = url }

    static func isName(_ name: String) -> Bool {
        name.hasSuffix(".ics") && !name.hasPrefix(".") && !name.contains("/") && !name.utf8.contains(0)
    }

    /// The calendar of a name, such as `holidays.ics`.
    func calendar(_ name: String) throws(ScheduleError) -> EventCalendar {
        if let known = read[name] { return try known.get() }
        let found = Result { () throws(ScheduleError) in try parse(name) }
        read[name] = found
        return try found.get()
    }

    private func parse(_ name: String) throws(ScheduleError) -> EventCalendar {
        guard Self.isName(name), let url else {
            throw ScheduleError(
                "A calendar is a file in the folder of operation files. Copy it there, and write its name, such as "
                    + "holidays.ics.")
        }
        let text: String
        do throws(RegularFile.Failure) {
            text = try RegularFile.text(of: url.appending(path: name).path, limit: EventCalendar.maximumBytes)
        } catch {
            throw ScheduleError("The calendar “\(name.prefix(80))” \(Self.words(error))")
        }
        texts[name] = text
        do throws(EventCalendar.Mistake) {
            return try EventCalendar(text)
        } catch {
            throw ScheduleError(
                "The calendar “\(name.prefix(80))” has a mistake in line \(error.line). \(error.sentence)")
        }
    }

    private static func words(_ failure: RegularFile.Failure) -> String {
        switch failure {
        case .missing: "is not in the folder of operation files. Copy it there, or correct its name."
        case .unreadable: "cannot be read. Let the user that the server runs as read it."
        case .notRegular: "is a folder, a pipe or a device. Replace it by a file."
        case .tooLarge: "is larger than 1 MiB. Remove past events, or divide it."
        case .notText: "is not UTF-8 text. Export it again as an iCalendar file."
        }
    }
}
