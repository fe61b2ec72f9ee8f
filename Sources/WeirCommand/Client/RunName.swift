import ArgumentParser
import NIOHTTP1
import WeirStates

/// Finds the id of a run from its name on the command line: the id, or the end of it that pages show.
enum RunName {
    static let help: ArgumentHelp = "The run's id, or its end as pages show it."

    /// The length of the end that pages show.
    private static let shortest = 6
    /// The number of runs with the text that are looked at.
    static let searched = 500

    /// Returns the id of the run of a name.
    ///
    /// - Throws: `ClientError` if there is no such run, or several runs have this end.
    static func id(of name: String, at client: ServerClient) async throws(ClientError) -> String {
        guard isID(name) else { throw unknown(name, at: client) }
        let answer = try await client.answer(.GET, ["runs", name])
        if answer.isSuccess, let id = answer.body?["id"]?.string { return id }
        guard answer.status == 404, answer.problem != nil else { throw ClientError(answer, from: client.address) }
        guard let id = try await ending(in: name, at: client) else { throw unknown(name, at: client) }
        return id
    }

    /// Returns the only id with this end; nil if no run has it, or it is shorter than on pages.
    ///
    /// - Throws: `ClientError` if there are several.
    static func only(of ids: [String], endingIn end: String) throws(ClientError) -> String? {
        let found = end.utf8.count < shortest ? [] : ids.filter { $0.hasSuffix(end) && isID($0) }
        guard found.count > 1 else { return found.first }
        throw ClientError(
            .refused, "\(found.count) runs have an id that ends in “\(end)”: \(found.joined(separator: ", ")).",
            remedy: "Give the whole id.")
    }

    /// Looks among the newest runs that the search finds, which can have the text elsewhere.
    private static func ending(in end: String, at client: ServerClient) async throws(ClientError) -> String? {
        guard end.utf8.count >= shortest else { return nil }
        let page = try await client.succeed(get: ["runs"], query: [("text", end), ("limit", String(searched))])
        return try only(of: (page.body?["runs"]?.array ?? []).compactMap { $0["id"]?.string }, endingIn: end)
    }

    private static func unknown(_ name: String, at client: ServerClient) -> ClientError {
        ClientError(
            .missing, "There is no run “\(VisibleText.line(String(name.prefix(64))))” at \(client.address).",
            remedy: "`weir runs` lists the runs with their ids.")
    }

    /// Whether a text has the form of an id, and is not the name of another resource beside the runs.
    private static func isID(_ text: String) -> Bool {
        text != "export" && (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
