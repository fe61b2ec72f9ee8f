import Foundation
import NIOCore
import WeirAccess
import WeirJournals
import WeirStates

/// The format of a downloaded audit, and the days that it contains.
struct AuditExport: Sendable {
    enum Format: String, CaseIterable, Sendable {
        /// The lines as they are stored, with the hashes that `weir audit verify` checks.
        case chain
        /// One entry in each line, as the API returns it.
        case jsonl
        case csv
    }

    let format: Format
    private let from, to: String

    /// Parses the parameters; days are those of UTC, and both are included.
    init(_ query: FormFields) throws(Problem) {
        try query.check(["format", "from", "to"])
        let word = query["format"] ?? ""
        guard let format = word.isEmpty ? .chain : Format(rawValue: word) else {
            throw .malformedQuery("format", oneOf: Format.allCases.map(\.rawValue))
        }
        self.format = format
        from = try Self.day("from", in: query) ?? ""
        to = try Self.day("to", in: query) ?? "9999-12-31"
    }

    private static func day(_ name: String, in query: FormFields) throws(Problem) -> String? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else {
            throw .malformedQuery(name, .queryDay)
        }
        return text
    }

    func includes(_ day: String) -> Bool { from <= day && day <= to }

    var mediaType: String {
        switch format {
        case .chain: "text/plain; charset=utf-8"
        case .jsonl: RunListExportFormat.bundle.mediaType
        case .csv: RunListExportFormat.csv.mediaType
        }
    }

    /// The end of the file's name.
    var suffix: String { format == .chain ? "txt" : format.rawValue }

    /// The first row of CSV.
    var head: String? {
        guard format == .csv else { return nil }
        return RunListExport.row([
            "number", "at", "principal", "name", "action", "subject", "outcome", "count", "address", "request",
            "detail",
        ]) + "\n"
    }

    /// The entries of a day in the format; parses all of them for CSV.
    func converted(_ file: Data) -> ByteBuffer {
        guard format != .chain else { return ByteBuffer(bytes: file) }
        var buffer = ByteBuffer()
        // Lines are JSON after a hash and a space.
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let json = line.drop { $0 != UInt8(ascii: " ") }.dropFirst()
            if format == .jsonl {
                buffer.writeBytes(json)
                buffer.writeInteger(UInt8(ascii: "\n"))
            } else {
                buffer.writeString(RunListExport.row(Self.cells(String(decoding: json, as: UTF8.self))) + "\n")
            }
        }
        return buffer
    }

    /// The cells of an entry; one that was changed and cannot be read is in the last cell.
    private static func cells(_ json: String) -> [String] {
        guard let record = AuditRecord(json: json) else { return Array(repeating: "", count: 10) + [json] }
        let entry = record.entry
        return [
            String(record.number), Timestamp(milliseconds: entry.at).description, entry.principal, entry.name,
            entry.action.rawValue, entry.subject ?? "", entry.outcome.rawValue, String(entry.count),
            entry.address ?? "", entry.request ?? "", entry.detail ?? "",
        ]
    }
}
