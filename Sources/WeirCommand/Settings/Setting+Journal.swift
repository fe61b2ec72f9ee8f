import WeirJournals
import WeirPostgres

extension Setting {
    /// What is wrong with a text as the place of the journal; nil when nothing is.
    ///
    /// It never repeats a URL, which can have a password.
    static func mistake(inJournal text: String) -> String? {
        if ["sqlite", "memory"].contains(text) { return nil }
        guard PostgresAddress.isURL(text) else {
            let shown = text.contains(":") || text.contains("@") ? "" : "is \"\(text)\"; it "
            return "\(shown)must be sqlite, memory, or the URL of a database, postgres://USER@HOST/DATABASE"
        }
        do throws(JournalError) {
            _ = try PostgresAddress(text)
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }
}
